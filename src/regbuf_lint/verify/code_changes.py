"""What a fix changes in the text of files: functions, classes, and the statements outside of them; nothing is run."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.verify.model import FIXED, ORIGINAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    _Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_NO_TENSORS = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr)
_ACCESSORS = frozenset({"setter", "deleter"})
_NO_HEAD = frozenset({"name", "body", "type_comment", "type_ignores"})
_FILE = "the file"


@dataclass(frozen=True, slots=True)
class Function:
    """A function that does something else, or that assigns what is no tensor.

    Attributes:
        name: its name alone.
        names: the names and texts in either version, or the attributes that it so assigns.
        lines: where it begins before and after, by side.
    """

    name: str
    names: frozenset[str]
    lines: dict[str, int]


@dataclass(frozen=True, slots=True)
class CodeChanges:
    """What became of the code of some files; each place is ``FILE::NAME``.

    Attributes:
        removed: functions, classes and imports that are gone.
        added: functions that are new, with the names and texts in them.
        changed: functions that do something else.
        storing: other functions that assign what is no tensor.
        headed: functions and classes with other decorators, arguments, defaults, annotations or bases.
        stated: classes and files of which other statements than functions and classes are changed, with the names and
            texts in each.
    """

    removed: tuple[str, ...] = ()
    added: dict[str, frozenset[str]] = field(default_factory=dict)
    changed: dict[str, Function] = field(default_factory=dict)
    storing: dict[str, Function] = field(default_factory=dict)
    headed: tuple[str, ...] = ()
    stated: tuple[tuple[str, frozenset[str]], ...] = ()

    def lines(self, side: str) -> dict[str, tuple[str, int, bool]]:
        """Return of functions the name, where they begin in one version, and whether they are changed."""
        functions = {**self.storing, **self.changed}
        return {place: (one.name, one.lines[side], place in self.changed) for place, one in functions.items()}


def code_changes(replaced: Iterable[tuple[str, str]]) -> CodeChanges:
    """Compare files with those whose text stands in for theirs; a file that cannot be parsed has no code.

    Args:
        replaced: pairs of a file and of the file whose text is read instead.
    """
    removed: list[str] = []
    added: dict[str, frozenset[str]] = {}
    changed: dict[str, Function] = {}
    storing: dict[str, Function] = {}
    headed: list[str] = []
    stated: list[tuple[str, frozenset[str]]] = []
    for before, after in replaced:
        old, new = _parts(before), _parts(after)
        if not new:  # it does not parse, which building it will tell
            continue
        removed += [f"{before}::{name}" for name in old.keys() - new.keys()]
        removed += [f"{before}::{name}" for part in old.keys() & new.keys() for name in old[part].lost(new[part])]
        added |= {f"{before}::{name}": new[name].names for name in new.keys() - old.keys() if new[name].is_function}
        for name in sorted(old.keys() & new.keys()):
            place, was, now = f"{before}::{name}", old[name], new[name]
            if was.head != now.head:
                headed.append(place)
            lines = {ORIGINAL: was.line, FIXED: now.line}
            if was.body == now.body:
                storing |= {place: Function(now.name, now.stores, lines)} if now.stores else {}
            elif now.is_function:
                changed[place] = Function(now.name, was.names | now.names, lines)
            else:
                stated += [(place, names) for names in _other_statements(was, now)]
    return CodeChanges(tuple(sorted(removed)), added, changed, storing, tuple(headed), tuple(stated))


@dataclass(frozen=True, slots=True)
class _Part:
    """A file, class or function without the functions and classes in it.

    Attributes:
        name: its name alone; empty for a file.
        is_function: whether it is a function.
        line: where it begins.
        head: what stands before its body, as text.
        body: its statements, as texts, each with the names and texts in it; of a file or class without imports.
        imports: what is imported in a file or class.
        stores: the attributes to which a function assigns what is no tensor.
    """

    name: str
    is_function: bool
    line: int
    head: str
    body: tuple[tuple[str, frozenset[str]], ...]
    imports: frozenset[str]
    stores: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The names and texts in its body."""
        return frozenset().union(*(names for _, names in self.body))

    def lost(self, other: _Part) -> list[str]:
        """Return the imports that another version lacks."""
        return sorted(self.imports - other.imports)


