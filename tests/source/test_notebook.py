"""Notebooks: one text for the checks, and back to the file without touching anything else."""

from __future__ import annotations

import ast
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from notebook_examples import STYLES, Style, code, loaded, notebook

from regbuf_lint.model.finding import Evidence, Finding, Related
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rules.syntax_error import META
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.notebook import NotebookText
from regbuf_lint.source.text import decode_source

LINES = st.sampled_from(
    ["x = 1", "é = '\\\\ü'", "%matplotlib inline", "y = !ls", "    # deep", "", "\t", "z?",
     "# \u2028 \x0c \x1c", '"\U0001d4b3"']
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])
SOURCES = st.lists(st.tuples(LINES, ENDS), max_size=6).flatmap(
    lambda rows: st.sampled_from(["", "end = 1"]).map(lambda last: "".join(a + b for a, b in rows) + last)
)
ANY_STYLE = st.builds(
    Style,
    indent=st.sampled_from([None, 1, 2]),
    ascii=st.booleans(),
    as_list=st.booleans(),
    crlf=st.booleans(),
    end=st.sampled_from(["", "\n", "\n\n"]),
    bom=st.booleans(),
)


def read(data: bytes) -> NotebookText:
    source = decode_source(data, "nb.ipynb")
    assert isinstance(source, NotebookText)
    return source


def place(source: NotebookText, text: str) -> Span:
    """Where a text stands in the joined text."""
    start = source.text.index(text)
    return Span(source.position(start), source.position(start + len(text)))


def finding(span: Span, *edits: Edit, related: tuple[Related, ...] = ()) -> Finding:
    return Finding(META, "wrong", span, span, fix=fix_of(*edits) if edits else None, related=related)


def fix_of(*edits: Edit) -> Fix:
    return Fix(Applicability.SAFE, "Mend it", edits)


@given(sources=st.lists(SOURCES, max_size=4), style=ANY_STYLE)
def test_what_is_not_changed_stays_byte_for_byte(sources: list[str], style: Style) -> None:
    data = notebook(*sources, style=style)
    source = read(data)
    assert source.cells == dict(enumerate(sources, start=2))
    assert source.encode() == source.encode(source.text) == source.with_text(source.text).data == data


@given(sources=st.lists(SOURCES, min_size=1, max_size=4), style=ANY_STYLE, at=st.integers(0, 3), new=LINES)
def test_only_the_changed_source_differs(sources: list[str], style: Style, at: int, new: str) -> None:
    data = notebook(*sources, style=style)
    source = read(data)
    number = min(at, len(sources) - 1) + 2
    border = f"...  # notebook {number} ends."
    fixed = source.with_text(source.text.replace(border, f"{new}{source.newline}{border}"))
    before, after = loaded(data), loaded(fixed.data)
    was = before["cells"][number - 1].pop("source")
    assert after["cells"][number - 1].pop("source") == f"{was}{source.newline}{new}"
    assert before == after
    assert fixed.encode(source.text) == data


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_change_is_written_in_the_style_of_the_file(style: Style) -> None:
    old = ["a = 1\nb = 'ü'\nc = 3\n", "d = 'bad'", "e = 'bad'\nf = '∂'\n"]
    new = ["a = 1\nb = 'ü'\nc = 3\n", "d = '\"good\"'", "e = '\"good\"'\nf = '∂'\n"]
    source = read(notebook(*old, style=style))
    assert source.encode(source.text.replace("bad", '"good"')) == notebook(*new, style=style)


@pytest.mark.parametrize("style", [STYLES["jupyter"], STYLES["colab"], STYLES["compact"], STYLES["windows"]])
def test_rows_are_added_and_taken_away_in_the_style_of_the_file(style: Style) -> None:
    many = "a = 1\nb = 2\nc = 3"
    source = read(notebook("a = 1", many, "z = 1\n", style=style))
    fixed = source.text.replace("a = 1\n", "a = 1\nn = 1\n", 1).replace("b = 2\n", "").replace("z = 1\n\n", "")
    assert source.encode(fixed) == notebook("a = 1\nn = 1", "a = 1\nc = 3", "", style=style)


def test_lines_that_are_no_lines_stay_where_they_are_not_touched() -> None:
    odd = ["a = ", "1\nb = 2\n", "bad = 3\n", "c = 4\n", ""]
    source = read(notebook(code(odd)))
    fixed = json.loads(source.encode(source.text.replace("bad", "good")))
    assert fixed["cells"][1]["source"] == ["a = ", "1\nb = 2\n", "good = 3\n", "c = 4\n", ""]


def test_one_row_for_each_row() -> None:
    magics = "%%time\nx = !ls \\\n  -l\nfor i in x:\n    %who\n    i?\n!end"
    source = read(notebook("a = 1", magics, "b = 2\n"))
    tree = ast.parse(source.text)
    rows = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in {"a", "x", "b"}]
    located = [source.located(finding(Span(Position(row, 1), Position(row, 2)))).span.start for row in sorted(rows)]
    assert located == [
        Position(1, 1, cell=2),
        Position(2, 1, cell=3),
        Position(4, 1, cell=3),
        Position(1, 1, cell=4),
    ]
    assert source.cells[3] == magics
    assert loaded(source.encode(source.text.replace("b = 2", "b = 3")))["cells"][2]["source"] == magics


