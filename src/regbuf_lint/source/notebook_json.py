"""The JSON of a Jupyter notebook: where the text of each code cell stands in it, and how other text is put there."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from regbuf_lint.source.errors import SourceError

FORMAT = 4
_PYTHON = "python"
_SPACE = re.compile(r"[ \t\n\r]*")
_LINE_END = re.compile(r"(?<=\n)")
_ESCAPED = re.compile(r"\\u(?!00[01])[0-9a-fA-F]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = json.JSONDecoder().raw_decode


class CodeCell(Struct, frozen=True):
    """A cell of Python code.

    Attributes:
        number: its place among all cells, counted from 1.
        source: its text.
        start: where the value of its ``source`` starts in the document.
        end: where that value ends.
    """

    number: int
    source: str
    start: int
    end: int


def code_cells(document: str) -> tuple[CodeCell, ...]:
    """Return the code cells of a notebook, none where its language is not Python.

    Args:
        document: the text of the notebook's file.

    Raises:
        SourceError: it is no notebook of format 4.
    """
    notebook = _parsed(document)
    cells = notebook["cells"]
    if not cells or _language(notebook.get("metadata")) != _PYTHON:
        return ()
    start, _ = _members(document, _behind_space(document, 0))["cells"]
    found = []
    for number, (cell, place) in enumerate(zip(cells, _items(document, start), strict=True), start=1):
        if _is_python_code(cell, number):
            source = _source(cell, number)
            found.append(CodeCell(number, source, *_members(document, place[0])["source"]))
    return tuple(found)


def with_sources(document: str, changed: dict[CodeCell, str]) -> str:
    """Return a notebook's document with other text in some of its cells, and every other character as it was."""
    pieces = []
    done = 0
    for cell, source in sorted(changed.items(), key=lambda item: item[0].start):
        pieces += [document[done : cell.start], _replaced(document, cell, source)]
        done = cell.end
    return "".join([*pieces, document[done:]])


def _parsed(document: str) -> dict[str, Any]:
    try:
        notebook = json.loads(document)
    except json.JSONDecodeError as error:
        msg = f"not a notebook: no valid JSON in row {error.lineno}, column {error.colno}: {error.msg.lower()}"
        raise SourceError(msg) from error
    except RecursionError as error:
        msg = "not a notebook: its JSON nests too deeply"
        raise SourceError(msg) from error
    if not isinstance(notebook, dict):
        msg = "not a notebook: its JSON is no object"
        raise SourceError(msg)
    version = notebook.get("nbformat", FORMAT)
    if version != FORMAT:
        msg = f"notebook format {version!r} is not supported; convert the notebook to format {FORMAT}"
        raise SourceError(msg)
    if not isinstance(notebook.get("cells"), list):
        msg = "not a notebook: it has no list of `cells`"
        raise SourceError(msg)
    return notebook


def _language(metadata: object) -> str:
    """Return the kernel's language, Python where the notebook does not say."""
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        language = _member(_member(metadata, key), name)
        if isinstance(language, str):
            return language.lower()
    return _PYTHON


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _is_python_code(cell: object, number: int) -> bool:
    if not isinstance(cell, dict):
        msg = f"not a notebook: cell {number} is no object"
        raise SourceError(msg)
    language = _member(_member(cell.get("metadata"), "vscode"), "languageId")
    return cell.get("cell_type") == "code" and language in {None, _PYTHON}


def _source(cell: dict[str, Any], number: int) -> str:
    source = cell.get("source")
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        msg = f"not a notebook: the `source` of cell {number} is no text"
        raise SourceError(msg)
    text = "".join(lines)
    if "\0" in text or _SURROGATE.search(text):
        msg = f"cell {number} contains a null character or half of a surrogate pair"
        raise SourceError(msg)
    return text


def _behind_space(document: str, at: int) -> int:
    match = _SPACE.match(document, at)
    return match.end() if match is not None else at


def _members(document: str, start: int) -> dict[str, tuple[int, int]]:
    """Return where the values of an object stand; of a repeated key the last one counts, as for ``json``."""
    places = {}
    at = _behind_space(document, start + 1)
    while document[at] != "}":
        key, at = _decode(document, at)
        at = _behind_space(document, _behind_space(document, at) + 1)
        _, end = _decode(document, at)
        places[key] = (at, end)
        at = _behind_next(document, end)
    return places


def _items(document: str, start: int) -> list[tuple[int, int]]:
    """Return where the items of an array stand."""
    places = []
    at = _behind_space(document, start + 1)
    while document[at] != "]":
        _, end = _decode(document, at)
        places.append((at, end))
        at = _behind_next(document, end)
    return places


def _behind_next(document: str, at: int) -> int:
    """Return where the next member or item starts, or the closing bracket stands."""
    at = _behind_space(document, at)
    return _behind_space(document, at + 1) if document[at] == "," else at


def _replaced(document: str, cell: CodeCell, source: str) -> str:
    """Return the JSON of a cell's new text, in the style of the old one."""
    old = document[cell.start : cell.end]
    to_ascii = _is_ascii_style(old, document)
    if not old.startswith("["):
        return json.dumps(source, ensure_ascii=to_ascii)
    places = _items(document, cell.start)
    known = [_decode(document, start)[0] for start, _ in places]
    first, start = _kept_before(known, source)
    last, end = _kept_behind(known, source, first, start)
    lines = [line for line in _LINE_END.split(source[start:end]) if line]
    kept = [document[start:end] for start, end in places]
    new = [json.dumps(line, ensure_ascii=to_ascii) for line in lines]
    return _list(document, cell, places, [*kept[:first], *new, *kept[last:]])


def _list(document: str, cell: CodeCell, places: list[tuple[int, int]], items: list[str]) -> str:
    """Return an array of items, spaced as the cell's own."""
    if not items:
        return "[]"
    if not places:
        return f"[{', '.join(items)}]"
    opening = document[cell.start : places[0][0]]
    closing = document[places[-1][1] : cell.end]
    if len(places) > 1:
        separator = document[places[0][1] : places[1][0]]
    else:
        separator = f",{opening[1:]}" if len(opening) > 1 else ", "
    return opening + separator.join(items) + closing


def _is_ascii_style(old: str, document: str) -> bool:
    """Whether characters beyond ASCII are escaped: as in the cell's own text, or else as in the document."""
    text = old if not old.isascii() or _ESCAPED.search(old) else document
    return text.isascii()


def _kept_before(items: list[str], source: str) -> tuple[int, int]:
    """Return how many items at the start make whole lines of a new text that stay, and where those end."""
    kept, end, at = 0, 0, 0
    for number, item in enumerate(items, start=1):
        if not source.startswith(item, at):
            break
        at += len(item)
        if source.endswith("\n", 0, at):
            kept, end = number, at
    return kept, end


def _kept_behind(items: list[str], source: str, first: int, start: int) -> tuple[int, int]:
    """Return from which item on, ``first`` at the least, the last lines of a new text stay, and where those start."""
    kept, begin, at = len(items), len(source), len(source)
    for number in range(len(items) - 1, first - 1, -1):
        at -= len(items[number])
        if at < start or not source.startswith(items[number], at):
            break
        if at == start or source.endswith("\n", 0, at):
            kept, begin = number, at
    return kept, begin
