"""Who binds which name, per file, function and class; collected once per scope and only when asked for."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct

from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.statements import Definition

Fact = TypeVar("Fact")

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
"""What a ``FunctionNode`` is, for ``isinstance``."""
ScopeNode: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_GLOBAL = re.compile(r"(?:^|[:;\r])[^\S\r\n]*global\b", re.MULTILINE)
"""Where a ``global`` statement may begin; comments speak of global things far more often."""


class ImportBinding(Struct, frozen=True, eq=False):
    """``import origin`` or, with ``member``, ``from origin import member``; ``origin`` is absolute."""

    origin: str
    member: str | None


class ClassBinding(Struct, frozen=True, eq=False):
    """A ``class`` statement."""

    node: ast.ClassDef


class FunctionBinding(Struct, frozen=True, eq=False):
    """A ``def`` statement."""

    node: FunctionNode


class AssignBinding(Struct, frozen=True, eq=False):
    """``target = value``; ``path`` leads into an unpacked value, index by index."""

    value: ast.expr
    path: tuple[int, ...] = ()
    annotation: ast.expr | None = None


class OpaqueBinding(Struct, frozen=True, eq=False):
    """Bound in a way that says nothing about the value.

    A loop variable, ``with ... as``, an augmented assignment, or what a function does with a ``global`` name.
    """

    node: ast.AST


Binding: TypeAlias = ImportBinding | ClassBinding | FunctionBinding | AssignBinding | OpaqueBinding
_STAR = "*"
"""What stands for all names that a package offers."""


class Bindings:
    """What binds the names of a scope.

    Attributes:
        written: name to everything that binds it, in the order of the file.
    """

    def __init__(self, written: dict[str, list[Binding]]) -> None:
        self.written = written

    def __contains__(self, name: str) -> bool:
        return name in self.written

    @property
    def names(self) -> frozenset[str]:
        """The names that the scope binds."""
        return frozenset(self.written)

    def of(self, name: str) -> list[Binding]:
        """Everything that binds a name, in the order of the file; nothing where the scope does not have it."""
        return self.written.get(name, [])


class _BindingsOfFile(Bindings):
    """What binds the names of a file, of which classes and functions are parsed when their names are asked for."""

    def __init__(self, written: dict[str, list[Binding]], scope: Scope) -> None:
        super().__init__(written)
        self._scope = scope
        self._statements = scope.file.statements
        self._known: dict[str, list[Binding]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.written or bool(self.of(name))

    @property
    def names(self) -> frozenset[str]:
        return super().names.union(self._statements.names)

    def of(self, name: str) -> list[Binding]:
        if name not in self._statements.names:
            return self.written.get(name, [])
        if name not in self._known:
            self._known[name] = self._with_definitions(name, self._statements.defining(name))
        return self._known[name]

    def _with_definitions(self, name: str, found: list[Definition]) -> list[Binding]:
        others = self._statements.others.body if name in self.written else []
        ordered = sorted([*found, *others], key=lambda one: one.lineno)
        several = [binding for bound, binding in self._scope.collected(ordered) if bound == name]
        several += [one for one in self.written.get(name, ()) if isinstance(getattr(one, "node", None), ast.Global)]
        return several


class Scope:
    """The names that one file, class or function binds.

    Attributes:
        node: the tree of the scope; of a file, that of its statements other than classes and functions.
        file: the file that it stands in.
        parent: the scope around it, None for a file.
        qualname: dotted name within the file, with ``<locals>`` left out; empty for a file.
    """

    def __init__(self, node: ScopeNode, file: FileFacts, parent: Scope | None, qualname: str) -> None:
        self.node = node
        self.file = file
        self.parent = parent
        self.qualname = qualname
        self._told: dict[Callable[[Scope], Any], Any] = {}

    def told(self, find: Callable[[Scope], Fact]) -> Fact:
        """What the scope alone tells, found once for as long as its file is kept.

        Args:
            find: finds it; a function at the top of a file, or a class.
        """
        found: Fact | None = self._told.get(find)
        if found is None:
            found = self._told[find] = find(self)
        return found

    @cached_property
    def bindings(self) -> Bindings:
        """What binds the names of the scope."""
        if isinstance(self.node, ast.Lambda):
            return Bindings({})
        found: dict[str, list[Binding]] = {}
        for name, binding in (*self.collected(self.node.body), *self._set_by_functions()):
            found.setdefault(name, []).append(binding)
        return Bindings(found) if self.parent is not None else _BindingsOfFile(found, self)

    @property
    def imports(self) -> Iterator[tuple[str, ImportBinding]]:
        """What the scope imports, by the names that it gets here: ``*`` for all of them."""
        every = ((name, one) for name, several in self.bindings.written.items() for one in several)
        return ((name, one) for name, one in every if isinstance(one, ImportBinding))

    @cached_property
    def star_imports(self) -> tuple[str, ...]:
        """The dotted names of what the scope imports all names from, in the order of the file."""
        return tuple(one.origin for name, one in self.imports if name == _STAR)

    @property
    def around_lambdas(self) -> Scope:
        """The scope itself; that of a lambda is the one in which it is written."""
        scope = self
        while isinstance(scope.node, ast.Lambda) and scope.parent is not None:
            scope = scope.parent
        return scope

    @cached_property
    def statement(self) -> ast.stmt | ast.expr:
        """The class or function itself; the innermost statement around a lambda."""
        node = self.node
        assert not isinstance(node, ast.Module)  # noqa: S101  (asked of what stands in a file only)
        if not isinstance(node, ast.Lambda) or self.parent is None:
            return node
        start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        around: ast.stmt | ast.expr = node
        for one in ast.walk(self.parent.node):  # from the outside in
            if isinstance(one, ast.stmt) and (one.lineno, one.col_offset) <= start:
                around = one if end <= (one.end_lineno or 0, one.end_col_offset or 0) else around
        return around

    def child(self, node: ScopeNode) -> Scope:
        """The scope of a class or function whose statement stands directly in this one."""
        return self.file.scope_of(node, self)

    def collected(self, body: list[ast.stmt]) -> Iterator[tuple[str, Binding]]:
        """The names that some statements of the scope bind, in order."""
        for statement in body:
            kind = type(statement)
            if kind in _SILENT:
                continue
            if isinstance(statement, ast.ClassDef):
                yield statement.name, ClassBinding(statement)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield statement.name, FunctionBinding(statement)
            elif isinstance(statement, ast.Import):
                yield from _imports(statement)
            elif isinstance(statement, ast.ImportFrom):
                yield from self._from_imports(statement)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                yield from _assignments(statement)
            else:
                yield from self._compound(statement)

    def _set_by_functions(self) -> Iterator[tuple[str, Binding]]:
        """Names of the file that its functions bind anew (``global x``)."""
        text = self.file.source.text
        if self.parent is not None or "global" not in text or not _GLOBAL.search(text):
            return
        for statement in (self.node, *self.file.statements.with_text(_GLOBAL)):
            for node in walk(statement):
                if isinstance(node, ast.Global):
                    yield from ((name, OpaqueBinding(node)) for name in node.names)

    def _from_imports(self, statement: ast.ImportFrom) -> Iterator[tuple[str, Binding]]:
        origin = self.file.absolute(statement.module or "", statement.level)
        for alias in statement.names:
            yield alias.asname or alias.name, ImportBinding(origin, alias.name)

    def _compound(self, statement: ast.stmt) -> Iterator[tuple[str, Binding]]:
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            yield from ((name, OpaqueBinding(statement)) for name in _names(statement.target))
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                if item.optional_vars is not None:
                    yield from ((name, OpaqueBinding(statement)) for name in _names(item.optional_vars))
        if isinstance(statement, ast.If) and is_type_checking(statement.test):
            yield from self._type_checking(statement)
            return
        for block in nested_blocks(statement):
            yield from self.collected(block)

    def _type_checking(self, statement: ast.If) -> Iterator[tuple[str, Binding]]:
        """Names that type checkers see count where no other branch binds them, as annotations may use them."""
        unseen = list(self.collected(statement.body))
        seen = list(self.collected(statement.orelse))
        # Lazy packages list everything they have there, and following it would read all of it.
        names = {_STAR, *(name for name, _ in seen)}
        yield from (found for found in unseen if found[0] not in names)
        yield from seen


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is ``TYPE_CHECKING``, so that its branch never runs."""
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


