"""The statements at the top of a file, of which classes and functions are parsed when somebody asks for them."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from regbuf_lint.index.parsing import ParseError, parse, with_newlines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
"""What a ``Definition`` is, for ``isinstance``."""
# Strings and comments are matched to be stepped over. All alternatives start with one of four characters, which is what
# makes this twenty times faster than parsing.
_ROW_OR_TEXT = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    r"|\#[^\n]*"
    r"|\n(?=[^\s#)\]}])",
    re.DOTALL,
)
_DEFINITION = re.compile(r"(?:async[ \t]+)?(?:class|def)[ \t]+([A-Za-z_0-9]+)[ \t]*[(:\[]")
_TREE = 32
"""Bytes that the tree of a character takes, which itself is one (CPython 3.11)."""
_MOST_ALONE = 32
"""Parts of a file that are parsed one by one; then the rest is, too, since each is parsed behind as many empty rows as
stand before it."""


class _UnclearError(Exception):
    """Where statements begin and end cannot be told."""


class _Part(Struct, eq=False):
    """A class or function at the top of a file, with its decorators.

    Attributes:
        name: its name.
        start: where its text begins.
        stop: where that ends.
        row: the row in which it begins, counted from 1.
        end: the row behind it.
        node: its tree, None as long as nobody has asked, and where it does not parse.
    """

    name: str
    start: int
    stop: int
    row: int
    end: int
    node: Definition | None = None

    @property
    def spared(self) -> int:
        """How many characters less than its tree its text takes in memory."""
        return (self.stop - self.start) * (_TREE - 1) // _TREE


class Room(Struct):
    """The memory that files take.

    Attributes:
        characters: length of the texts whose trees are kept, and a share of that of others, which take less memory.
    """

    characters: int = 0


class Statements:
    """The statements at the top of a file.

    Attributes:
        others: those that are neither class nor function; those in conditions and the like are among them.
        characters: what they count for in the room that files take.

    Args:
        text: the file's text.
        tree: its tree, where that is known.
        room: where what it takes is counted.

    Raises:
        ParseError: it does not parse, and that had to be tried.
    """

    def __init__(self, text: str, tree: ast.Module | None = None, room: Room | None = None) -> None:
        self._text = with_newlines(text)
        self._room = room or Room()
        self.characters = 0
        self._tree: ast.Module | None = None
        self._is_broken = False
        self._alone = 0
        try:
            if tree is None:
                self._take_parts(*_split(self._text))
        except (ParseError, _UnclearError):
            tree = parse(text)
        if tree is not None:
            self._take(tree)

    def _take_parts(self, rest: str, parts: list[_Part]) -> None:
        self.others = parse(rest)
        self._count(len(self._text) - sum(part.spared for part in parts))
        self._keep(parts)

    def _take(self, tree: ast.Module) -> None:
        self._tree = tree
        self.others = ast.Module([one for one in tree.body if not isinstance(one, DEFINITIONS)], [])
        self._count(len(self._text))
        nodes = [node for node in tree.body if isinstance(node, DEFINITIONS)]
        self._keep([_Part(one.name, 0, len(self._text), first_row(one), last_row(one) + 1, one) for one in nodes])

    def _count(self, characters: int) -> None:
        self._room.characters += characters - self.characters
        self.characters = characters

    def _keep(self, parts: list[_Part]) -> None:
        self._parts = parts
        self._ends = [part.end for part in parts]
        self._by_name: dict[str, list[_Part]] = {}
        for part in parts:
            self._by_name.setdefault(part.name, []).append(part)

    @property
    def names(self) -> Collection[str]:
        """The names of the classes and functions."""
        return self._by_name.keys()

    def defining(self, name: str) -> list[Definition]:
        """The classes and functions of a name, in order; what does not parse is left out."""
        return self._trees(lambda: self._by_name.get(name, []))

    def with_text(self, pattern: re.Pattern[str]) -> list[Definition]:
        """The classes and functions in whose text something is found, and others where the whole file is parsed."""
        return self._trees(lambda: [one for one in self._parts if pattern.search(self._text, one.start, one.stop)])

    def around(self, rows: list[int]) -> list[ast.stmt]:
        """The statements that hold one of some rows, in order."""
        found: list[ast.stmt] = [*self._trees(lambda: self._parts_around(rows))]
        others = self.others.body
        for row in rows:
            index = bisect_right(others, row, key=first_row) - 1
            while index >= 0 and last_row(others[index]) >= row:
                found.append(others[index])
                index -= 1
        return sorted(dict.fromkeys(found), key=_place)

    def _parts_around(self, rows: list[int]) -> list[_Part]:
        places = ((bisect_right(self._ends, row), row) for row in rows)
        held = dict.fromkeys(at for at, row in places if at < len(self._parts) and self._parts[at].row <= row)
        return [self._parts[at] for at in held]

    def complete(self) -> ast.Module:
        """The tree of the whole file.

        Raises:
            ParseError: it does not parse.
        """
        if self._tree is None:
            self._parse_rest()
        if self._tree is None:
            self._tree = self._known()
            self._count(len(self._text))
        return self._tree

    def readable(self) -> ast.Module:
        """The tree of the whole file, or of as much of it as parses."""
        try:
            return self.complete()
        except ParseError:
            for part in self._parts if not self._is_broken else ():
                self._parse_alone(part)
            self._is_broken = True
            return self._known()

    def _known(self) -> ast.Module:
        nodes = [part.node for part in self._parts if part.node is not None]
        return ast.Module(sorted([*self.others.body, *nodes], key=_place), [])

    def _trees(self, select: Callable[[], list[_Part]]) -> list[Definition]:
        """The trees of some parts, which are selected anew where others are found to be the parts of the file."""
        for part in select():
            if part.node is None and not self._is_broken:
                self._parse(part)
        return [part.node for part in select() if part.node is not None]

    def _parse(self, part: _Part) -> None:
        self._alone += 1
        if self._alone > _MOST_ALONE or not self._parse_alone(part):
            self.readable()

    def _parse_alone(self, part: _Part) -> bool:
        """Whether the text of a part is one class or function, which it has for a tree then."""
        if part.node is not None:
            return True
        try:
            found = parse("\n" * (part.row - 1) + self._text[part.start : part.stop])
            part.node = _only(found.body)
        except (ParseError, _UnclearError):
            return False
        self._count(self.characters + part.spared)
        return True

    def _parse_rest(self) -> None:
        """Parse what is left at once, behind empty rows where the other statements stand.

        Raises:
            ParseError: the file does not parse.
        """
        missing = [part for part in self._parts if part.node is None]
        rows, text = 1, []
        for part in missing:
            text += ["\n" * (part.row - rows), self._text[part.start : part.stop]]
            rows = part.end
        try:
            nodes = [_only([node]) for node in parse("".join(text)).body]
        except (ParseError, _UnclearError):
            nodes = []
        if len(nodes) != len(missing):
            self._take(parse(self._text))
            return
        for part, node in zip(missing, nodes, strict=True):
            part.node = node


def by_parts(text: str, room: Room) -> tuple[str, Statements]:
    """The text of a file and its statements.

    Args:
        text: the text.
        room: where what it takes is counted.

    Raises:
        ParseError: it does not parse, and that had to be tried.
    """
    return text, Statements(text, room=room)


def first_row(node: ast.stmt | ast.expr) -> int:
    """The row in which a statement begins, that of its first decorator where it has some."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(one.lineno for one in (node, *decorators))


