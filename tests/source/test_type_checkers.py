"""Projects whose types somebody checks get annotations by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.cli.arguments import parse_arguments
from regbuf_lint.cli.given_settings import overrides
from regbuf_lint.source.settings import load_settings


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def annotates(*argv: str, isolated: bool = False) -> bool:
    return load_settings(Path(), None, isolated=isolated, overrides=overrides(parse_arguments([*argv, "."]))).annotate


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mypy.ini", "[mypy]\n"),
        (".mypy.ini", "broken"),
        ("setup.cfg", "[mypy]\nignore_missing_imports = True\n"),
        ("tox.ini", "[mypy]\n"),
        ("pyproject.toml", "[tool.mypy]\n"),
        ("pyproject.toml", "[[tool.mypy.overrides]]\nmodule = 'x.*'\n"),
        ("pyproject.toml", "[tool.pyright]\n"),
        ("pyproject.toml", "[tool.basedpyright]\n"),
        ("pyrightconfig.json", "{}"),
        (".pre-commit-config.yaml", "repos:\n- repo: r\n  hooks:\n  - id: mypy\n"),
        ("Makefile", "lint:\n\tmypy src\n"),
    ],
)
def test_who_checks_types_gets_annotations(name: str, text: str) -> None:
    Path(name).write_text(text)
    assert annotates()
    assert not annotates("--no-annotate")
    assert not annotates(isolated=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[tool.black]\n"),
        ("setup.cfg", "[flake8]\n"),
        ("tox.ini", "[testenv]\ndeps =\n    mypy\n"),
        ("Makefile", "# mypy src\n"),
    ],
)
def test_nobody_checks_types(name: str, text: str) -> None:
    Path(name).write_text(text)
    assert not annotates()
    assert annotates("--annotate")


def test_an_own_setting_counts_first() -> None:
    Path("pyproject.toml").write_text("[tool.mypy]\n[tool.regbuf-lint]\nannotate = false\n")
    assert not annotates()
    assert annotates("--annotate")