def _other_statements(was: _Part, now: _Part) -> Iterator[frozenset[str]]:
    """Yield the names in each statement that one of two versions lacks, and none where only the order is another."""
    before, after = Counter(was.body), Counter(now.body)
    yield from (names for _, names in (before - after) + (after - before))
    common = before & after
    if [one for one in was.body if one in common] != [one for one in now.body if one in common]:
        yield frozenset()


def _parts(file: str) -> dict[str, _Part]:
    """Return the parts of a file by dotted name; a setter is ``NAME.setter``, and others of one name have numbers."""
    try:
        tree = ast.parse(decode_source(Path(file).read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, _Part] = {}
    waiting: list[tuple[str, ast.Module | _Definition]] = [(_FILE, tree)]
    for place, node in waiting:  # which grows meanwhile
        found[place], inner = _part(node)
        prefix = f"{place}." if node is not tree else ""
        times: Counter[str] = Counter()
        for one in inner:
            own = prefix + _name(one)
            times[own] += 1
            waiting.append((own if times[own] == 1 else f"{own} ({times[own]})", one))
    return found


def _part(node: ast.Module | _Definition) -> tuple[_Part, list[_Definition]]:
    """Return a part, with the functions and classes in it."""
    is_function = isinstance(node, _FUNCTIONS)
    inner = _Inner(keeps_all=is_function)
    statements = node.body if is_function or ast.get_docstring(node) is None else node.body[1:]
    body = [one for one in map(inner.visit, list(statements)) if one is not None]
    decorators = [] if isinstance(node, ast.Module) else [one.lineno for one in node.decorator_list]
    part = _Part(
        name="" if isinstance(node, ast.Module) else node.name,
        is_function=is_function,
        line=min([getattr(node, "lineno", 1), *decorators]),
        head=_head(node),
        body=tuple((_text(one), _names(one)) for one in body),
        imports=frozenset(inner.imports),
        stores=frozenset(one for node in body if is_function for one in _stored(node)),
    )
    return part, inner.definitions


def _name(node: _Definition) -> str:
    """Return the name, and of what sets or deletes a property what it does."""
    accessors = (one.attr for one in node.decorator_list if isinstance(one, ast.Attribute) and one.attr in _ACCESSORS)
    return ".".join([node.name, *accessors])


def _head(node: ast.Module | _Definition) -> str:
    """Return everything of a function or class but its name and body."""
    fields = ((name, value) for name, value in ast.iter_fields(node) if name not in _NO_HEAD)
    flat = ((name, one) for name, value in fields for one in (value if isinstance(value, list) else [value]))
    return " ".join(f"{name}={_text(one)}" for name, one in flat if one is not None)


class _Inner(ast.NodeTransformer):
    """Takes functions, classes and imports out of statements; of a function all stay in their places, by name."""

    def __init__(self, *, keeps_all: bool) -> None:
        self._keeps_all = keeps_all
        self.definitions: list[_Definition] = []
        self.imports: list[str] = []

    def visit(self, node: ast.AST) -> ast.AST | None:
        """Return what is left of a node."""
        if isinstance(node, _DEFINITIONS):
            self.definitions.append(node)
            return ast.Expr(ast.Constant(node.name)) if self._keeps_all else None
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not self._keeps_all:
            module = "." * getattr(node, "level", 0) + (getattr(node, "module", None) or "")
            self.imports += [f"the import of {f'{module}.' if module else ''}{one.name}" for one in node.names]
            return None
        return node if isinstance(node, ast.expr) else self.generic_visit(node)


def _text(node: ast.AST) -> str:
    """Return what is equal for equal trees; they may be deeper than Python's stack."""
    nodes = (f"{type(one).__name__}{[_shape(value) for _, value in ast.iter_fields(one)]}" for one in ast.walk(node))
    return "".join(nodes)


def _shape(value: object) -> object:
    if isinstance(value, list):
        return list(map(_shape, value))
    return type(value).__name__ if isinstance(value, ast.AST) else repr(value)


def _names(node: ast.AST) -> frozenset[str]:
    """Return the names and texts in a statement."""
    values = (value for one in ast.walk(node) for _, value in ast.iter_fields(one))
    return frozenset(value for value in values if isinstance(value, str))


def _stored(node: ast.AST) -> Iterator[str]:
    """Yield the attributes to which a statement assigns what no buffer takes: a number, a text, a container."""
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Assign)
            and isinstance(one.value, _NO_TENSORS)
            and getattr(one.value, "value", 0) is not None
        ):
            yield from (target.attr for target in one.targets if isinstance(target, ast.Attribute))
