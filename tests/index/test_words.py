"""Tests for what the text of a file says without being parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.index import word_search
from regbuf_lint.index.reads import Reads
from regbuf_lint.index.word_search import WordSearch
from regbuf_lint.index.words import read_words, split_words, words_of, written
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
class Block[T](base.Layer, Generic[T], metaclass=Meta):
    def __init__(this, width):
        super().__init__()
        super(Block, this).prepare(width)
        this.scale = Scale(width)
        this.reset()
        other.refresh()
        other.kept = this.scale.off = this.on = other.same == 1

def freeze(layer):
    layer.frozen = True

class Other:
    def _reset(me, größe):
        return me.scale.weight + größe.summe(wEird(1)), Ärger()
""".encode()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("bases", {"base", "Layer", "Generic", "T", "metaclass", "Meta"}),
        ("called", {"Scale", "Eird", "Ärger"}),
        ("read", {"Layer", "frozen", "kept", "off", "on", "same", "scale", "weight"}),
        ("methods", {"__init__", "prepare", "reset", "refresh", "summe"}),
        ("defined", {"__init__", "_reset"}),
        ("given", {"frozen", "kept", "off"}),
        ("called_on_self", {"__init__", "prepare", "reset"}),
    ],
)
def test_words_stand_for_something(kind: str, expected: set[str]) -> None:
    words = split_words(words_of(TEXT, kind))
    assert set(words) == expected
    assert len(words) == len(expected)


def test_a_file_without_words_has_none() -> None:
    assert split_words(words_of(b"x = 1\n", "bases")) == []


def test_what_is_written_is_read_again() -> None:
    words = {"bases": words_of(TEXT, "bases"), "defined": "", "called": words_of(TEXT, "called")}
    assert read_words(written(words)) == words


def test_words_that_nobody_asks_for_are_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_bytes(TEXT)
    asked: list[str] = []

    def noted(text: bytes, kind: str) -> str:
        asked.append(kind)
        return words_of(text, kind)

    monkeypatch.setattr(word_search, "words_of", noted)
    search = WordSearch(Overlay(), Settings(root=tmp_path), Reads())
    assert search.files(tmp_path, "bases", "Layer") == (tmp_path / "a.py",)
    assert search.files(tmp_path, "bases", "Scale") == ()
    assert asked == ["bases"]
    assert read_words(search.take_fresh()[str(tmp_path / "a.py")]).keys() == {"bases"}


def test_words_of_earlier_runs_are_completed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(TEXT)
    search = WordSearch(Overlay(), Settings(root=tmp_path), Reads(), {str(file): "bases Known"})
    assert search.files(tmp_path, "bases", "Known") == (file,)
    assert search.take_fresh() == {}
    assert search.words(file, "called") == {"Scale", "Eird", "Ärger"}
    assert read_words(search.take_fresh()[str(file)])["bases"] == "Known"
