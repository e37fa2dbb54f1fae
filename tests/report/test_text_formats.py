"""The formats for people."""

from __future__ import annotations

import re

import pytest
from report_examples import EMPTY, NOTEBOOK, RBF101, RESULT, span

from regbuf_lint.model.finding import Finding
from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.report.registry import FORMATS, TEXT_FORMATS, render

CONCISE = """\
nope: error: no such file or directory
a/m.py:3:3: RBF001 [*] `m` stays behind
a/m.py:6:3: RBF001 `n` stays behind
a/m.py:6:12: RBF101 never trained
b.py: error: not valid UTF-8
"""

FULL = """\
nope: error: no such file or directory
a/m.py:3:3: RBF001 [*] `m` stays behind
  |
3 |         self.m = torch.ones(
  |         ^^^^^^^^^^^^^^^^^^^^
  = note: a/m.py:6:12: `f` combines it with `x`
  = note: base/of m.py:30:5: `Base.f` moves it by hand
  = help: write this
  = fix: Register `m` as a buffer
  = note: a/m.py:6:3: assigned again

a/m.py:6:3: RBF001 `n` stays behind
  |
6 |         self.名 = f('é')
  |         ^^^^^^^
  = fix (needs --unsafe-fixes): Register `m` as a buffer

a/m.py:6:12: RBF101 never trained
  |
6 |         self.名 = f('é')
  |                   ^^^^^^

b.py: error: not valid UTF-8
"""


def test_concise() -> None:
    assert render(RESULT, "concise") == CONCISE


def test_full() -> None:
    assert render(RESULT, "full") == FULL


@pytest.mark.parametrize("output_format", sorted(TEXT_FORMATS))
def test_colours_change_nothing_else(output_format: str) -> None:
    colored = render(RESULT, output_format, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == render(RESULT, output_format)


@pytest.mark.parametrize("output_format", sorted(TEXT_FORMATS))
def test_nothing_found_is_no_text(output_format: str) -> None:
    assert render(EMPTY, output_format) == ""


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_carries_file_errors_and_ends_with_a_newline(output_format: str) -> None:
    text = render(RESULT, output_format)
    for message in ("nope", "no such file or directory", "b.py", "not valid UTF-8"):
        assert message in text
    assert text.endswith("\n")
    assert "\x1b" not in render(RESULT, output_format)


def frame_of(text: str, row: int, start: int, end: int) -> list[str]:
    finding = Finding(RBF101, "x", span(row, start, row, end), span(row, 1, row, 1))
    return render(RunResult((FileResult("a.py", (finding,), text=text),)), "full").split("\n")[1:-2]


def test_frames_split_rows_as_python_does() -> None:
    assert frame_of("a\rb = '\u2028'\x0c\r\nlast", 3, 1, 5) == ["  |", "3 | last", "  | ^^^^"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert frame_of("\x0cx = '\x1b[31m'", 1, 2, 3) == ["  |", "1 |  x = ' [31m'", "  |  ^"]


def test_combining_characters_take_no_column() -> None:
    assert frame_of("e\u0301 = x", 1, 6, 7)[2] == "  |     ^"


def test_an_empty_span_has_one_caret() -> None:
    assert frame_of("abc", 1, 4, 4)[2] == "  |    ^"


def test_places_outside_of_the_text_do_no_harm() -> None:
    assert frame_of("abc", 1, 9, 20)[2] == "  |    ^"
    assert frame_of("abc", 7, 1, 2) == []


def test_very_long_lines_are_cut_around_the_place() -> None:
    line = "x" * 5000 + "HERE" + "y" * 5000
    _, shown, carets = frame_of(line, 1, 5001, 5005)
    assert len(shown) < 260
    start = carets.index("^")
    assert shown[start : start + carets.count("^")] == "HERE"
    assert frame_of("z" * 5000, 1, 1, 5001)[1].endswith("z…")


def test_places_in_notebooks_tell_their_cell() -> None:
    assert render(NOTEBOOK, "concise") == (
        "nb.ipynb:cell 3:2:1: RBF101 never trained\nnb.ipynb:cell 4:2:1: RBF001 [*] `m` stays behind\n"
    )
    rows = render(NOTEBOOK, "full").splitlines()
    assert rows[:4] == ["nb.ipynb:cell 3:2:1: RBF101 never trained", "  |", "2 | b", "  | ^"]
    assert rows[7:] == [
        "2 | m = 1",
        "  | ^^^^^",
        "  = note: nb.ipynb:cell 3:2:1: it is combined with `b`",
        "  = note: base.py:30:5: `Base.f` moves it by hand",
        "  = fix: Register `m`",
        "  = note: nb.ipynb:cell 3:2:1: assigned again",
        "",
    ]