def last_row(node: ast.stmt | ast.expr) -> int:
    """The row in which a statement or expression ends."""
    return node.end_lineno or node.lineno


def _place(node: ast.stmt) -> tuple[int, int]:
    return first_row(node), node.col_offset


def _split(text: str) -> tuple[str, list[_Part]]:
    """The text of a file with empty rows where its classes and functions stand, and these.

    Raises:
        _UnclearError: it has what no row begins with as a rule.
    """
    if "\f" in text:
        raise _UnclearError
    starts = [found.start() for found in _ROW_OR_TEXT.finditer(f"\n{text}") if found[0] == "\n"]
    starts.append(len(text))
    rest, parts = [], []
    done, row, index = 0, 1, 0
    while index < len(starts) - 1:
        head = index
        while head < len(starts) - 1 and text[starts[head]] == "@":
            head += 1
        named = _DEFINITION.match(text, starts[head])
        if named is None:
            index += 1
            continue
        start, stop = starts[index], starts[head + 1]
        first = row + text.count("\n", done, start)
        row = first + text.count("\n", start, stop)
        parts.append(_Part(named[1], start, stop, first, row + (text[stop - 1] != "\n")))
        rest += [text[done:start], "\n" * (row - first)]
        done, index = stop, head + 1
    return "".join([*rest, text[done:]]), parts


def _only(body: list[ast.stmt]) -> Definition:
    """The one class or function that a text holds.

    Raises:
        _UnclearError: it holds something else.
    """
    match body:
        case [ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() as node]:
            return node
    raise _UnclearError
