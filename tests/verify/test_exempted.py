"""What does not count in the audit of a test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.verify.exempted import Exemptions, has_form

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("pattern", ["a.py", "./a.py", "{root}/a.py", "./a.py:1", "{root}/a.py:1", "a*"])
def test_files_may_be_named_in_any_way(tmp_path: Path, pattern: str) -> None:
    line = {"file": "a.py", "line": 1, "attribute": "x", "classes": ["A"]}
    assert Exemptions(tmp_path, (pattern.format(root=tmp_path),)).cover(line)
    assert not Exemptions(tmp_path, (pattern.format(root=tmp_path / "b"),)).cover({**line, "file": "b.py"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[tool.regbuf-lint]\nignore-attributes = ['A.x']\n"),
        ("regbuf-lint.toml", "ignore-attributes = ['A.x']\n"),
        (".regbuf-lint.toml", "\ufeff[tool.regbuf-lint]\nignore-attributes = ['A.x']\n"),
    ],
)
def test_the_configuration_nearest_to_the_file_counts(tmp_path: Path, name: str, text: str) -> None:
    line = {"file": "lib/inner/a.py", "line": 1, "attribute": "x", "classes": ["A"]}
    (tmp_path / "lib/inner").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.regbuf-lint]\n", encoding="utf-8")
    (tmp_path / "lib/inner/pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (tmp_path / "lib" / name).write_text(text, encoding="utf-8")
    exemptions = Exemptions(tmp_path, ())
    assert exemptions.cover(line)
    assert not exemptions.cover({**line, "classes": ["B"]})
    assert not exemptions.cover({**line, "file": "a.py"})


@pytest.mark.parametrize(
    ("comment", "counts"),
    [
        ("# regbuf-lint: noqa", False),
        ("# regbuf-lint: noqa: RBF001  # on the CPU", False),
        ("# flake8: noqa: E501,RBF0", False),
        ("# regbuf-lint: noqa: RBF101", True),
        ("# regbuf-lint: noqa RBF001", True),
        ("x = 1  # regbuf-lint: noqa", True),
    ],
)
def test_a_comment_for_the_whole_file(tmp_path: Path, comment: str, *, counts: bool) -> None:
    (tmp_path / "a.py").write_text(f"y = 1\n{comment}\n", encoding="utf-8")
    line = {"file": "a.py", "line": 1, "attribute": "x", "classes": ["A"]}
    assert Exemptions(tmp_path, ()).cover(line) is not counts


@pytest.mark.parametrize(
    "pattern", ["a.py", "lib/*", "my lib/*.py:3", "a.py:1", "mask", "Net.mask", "Outer.Inner.*", "*_cache", "a*:12"]
)
def test_forms_of_patterns(pattern: str) -> None:
    assert has_form(pattern)
