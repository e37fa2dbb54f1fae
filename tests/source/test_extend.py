"""``extend``: what one configuration file takes over from another."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.model.settings import DEFAULT_EXCLUDES, Persistence, Settings
from regbuf_lint.source.discovery import discover
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.selection import ignored_in_file
from regbuf_lint.source.settings import load_settings


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("lib").mkdir()
    return tmp_path


def loaded(base: str, own: str, name: str = "base.toml") -> Settings:
    Path(name).write_text(base)
    Path("lib/regbuf-lint.toml").write_text(f'extend = "../{name}"\n{own}')
    return load_settings(Path("lib"), None, isolated=False, overrides={})


def test_own_keys_win_and_the_others_are_taken_over(root: Path) -> None:
    settings = loaded('persistent = "always"\nline-length = 70\n', 'persistent = "never"\n')
    assert (settings.persistent, settings.line_length) == (Persistence.NEVER, 70)
    assert settings.root == (root / "lib").resolve()
    assert [path.name for path in settings.files] == ["regbuf-lint.toml", "base.toml"]


def test_the_table_of_a_pyproject_is_taken_over() -> None:
    assert loaded("[tool.regbuf-lint]\nline-length = 70\n[tool.other]\n", "", "pyproject.toml").line_length == 70


def test_a_chain_of_files() -> None:
    Path("first.toml").write_text('persistent = "always"\nline-length = 70\n')
    settings = loaded('extend = "first.toml"\nline-length = 71\n', "")
    assert (settings.persistent, settings.line_length) == (Persistence.ALWAYS, 71)


@pytest.mark.parametrize(
    ("base", "own", "expected"),
    [
        ('select = ["RBF0"]\nextend-select = ["RBF101"]', "", (("RBF0",), ("RBF101",), ())),
        ('select = ["RBF0"]\nextend-select = ["RBF101"]', 'select = ["RBF1"]', (("RBF1",), (), ())),
        ('extend-select = ["RBF101"]', 'extend-select = ["RBF2"]', (None, ("RBF101", "RBF2"), ())),
        ('ignore = ["RBF101"]', 'ignore = ["RBF2"]\nextend-ignore = ["RBF1"]', (None, (), ("RBF101", "RBF2", "RBF1"))),
        ('ignore = ["RBF001"]', 'select = ["RBF001"]', (("RBF001",), (), ())),
        ('ignore = ["RBF001"]', 'extend-select = ["RBF001"]', (None, ("RBF001",), ())),
        ('extend-select = ["RBF001"]', 'ignore = ["RBF001"]', (None, ("RBF001",), ("RBF001",))),
    ],
)
def test_what_is_selected(base: str, own: str, expected: tuple[object, ...]) -> None:
    """A file is to what it extends as the command line is to the file."""
    settings = loaded(base, own)
    assert (settings.select, settings.extend_select, settings.ignore) == expected


def test_patterns_are_relative_to_the_file_that_has_them() -> None:
    base = 'extend-exclude = ["/gen", "lib/made", "*_pb.py"]\n'
    base += '[per-file-ignores]\n"lib/tests/*" = ["RBF001"]\n"x.py" = ["RBF2"]\n'
    settings = loaded(base, 'extend-exclude = ["/own"]\n')
    assert settings.exclude == (*DEFAULT_EXCLUDES, "/own")
    assert [one.patterns for one in settings.inherited_excludes] == [("/gen", "lib/made", "*_pb.py")]
    for name in ("gen/a.py", "made/b.py", "deep/made/c.py", "own/d.py", "deep/own/e.py", "m_pb.py", "tests/x.py"):
        path = Path("lib", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = [path.as_posix() for path in discover([Path("lib")], lambda *_: settings).files]
    assert found == ["lib/deep/made/c.py", "lib/deep/own/e.py", "lib/gen/a.py", "lib/tests/x.py"]
    assert ignored_in_file(settings, Path("lib/tests/x.py")) == ("RBF001", "RBF2")
    assert ignored_in_file(settings, Path("lib/deep/lib/tests/y.py")) == ()


def test_own_patterns_take_the_place_of_those_of_the_other_file() -> None:
    settings = loaded('exclude = ["a"]\n[per-file-ignores]\n"a.py" = ["RBF0"]\n', 'exclude = ["b"]\n')
    assert (settings.exclude, settings.inherited_excludes) == (("b",), ())


def test_the_python_of_the_other_file_lies_beside_that(root: Path) -> None:
    packages = root / "env/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    assert loaded('python = "env"\n', "").packages == (packages.resolve(),)


@pytest.mark.parametrize(
    ("base", "own", "message"),
    [
        ("", 'extend = "gone.toml"', "lib/regbuf-lint.toml: `extend`: lib/gone.toml: no such file"),
        ("", "extend = 3", "lib/regbuf-lint.toml: `extend` must be a path"),
        ("", 'extend = ""', "lib/regbuf-lint.toml: `extend` must be a path"),
        ("selct = []", 'extend = "../base.toml"', "base.toml: unknown key `selct`; did you mean `select`?"),
        (
            'extend = "lib/regbuf-lint.toml"',
            'extend = "../base.toml"',
            "base.toml: `extend`: lib/regbuf-lint.toml extends ",
        ),
    ],
)
def test_mistakes(base: str, own: str, message: str) -> None:
    Path("base.toml").write_text(base)
    Path("lib/regbuf-lint.toml").write_text(own)
    with pytest.raises(SettingsError) as caught:
        load_settings(Path("lib"), None, isolated=False, overrides={})
    assert str(caught.value).removesuffix("itself") == message
