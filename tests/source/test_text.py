"""Decoding, line index and byte-exact round trips."""

from __future__ import annotations

import ast
import codecs
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import SourceText, decode_source, read_source

if TYPE_CHECKING:
    from pathlib import Path

PIECES = st.sampled_from(
    [
        "\n",
        "\r",
        "\r\n",
        "\f",
        "\v",
        "\x1c",
        "\x85",
        "\u2028",
        "é",
        "\U0001d4b3",
        "x = 1",
        " ",
        "\t",
        "# c",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@given(text=TEXTS, has_bom=st.booleans())
@example(text="", has_bom=True)
@example(text="a\rb\r\nc\n\r", has_bom=False)
def test_utf8_round_trip_is_byte_exact(*, text: str, has_bom: bool) -> None:
    data = (codecs.BOM_UTF8 if has_bom else b"") + text.encode()
    source = decode_source(data, "x.py")
    assert (source.text, source.has_bom, source.encoding) == (text, has_bom, "utf-8")
    assert source.encode() == data
    assert source.encode(text + "z") == data + b"z"


@given(st.binary(max_size=60).filter(lambda body: b"\0" not in body))
def test_latin1_round_trip_is_byte_exact(body: bytes) -> None:
    data = b"# -*- coding: latin-1 -*-\n" + body
    source = decode_source(data, "x.py")
    assert source.encoding == "iso-8859-1"
    assert source.encode(source.text + "é") == data + b"\xe9"


@given(TEXTS)
def test_offset_and_position_are_inverse(text: str) -> None:
    source = SourceText.from_text(text)
    for offset in range(len(text) + 1):
        assert source.offset(source.position(offset)) == offset


@given(TEXTS)
def test_lines_join_back_to_the_text_and_hold_no_newline(text: str) -> None:
    source = SourceText.from_text(text)
    lines = [source.line(row) for row in range(1, source.rows + 1)]
    assert lines == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(
    st.lists(
        st.sampled_from(["\n", "\r", "\r\n", "# é\n", "s = 'é\u2028\x0b'\n", "\f\n", "é = 1; "]),
        max_size=12,
    ).map("".join)
)
def test_positions_agree_with_ast(prefix: str) -> None:
    source = SourceText.from_text(prefix + "target = 'é'; other = 2")
    tree = ast.parse(source.text)
    node = tree.body[-2]
    assert node.end_col_offset is not None
    assert node.end_lineno is not None
    start = source.utf8_position(node.lineno, node.col_offset)
    end = source.utf8_position(node.end_lineno, node.end_col_offset)
    assert source.slice(Span(start, end)) == "target = 'é'"


def test_wide_characters_count_once() -> None:
    source = SourceText.from_text("é𝒳 = 1\n")
    assert source.utf8_position(1, 6) == Position(1, 3)


@pytest.mark.parametrize(
    "position",
    [
        Position(0, 1),
        Position(4, 1),
        Position(1, 0),
        Position(1, 5),
        Position(3, 2),
        Position(-1, 1),
    ],
)
def test_positions_outside_are_refused(position: Position) -> None:
    source = SourceText.from_text("ab\r\nc\n")
    with pytest.raises(ValueError, match="outside"):
        source.offset(position)


@pytest.mark.parametrize("offset", [-1, 3])
def test_offsets_outside_are_refused(offset: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        SourceText.from_text("ab").position(offset)


@pytest.mark.parametrize(
    ("text", "newline"),
    [("a", "\n"), ("a\nb\r\n", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb\r", "\r")],
)
def test_newline_is_the_first_of_the_file(text: str, newline: str) -> None:
    assert SourceText.from_text(text).newline == newline


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (
            b"#!/bin/python\r# coding: cp1252\rx = '\x80'\r",
            "cp1252",
            "#!/bin/python\r# coding: cp1252\rx = '€'\r",
        ),
        (b"# coding: latin-1 \xe9\n", "iso-8859-1", "# coding: latin-1 é\n"),
        (b"x = 1\n# coding: latin-1\n", "utf-8", "x = 1\n# coding: latin-1\n"),
        (b"x\r\ry\r# coding: latin-1 \r", "utf-8", "x\r\ry\r# coding: latin-1 \r"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\n\xc3\xa9", "utf-8", "# coding: utf-8\né"),
        (
            "# coding: shift-jis\nx = '日本'\n".encode("shift-jis"),
            "shift-jis",
            "# coding: shift-jis\nx = '日本'\n",
        ),
    ],
)
def test_declared_encodings(data: bytes, encoding: str, text: str) -> None:
    source = decode_source(data, "x.py")
    assert (source.encoding, source.text) == (encoding, text)
    assert source.encode(text + "\n") == data + b"\n"


@pytest.mark.parametrize("name", ["future_fstrings", "future-fstrings"])
def test_the_encoding_of_future_fstrings_is_utf_8(name: str) -> None:
    data = f"#!/usr/bin/env python\n# -*- coding: {name} -*-\nx = f'\u00e9'\n".encode()
    source = decode_source(data, "x.py")
    assert source.text == data.decode()
    assert source.encode() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"x = 1\ny = '\xff'\n",
            "not valid UTF-8 (byte 0xff at offset 11); declare the encoding in the first two lines",
        ),
        (
            b"x = '\xff'\n",
            "not valid UTF-8 (byte 0xff at offset 5); declare the encoding in the first two lines",
        ),
        (
            codecs.BOM_UTF8 + b"\xff",
            "not valid UTF-8 (byte 0xff at offset 3); declare the encoding in the first two lines",
        ),
        (
            b"# coding: ascii\nx = '\xe9'\n",
            "not valid ascii as declared in the first two lines (byte 0xe9 at offset 21)",
        ),
        (b"# coding: foo\n", "unknown encoding foo declared in the first two lines"),
        (b"a\0b\n", "source contains null bytes (first at offset 1)"),
        (codecs.BOM_UTF8 + b"\0b\n", "source contains null bytes (first at offset 3)"),
        (
            codecs.BOM_UTF8 + b"# coding: latin-1\n",
            "the file has a UTF-8 byte order mark but declares another encoding",
        ),
        (b"# coding: rot13\n", "cannot be decoded with its declared encoding 'rot13'"),
        (
            b"# coding: utf-7\nx = '+2AA-'\n",
            "cannot be decoded with its declared encoding 'utf-7'",
        ),
    ],
)
def test_undecodable_bytes_give_one_clear_line(data: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        decode_source(data, "x.py")
    assert str(caught.value) == message


def test_text_that_the_encoding_cannot_express_is_refused() -> None:
    source = decode_source(b"# coding: latin-1\n", "x.py")
    with pytest.raises(
        SourceError,
        match=r"holds '\\u20ac', which the file's encoding 'iso-8859-1' cannot express",
    ):
        source.with_text(source.text + "€")


def test_an_encoding_that_would_change_untouched_bytes_is_not_rewritten() -> None:
    data = b"# coding: utf-7\nx = '+AGE-'\n"  # a roundabout way to write 'a'
    source = decode_source(data, "x.py")
    assert source.text.endswith("x = 'a'\n")
    assert source.encode() == data
    with pytest.raises(SourceError, match="can be read but not rewritten"):
        source.encode(source.text + "y")


def test_with_text_keeps_encoding_and_mark() -> None:
    source = decode_source(codecs.BOM_UTF8 + b"a\r\n", "x.py").with_text("b\r\n")
    assert source.data == codecs.BOM_UTF8 + b"b\r\n"
    assert source.encode() == source.data


def test_read_source_names_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as missing:
        read_source(tmp_path / "a.py")
    assert str(missing.value) == "no such file or directory"
    with pytest.raises(SourceError) as directory:
        read_source(tmp_path)
    assert str(directory.value) == "is a directory"


def test_read_source_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\r\n")
    source = read_source(path, "shown.py")
    assert (source.text, source.path_label, source.newline) == (
        "x = 1\r\n",
        "shown.py",
        "\r\n",
    )
