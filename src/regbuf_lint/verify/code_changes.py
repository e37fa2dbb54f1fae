"""What a fix changes in the text of files: functions, classes, and the statements outside of them; nothing is run."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.verify.lost_comments import lost_comments
from regbuf_lint.verify.model import FIXED, ORIGINAL
from regbuf_lint.verify.statements import Statement, statements, text_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    _Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_NO_TENSORS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr)
_NUMBERS = frozenset({"bool", "float", "int", "len", "list", "range", "str", "tuple"})
"""Builtins that give no tensor."""
_LIBRARIES = frozenset({"torch", "typing", "typing_extensions"})
"""What annotations, and buffers themselves, are imported from."""
_ACCESSORS = frozenset({"setter", "deleter"})
_NO_HEAD = frozenset({"name", "body", "type_comment", "type_ignores"})
_FILE = "the file"


@dataclass(frozen=True, slots=True)
class Function:
    """A function that does something else, or that relies on attributes being plain.

    Attributes:
        name: its name alone.
        names: the attributes of its object on which it so relies.
        lines: where it begins before and after, by side.
        of_others: the attributes of other objects on which it so relies.
    """

    name: str
    names: frozenset[str]
    lines: dict[str, int]
    of_others: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Added:
    """A function or class that only the fixed version has.

    Attributes:
        name: its name alone.
        is_function: whether it is a function.
        is_inner: whether it stands in another function, where nobody else can name it.
        decorators: its decorators, as text.
        arguments: the names of its arguments.
        body: its statements.
    """

    name: str
    is_function: bool
    is_inner: bool
    decorators: tuple[str, ...]
    arguments: frozenset[str]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CodeChanges:
    """What became of the code of some files; each place is ``FILE::NAME``.

    Attributes:
        removed: functions, classes and imports that are gone.
        lost: comments and docstrings that are gone, in words.
        added: functions and classes that are new.
        imported: imports that are new, but for those from torch, from what has types, and from what is imported anyway.
        changed: functions that do something else.
        storing: other functions that assign what is no tensor, or read attributes past ``nn.Module``.
        headed: functions and classes with other decorators, arguments, defaults, annotations or bases.
        stated: functions, classes and files of which statements are changed, with those of both versions.
    """

    removed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    added: dict[str, Added] = field(default_factory=dict)
    imported: tuple[str, ...] = ()
    changed: dict[str, Function] = field(default_factory=dict)
    storing: dict[str, Function] = field(default_factory=dict)
    headed: tuple[str, ...] = ()
    stated: dict[str, tuple[tuple[Statement, ...], tuple[Statement, ...]]] = field(default_factory=dict)

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
    lost: list[str] = []
    added: dict[str, Added] = {}
    imported: list[str] = []
    changed: dict[str, Function] = {}
    storing: dict[str, Function] = {}
    headed: list[str] = []
    stated: dict[str, tuple[tuple[Statement, ...], tuple[Statement, ...]]] = {}
    for before, after in replaced:
        (text, old), (new_text, new) = _read(before), _read(after)
        if not new:  # it does not parse, which building it will tell
            continue
        lost += [f"{before}::{what}" for what in lost_comments(text, new_text)]
        removed += [f"{before}::{name}" for name in old.keys() - new.keys()]
        removed += [f"{before}::{name}" for part in old.keys() & new.keys() for name in old[part].lost(new[part])]
        added |= {f"{before}::{name}": new[name].added for name in new.keys() - old.keys()}
        known = _LIBRARIES | {root for part in old.values() for root in part.imports.values()}
        both = sorted(old.keys() & new.keys())
        imported += [f"{before}::{one}" for name in both for one in new[name].gained(old[name], known)]
        for name in both:
            place, was, now = f"{before}::{name}", old[name], new[name]
            if was.is_documented and not now.is_documented:
                lost.append(f"{before}::the docstring of {name}")
            if was.head != now.head:
                headed.append(place)
            lines = {ORIGINAL: was.line, FIXED: now.line}
            if was.text == now.text:
                own, of_others = now.relies_on
                storing |= {place: Function(now.name, own, lines, of_others)} if own | of_others else {}
                continue
            stated[place] = (was.body, now.body)
            if now.is_function:
                changed[place] = Function(now.name, frozenset(), lines)
    return CodeChanges(
        tuple(sorted(removed)), tuple(lost), added, tuple(imported), changed, storing, tuple(headed), stated
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A file, class or function without the functions and classes in it.

    Attributes:
        name: its name alone; empty for a file.
        is_function: whether it is a function.
        is_inner: whether it stands in a function.
        is_documented: whether it has a docstring.
        line: where it begins.
        decorators: its decorators, as text.
        arguments: the names of its arguments.
        head: what stands before its body, as text.
        body: its statements; of a file or class without docstring and imports.
        text: what is equal for equal bodies.
        imports: what is imported in a file or class, each with the library.
        relies_on: the attributes of its object, and those of others, that a function takes for plain ones.
    """

    name: str
    is_function: bool
    is_inner: bool
    is_documented: bool
    line: int
    decorators: tuple[str, ...]
    arguments: frozenset[str]
    head: str
    body: tuple[Statement, ...]
    text: tuple[str, ...]
    imports: dict[str, str]
    relies_on: tuple[frozenset[str], frozenset[str]]

    @property
    def added(self) -> Added:
        """What is told of it where the original has none."""
        return Added(self.name, self.is_function, self.is_inner, self.decorators, self.arguments, self.body)

    def lost(self, other: _Part) -> list[str]:
        """Return the imports that another version lacks."""
        return sorted(self.imports.keys() - other.imports.keys())

    def gained(self, other: _Part, known: Container[str]) -> list[str]:
        """Return the imports that another version lacks, but for those from libraries that are known."""
        return [one for one in sorted(self.imports.keys() - other.imports.keys()) if self.imports[one] not in known]