def test_cells_that_are_no_python_are_left_out() -> None:
    other = code("var x", metadata={"vscode": {"languageId": "javascript"}})
    raw = {"cell_type": "raw", "metadata": {}, "source": "x"}
    source = read(notebook("%%bash\nls", other, raw, "x = 1", code([]), ""))
    assert source.cells == {5: "x = 1", 6: "", 7: ""}


@pytest.mark.parametrize(
    ("metadata", "is_read"),
    [
        ({}, True),
        ({"kernelspec": {"name": "python3"}}, True),
        ({"kernelspec": {"language": "python"}}, True),
        ({"language_info": {"name": "Python"}}, True),
        ({"language_info": {"name": "R"}}, False),
        ({"kernelspec": {"language": "julia"}}, False),
        ({"language_info": None, "kernelspec": []}, True),
    ],
)
def test_notebooks_in_another_language_are_empty(metadata: dict[str, object], is_read: bool) -> None:  # noqa: FBT001
    data = notebook("x = 1", metadata=metadata)
    source = read(data)
    assert bool(source.cells) is bool(source.text) is is_read
    assert source.encode() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a notebook: no valid JSON in row 1, column 1: expecting value"),
        (b'{"cells": [],\n}', "not a notebook: no valid JSON in row "),
        (b"[]", "not a notebook: its JSON is no object"),
        (b"[" * 200_000, "not a notebook: its JSON nests too deeply"),
        (b'{"nbformat": 4}', "not a notebook: it has no list of `cells`"),
        (b'{"nbformat": 3, "worksheets": []}', "notebook format 3 is not supported; convert the notebook to format 4"),
        (b'{"cells": [3]}', "not a notebook: cell 1 is no object"),
        (b'{"cells": [{"cell_type": "code"}]}', "not a notebook: the `source` of cell 1 is no text"),
        (b'{"cells": [{"cell_type": "code", "source": [1]}]}', "not a notebook: the `source` of cell 1 is no text"),
        (
            b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}',
            "cell 1 contains a null character or half of a surrogate pair",
        ),
        (b'{"cells": "\xff"}', "not a notebook: not valid UTF-8 (byte 0xff at offset 11)"),
    ],
)
def test_what_is_no_notebook_is_said_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        decode_source(data, "nb.ipynb")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_notebook_without_cells_is_empty() -> None:
    source = read(b'{"cells": [], "nbformat": 4}')
    assert (source.text, source.cells, source.rows) == ("", {}, 1)


def test_the_last_of_two_equal_keys_counts() -> None:
    cell = b'{"source": "no", "cell_type": "raw", "source" : [ "bad" ] , "cell_type": "code"}'
    data = b' { "cells": 1, "nbformat": 4, "cells" :[ ' + cell + b" ]}"
    source = read(data)
    assert source.cells == {1: "bad"}
    assert source.encode(source.text.replace("bad", "good")) == data.replace(b'"bad"', b'"good"')


def test_a_name_in_the_code_is_not_taken_for_a_border() -> None:
    texts = ("...  # notebook 3 ends.", "get_ipython()  # notebook 3 magic 1.\n%time", "x = 1")
    source = read(notebook(*texts))
    assert list(source.cells.values()) == list(texts)


def test_each_cell_is_parsed_by_itself() -> None:
    source = read(notebook("f(", "1)", "class A:", "    x = 1", "y = 1"))
    sound = []
    for number, text in source.alone():
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        row = Position(tree.body[0].lineno, 1)
        assert source.located(finding(Span(row, row))).span.start.cell == number
        sound.append(number)
    assert sound == [5, 6]
    left = source.without({2, 3, 4})
    ast.parse(left.text)
    assert left.cells == {5: "    x = 1", 6: "y = 1"}
    changed = left.with_text(left.text.replace("y = 1", "y = 2"))
    whole = source.with_text(source.merged(changed))
    assert whole.cells == {**source.cells, 6: "y = 2"}


def test_a_cell_indented_as_a_whole_is_python() -> None:
    source = read(notebook("def f():\n    pass", "\n  x = 1\n  %time\ny = 2", "  # c\nz = 3"))
    ast.parse(source.text)
    assert source.located(finding(place(source, "x = 1"))).span == Span(Position(2, 3, cell=3), Position(2, 8, cell=3))
    header = place(source, "if ...:")
    assert source.located(finding(header)).span.start == Position(1, 1, cell=3)
    assert not source.can_make(fix_of(Edit(header, "if 1:")))
    assert loaded(source.encode(source.text.replace("x = 1", "x = 3")))["cells"][2]["source"].startswith("\n  x = 3\n")


EDITED = ["a = 1\nb = 2", "%time \\\n  x\n\nc = 3\n!ls"]


