"""Which rules run."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.model.rule import FixAvailability, RuleMeta, Severity
from regbuf_lint.model.settings import PerFileIgnore, Settings
from regbuf_lint.source.selection import ignored_in_file, names, selected_codes

RULES = [
    RuleMeta(code, code.lower(), "A rule.", Severity.WARNING, on, FixAvailability.NEVER)
    for code, on in [
        ("RBF001", True),
        ("RBF004", False),
        ("RBF101", True),
        ("RBF201", False),
    ]
]


def selected(**values: tuple[str, ...]) -> set[str]:
    return set(selected_codes(Settings(Path(), **values), RULES))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, {"RBF001", "RBF101"}),
        ({"select": ("ALL",)}, {"RBF001", "RBF004", "RBF101", "RBF201"}),
        ({"select": ("RBF0",)}, {"RBF001", "RBF004"}),
        ({"select": ()}, set()),
        ({"select": ("RBF201",)}, {"RBF201"}),
        ({"extend_select": ("RBF201",)}, {"RBF001", "RBF101", "RBF201"}),
        ({"select": ("RBF201",), "extend_select": ("RBF1",)}, {"RBF101", "RBF201"}),
        ({"ignore": ("RBF001",)}, {"RBF101"}),
        ({"ignore": ("RBF",)}, set()),
        ({"ignore": ("ALL",)}, set()),
        ({"select": ("ALL",), "ignore": ("ALL",)}, set()),
        ({"select": ("RBF0",), "ignore": ("RBF001",)}, {"RBF004"}),
        ({"select": ("RBF001", "RBF1"), "ignore": ("RBF0",)}, {"RBF001", "RBF101"}),
        ({"select": ("RBF0",), "ignore": ("RBF0",)}, set()),
        ({"extend_select": ("RBF001",), "ignore": ("RBF0",)}, {"RBF001", "RBF101"}),
        ({"select": ("RBF001",), "ignore": ("ALL",)}, {"RBF001"}),
    ],
)
def test_longer_selector_wins(values: dict[str, tuple[str, ...]], expected: set[str]) -> None:
    assert selected(**values) == expected


def test_names() -> None:
    assert names("ALL", "RBF001")
    assert names("RBF0", "RBF001")
    assert not names("RBF0011", "RBF001")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("tests/*", "tests/test_a.py", True),
        ("tests/*", "tests/deep/test_a.py", True),
        ("tests/*", "src/tests/test_a.py", False),
        ("__init__.py", "a/b/__init__.py", True),
        ("**/legacy/**", "a/legacy/x.py", True),
        ("legacy", "a/legacy/x.py", True),
        ("!src/**", "tests/x.py", True),
        ("!src/**", "src/x.py", False),
    ],
)
def test_per_file_ignores(tmp_path: Path, pattern: str, path: str, *, matches: bool) -> None:
    settings = Settings(tmp_path, per_file_ignores=(PerFileIgnore(pattern, ("RBF001", "RBF1")),))
    assert ignored_in_file(settings, tmp_path / path) == (("RBF001", "RBF1") if matches else ())


def test_per_file_ignores_of_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    settings = Settings(
        tmp_path,
        per_file_ignores=(
            PerFileIgnore("src/a.py", ("RBF0",)),
            PerFileIgnore("a.py", ("RBF0", "RBF1")),
        ),
    )
    assert ignored_in_file(settings, Path("a.py")) == ("RBF0", "RBF1")
    assert ignored_in_file(settings, Path("../a.py")) == ("RBF0", "RBF1")
    assert ignored_in_file(settings, Path("b.py")) == ()