def _read(file: str) -> tuple[str, dict[str, _Part]]:
    """Return the text of a file and its parts; nothing where it cannot be parsed."""
    try:
        text = decode_source(Path(file).read_bytes())
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return "", {}
    return text, _parts(tree)


def _parts(tree: ast.Module) -> dict[str, _Part]:
    """Return the parts of a file by dotted name, which is the last one's of several; a setter is ``NAME.setter``."""
    found: dict[str, _Part] = {}
    waiting: list[tuple[str, ast.Module | _Definition, ast.AST]] = [(_FILE, tree, tree)]
    for place, node, around in waiting:  # which grows meanwhile
        found[place], inner = _part(node, around)
        prefix = f"{place}." if node is not tree else ""
        later = Counter(map(_name, inner))
        for one in inner:
            own = _name(one)
            later[own] -= 1
            name = f"{prefix}{own} ({later[own]} before the last)" if later[own] else prefix + own
            waiting.append((name, one, node))
    return found


def _part(node: ast.Module | _Definition, around: ast.AST) -> tuple[_Part, list[_Definition]]:
    """Return a part that stands in another, with the functions and classes in it."""
    is_function = isinstance(node, _FUNCTIONS)
    inner = _Inner(keeps_all=is_function)
    stated = node.body if is_function or ast.get_docstring(node) is None else node.body[1:]
    body = [one for one in map(inner.visit, stated) if one is not None]
    is_method = isinstance(around, ast.ClassDef)
    own = next((one.arg for one in node.args.args), "") if is_method and isinstance(node, _FUNCTIONS) else ""
    decorators = [] if isinstance(node, ast.Module) else node.decorator_list
    part = _Part(
        name="" if isinstance(node, ast.Module) else node.name,
        is_function=is_function,
        is_inner=isinstance(around, _FUNCTIONS),
        is_documented=bool(ast.get_docstring(node, clean=False)),
        line=min([getattr(node, "lineno", 1), *(one.lineno for one in decorators)]),
        decorators=tuple(map(ast.unparse, decorators)),
        arguments=frozenset(one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg))
        if isinstance(node, _FUNCTIONS)
        else frozenset(),
        head=_head(node),
        body=statements(body, in_function=is_function),
        text=tuple(map(text_of, body)),
        imports=inner.imports,
        relies_on=_relied_on(body if is_function else (), own),
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
    return " ".join(f"{name}={text_of(one)}" for name, one in flat if one is not None)


class _Inner(ast.NodeTransformer):
    """Takes functions, classes and imports out of statements; of a function all stay in their places, by name."""

    def __init__(self, *, keeps_all: bool) -> None:
        self._keeps_all = keeps_all
        self.definitions: list[_Definition] = []
        self.imports: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST | None:
        """Return what is left of a node."""
        if isinstance(node, _DEFINITIONS):
            self.definitions.append(node)
            return ast.Expr(ast.Constant(node.name)) if self._keeps_all else None
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not self._keeps_all:
            module = "." * getattr(node, "level", 0) + (getattr(node, "module", None) or "")
            for one in node.names:
                name = f"{module}.{one.name}" if module else one.name
                self.imports[f"the import of {name}"] = name.partition(".")[0]
            return None
        return node if isinstance(node, ast.expr) else self.generic_visit(node)


def _relied_on(body: Iterable[ast.AST], own: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the plain attributes of a method's own object, and those of others, that statements rely on."""
    found: tuple[set[str], set[str]] = (set(), set())
    for part in (part for node in body for part in ast.walk(node)):
        for owner, name in (*_stored(part), *_in_dict(part)):
            is_own = isinstance(owner, ast.Name) and owner.id == own
            found[not is_own].add(name)
    return frozenset(found[0]), frozenset(found[1])


def _stored(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield owners and attributes to which a statement gives what no buffer takes."""
    match node:
        case ast.Assign(targets=targets, value=value):
            found = [(target.value, target.attr) for target in targets if isinstance(target, ast.Attribute)]
        case ast.AnnAssign(target=ast.Attribute(value=owner, attr=name), value=ast.expr() as value):
            found = [(owner, name)]
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]):
            found = [(owner, name)]
        case _:
            return
    if _is_no_tensor(value):
        yield from found


def _is_no_tensor(value: ast.expr) -> bool:
    """Whether an expression gives a number, a text or a container; None is what a buffer takes."""
    match value:
        case ast.Constant():
            return value.value is not None
        case ast.UnaryOp(operand=operand):
            return _is_no_tensor(operand)
        case ast.BinOp(left=left, right=right):
            return _is_no_tensor(left) and _is_no_tensor(right)
        case ast.Call(func=ast.Name(id=name)):
            return name in _NUMBERS
    return isinstance(value, _NO_TENSORS)


def _in_dict(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield owner and attribute where an expression reads ``vars(owner)["attribute"]``, or takes it out."""
    match node:
        case ast.Subscript(value=held, slice=ast.Constant(value=str(name)), ctx=ast.Load() | ast.Del()):
            pass
        case ast.Call(func=ast.Attribute(value=held, attr="get" | "pop"), args=[ast.Constant(value=str(name)), *_]):
            pass
        case _:
            return
    match held:
        case ast.Attribute(value=owner, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[owner]):
            yield owner, name