@pytest.mark.parametrize(
    ("start", "end", "is_possible"),
    [
        ("b = 2", "b = 2", True),
        ("b = 2", "b = 2\n", True),
        ("b = 2", "b = 2\n...", False),
        ("b = 2", "c = 3", False),
        ("ends", "ends", False),
        ("a = 1", "b = 2", True),
        ("c = 3", "c = 3\n", True),
        ("c = 3", "c = 3\nget", False),
        ("get_ipython", "magic 1", False),
        ("\nc = 3", "c = 3", True),
    ],
)
def test_edits_stay_within_a_cell_and_off_its_magics(start: str, end: str, is_possible: bool) -> None:  # noqa: FBT001
    source = read(notebook(*EDITED))
    first = source.text.index(start)
    span = Span(source.position(first), source.position(source.text.index(end, first) + len(end)))
    located = source.located(finding(span, Edit(span, "")))
    assert (located.fix is not None) is is_possible
    assert ("no fix: it would" in located.help) is not is_possible
    if is_possible:
        edited = source.text[:first] + source.text[source.offset(span.end) :]
        assert source.with_text(edited).cells != source.cells


@pytest.mark.parametrize(
    ("row", "is_possible"),
    [(1, True), (2, True), (3, True), (4, True), (5, False), (6, True), (7, True), (8, True), (9, True)],
)
def test_rows_may_be_inserted_before_magics_and_at_the_end_of_cells(row: int, is_possible: bool) -> None:  # noqa: FBT001
    source = read(notebook(*EDITED))
    span = Span(Position(row, 1), Position(row, 1))
    assert source.can_make(fix_of(Edit(span, "n = 1\n"))) is is_possible
    offset = source.offset(span.start)
    edited = f"{source.text[:offset]}n = 1\n{source.text[offset:]}"
    if is_possible:
        assert sum("n = 1" in text for text in source.with_text(edited).cells.values()) == 1
    else:
        with pytest.raises(SourceError, match="a fix would change the magic"):
            source.with_text(edited)


@pytest.mark.parametrize("gone", ["...  # notebook 2 ends.\n", "...  # notebook 3 ends.\n"])
def test_a_text_without_a_border_is_refused(gone: str) -> None:
    source = read(notebook(*EDITED))
    with pytest.raises(SourceError, match="a fix would "):
        source.with_text(source.text.replace(gone, ""))
    with pytest.raises(SourceError, match="a fix would write behind the last cell"):
        source.with_text(source.text + "x")


def test_places_of_everything_in_a_finding() -> None:
    source = read(notebook(*EDITED))
    c, b = place(source, "c = 3"), place(source, "b = 2")
    edit = Edit(Span(c.start, Position(c.end.row + 1, 1)), "d = 4\n")
    one = source.located(finding(c, edit, related=(Related(b, "before"),)))
    there = Span(Position(4, 1, cell=3), Position(4, 6, cell=3))
    assert (one.span, one.statement, one.noqa_row) == (there, there, 4)
    assert one.related[0].span == Span(Position(2, 1, cell=2), Position(2, 6, cell=2))
    assert one.fix is not None
    assert one.fix.edits[0].span == Span(Position(4, 1, cell=3), Position(5, 1, cell=3))
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  as results come from workers


def test_evidence_is_located_and_rows_in_messages_are_those_of_cells() -> None:
    source = read(notebook(*EDITED))
    c, b = place(source, "c = 3"), place(source, "b = 2")
    own, far = f"line {c.start.row}", f"line {b.start.row}"
    elsewhere = Evidence("`f` (line 9) moves it", Span(Position(9, 1), Position(9, 3)), path="base.py")
    edit = Edit(Span(c.start, c.start), "d = 4\n")
    told = replace(
        finding(c, edit),
        message=f"{own}, {far}, line 3 of base.py, outline 7 (at {far})",
        help=f"see {far}",
        fix=replace(fix_of(edit), message=f"Drop {own}"),
        evidence=(Evidence(f"`g` ({far}) adds it to {own}", b), elsewhere),
    )
    one = source.located(told)
    assert one.message == "line 4, line 2 of cell 2, line 3 of base.py, outline 7 (at line 2 of cell 2)"
    assert one.help == "see line 2 of cell 2"
    assert one.fix is not None
    assert one.fix.message == "Drop line 4"
    there = Span(Position(2, 1, cell=2), Position(2, 6, cell=2))
    assert one.evidence == (Evidence("`g` (line 2 of cell 2) adds it to line 4", there), elsewhere)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  as results come from workers


def test_what_the_parser_finds_behind_a_cell_is_at_its_end() -> None:
    source = read(notebook("class A:\n", "x = 1"))
    (_, text), _ = source.alone()
    with pytest.raises(SyntaxError) as caught:
        ast.parse(source.text)
    border = Position(caught.value.lineno or 0, 1)
    assert border == Position(3, 1)
    assert source.located(finding(Span(border, border))).span.start == Position(2, 1, cell=2)
    assert "class A" in text


def test_positions_are_ordered_by_cell() -> None:
    assert Position(9, 9, cell=2) < Position(1, 1, cell=3)
    assert Position(2, 3) == Position(2, 3, cell=0) < Position(3, 1)
