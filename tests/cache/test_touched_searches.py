"""Which searches a change touches is told by the words of the files that were changed, without searching again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cache.changes import Changes, Fingerprints
from regbuf_lint.cache.database import Version
from regbuf_lint.cache.states import MISSING
from regbuf_lint.cache.storage import Storage
from regbuf_lint.cli.main import main
from regbuf_lint.index.reads import Reads
from regbuf_lint.index.word_search import TOP_LEVEL, WordSearch, answer_of
from regbuf_lint.index.words import read_words, words_of, written
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from pathlib import Path

LAYER = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.{name} = torch.ones(3)

    def forward(self, y):
        return y + self.{name}
"""
MAKING = "from pkg.layer import Layer\n\n\ndef make():\n    return Layer()\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in the working directory with two classes, one of which a function makes; the cache counts."""
    found = tmp_path / "pkg"
    found.mkdir()
    layer = LAYER.format(name="x")
    texts = {"__init__": "", "layer": layer, "far": layer.replace("Layer", "Far"), "making": MAKING, "alone": ""}
    for name, text in texts.items():
        (found / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    monkeypatch.setattr("regbuf_lint.cache.states._TICK", -(10**15))
    return found


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The answers of searches that are made again."""
    made: list[object] = []

    def watched(found: tuple[Path, ...]) -> str:
        made.append(found)
        return answer_of(found)

    monkeypatch.setattr("regbuf_lint.cache.validity.answer_of", watched)
    return made


def found(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    main(["--isolated", "-j1", "--output-format=concise", *options, "pkg"])
    return capsys.readouterr().out


def test_no_search_is_made_again_for_edits(
    package: Path, searches: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    """One file is edited before each run, so that most results stay from the first one."""
    found(capsys)
    for path, text in [
        ("alone.py", "# nothing\n"),
        ("making.py", f"{MAKING}# more\n"),
        ("alone.py", "import os\n"),
        ("layer.py", LAYER.format(name="scale")),
        ("alone.py", "# nothing again\n"),
    ]:
        (package / path).write_text(text, encoding="utf-8")
        assert found(capsys) == found(capsys, "--no-cache")
    assert searches == []


def test_words_that_are_looked_for_to_see_what_holds_are_known_then(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found(capsys)
    (database,) = (package.parent / ".regbuf_cache").glob("*.sqlite3")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE files SET words = NULL")
    looked_at: list[bytes] = []

    def watched(text: bytes, kind: str) -> str:
        looked_at.append(text)
        return words_of(text, kind)

    monkeypatch.setattr("regbuf_lint.index.word_search.words_of", watched)
    for text, others in [("# nothing\n", True), ("# nothing again\n", False)]:
        looked_at.clear()
        (package / "alone.py").write_text(text, encoding="utf-8")
        found(capsys)
        assert (set(looked_at) > {text.encode()}) is others


def test_words_that_several_processes_have_found_of_a_file_are_kept_together(package: Path) -> None:
    path = str(package / "making.py")
    storage = Storage(package.parent / "folder")
    assert storage.states.digest(path) != MISSING
    storage.add_words({path: written({"called": "Layer", "read": ""})})
    storage.add_words({path: written({"bases": "", "read": ""})})
    storage.keep_files()
    storage.close()
    with closing(Storage(package.parent / "folder")) as later:
        assert read_words(later.words[path]) == {"called": "Layer", "read": "", "bases": ""}


@pytest.mark.parametrize("text", [MAKING, "# nothing\n"], ids=["with words", "without words"])
@pytest.mark.parametrize("is_added", [True, False], ids=["added", "removed"])
def test_only_searches_with_a_limit_are_made_again_for_files_that_come_and_go(
    text: str,
    is_added: bool,  # noqa: FBT001  pytest gives it by name
    package: Path,
    searches: list[object],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The file of a package whose name is imported is looked for in so many folders only."""
    other = package / "other.py"
    if is_added:
        found(capsys)
        other.write_text(text, encoding="utf-8")
    else:
        other.write_text(text, encoding="utf-8")
        found(capsys)
        other.unlink()
    assert found(capsys) == found(capsys, "--no-cache")
    assert set(searches) <= {(package / "__init__.py",)}


def changes(directory: Path, now: dict[str, str], before: dict[str, Version]) -> Changes:
    """The changes of files below a directory, some of which had other versions."""
    for name, text in now.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    search = WordSearch(Overlay(), Settings(root=directory), Reads())
    paths = frozenset(str(directory / name) for name in now)
    return Changes({str(directory / name): version for name, version in before.items()}, paths, search)


WORDS = written({"called": "Old Same", "read": "size"})


@pytest.mark.parametrize(
    ("word", "touched"), [("Old", True), ("New", True), ("Same", False), ("Other", False), ("size", False)]
)
def test_a_word_that_came_or_went_touches_searches(word: str, touched: bool, tmp_path: Path) -> None:  # noqa: FBT001  pytest gives it by name
    one = changes(tmp_path, {"a.py": "New(Same())\n", "b.py": "Other()\n"}, {"a.py": Version("1", WORDS)})
    assert one.touch("called", word, None) is touched
    assert one.touch("called", word, 10) is touched


def test_words_of_another_kind_do_not_count(tmp_path: Path) -> None:
    one = changes(tmp_path, {"a.py": "New(Same())\n"}, {"a.py": Version("1", WORDS)})
    assert one.touch("read", "size", None) is True
    assert one.touch("read", "New", None) is False


def test_words_that_nobody_has_asked_for_are_not_known(tmp_path: Path) -> None:
    one = changes(tmp_path, {"a.py": "New()\n"}, {"a.py": Version("1", WORDS)})
    assert one.touch("bases", "New", None) is None
    other = changes(tmp_path, {"a.py": "New()\n"}, {"a.py": Version("1", None)})
    assert other.touch("called", "New", None) is None


@pytest.mark.parametrize("name", ["a.py", "b.py"], ids=["added", "removed"])
def test_files_that_come_and_go_touch_limits_and_packages(name: str, tmp_path: Path) -> None:
    version = Version("1", WORDS) if name == "b.py" else Version(MISSING)
    one = changes(tmp_path, {"a.py": "Old(Same())\n"}, {name: version})
    assert one.touch("called", "Old", None) is True
    assert one.touch("called", "Other", None) is False
    assert one.touch("called", "Other", 10) is None, "there may be more folders now"
    assert one.touch(TOP_LEVEL, "pkg", None) is False
    package = changes(tmp_path, {"pkg/__init__.py": ""}, {"pkg/__init__.py": Version(MISSING)})
    assert package.touch(TOP_LEVEL, "pkg", None) is None


def test_a_changed_file_makes_no_package(tmp_path: Path) -> None:
    one = changes(tmp_path, {"pkg/__init__.py": "# more\n"}, {"pkg/__init__.py": Version("1", WORDS)})
    assert one.touch(TOP_LEVEL, "pkg", 10) is False


def test_a_fingerprint_leads_back_to_what_was(tmp_path: Path) -> None:
    a, b, c = (str(tmp_path / name) for name in ("a.py", "b.py", "c.py"))
    for path in (a, b, c):
        (tmp_path / path).write_text("1\n", encoding="utf-8")
    before, digest = Fingerprints(Storage(None).states).of([a, b, c]), Storage(None).states.digest(a)
    (tmp_path / "a.py").write_text("2\n", encoding="utf-8")
    (tmp_path / "b.py").unlink()
    (tmp_path / "d.py").write_text("3\n", encoding="utf-8")
    files = frozenset({a, c, str(tmp_path / "d.py")})
    fingerprints = Fingerprints(Storage(None).states)
    now = fingerprints.of(files)
    was = {a: Version(digest), b: Version(digest), str(tmp_path / "d.py"): Version(MISSING)}
    assert now != before
    assert fingerprints.before(now, files, was) == before
    for path in was:
        assert fingerprints.before(now, files, {other: was[other] for other in was if other != path}) != before