_SILENT = frozenset({ast.Expr, ast.Pass, ast.Return, ast.Raise, ast.Assert, ast.Delete, ast.Break, ast.Continue})


def nested_blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement that belong to the same scope: branches, loop bodies, handlers, cases."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


def _imports(statement: ast.Import) -> Iterator[tuple[str, Binding]]:
    for alias in statement.names:
        if alias.asname:
            yield alias.asname, ImportBinding(alias.name, None)
        else:
            top = alias.name.partition(".")[0]
            yield top, ImportBinding(top, None)


def _assignments(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> Iterator[tuple[str, Binding]]:
    if isinstance(statement, ast.AugAssign):
        yield from ((name, OpaqueBinding(statement)) for name in _names(statement.target))
    elif isinstance(statement, ast.AnnAssign):
        if isinstance(statement.target, ast.Name) and statement.value is not None:
            yield statement.target.id, AssignBinding(statement.value, (), statement.annotation)
    else:
        for target in statement.targets:
            yield from _unpack(target, statement.value, ())


_IMPORTING = frozenset({"import_module", "importorskip"})
"""Functions of importlib and of pytest that give the module of a dotted name."""


def _imported(value: ast.expr) -> str | None:
    """What a call imports, by its absolute dotted name, as ``pytest.importorskip("torch")`` does; None otherwise."""
    match value:
        case ast.Call(
            func=ast.Attribute(attr=function) | ast.Name(id=function),
            args=[ast.Constant(value=str(name)), *_],
        ) if function in _IMPORTING and not name.startswith("."):
            return name
    return None


def _unpack(target: ast.expr, value: ast.expr, path: tuple[int, ...]) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        imported = None if path else _imported(value)
        yield target.id, AssignBinding(value, path) if imported is None else ImportBinding(imported, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        if any(isinstance(item, ast.Starred) for item in target.elts):
            yield from ((name, OpaqueBinding(target)) for name in _names(target))
            return
        for index, item in enumerate(target.elts):
            yield from _unpack(item, value, (*path, index))


def _names(target: ast.expr) -> Iterator[str]:
    """The names that a target binds; ``x[torch.argmin(y)] += 1`` reads all of its own."""
    named = (node for node in ast.walk(target) if isinstance(node, ast.Name))
    return (node.id for node in named if isinstance(node.ctx, ast.Store))


def is_parameter(scope: Scope, name: str) -> bool:
    """Whether a name is a parameter of the function whose scope this is."""
    if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    arguments = scope.node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return any(argument is not None and argument.arg == name for argument in every)
