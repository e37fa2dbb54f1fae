"""What a name can stand for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    import ast

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope


class External(Struct, frozen=True):
    """Something outside the files that can be read: its dotted name, as imported."""

    name: str


class FileSymbol(Struct, frozen=True):
    """A file of the project or of an installed package."""

    file: FileFacts


class ClassSymbol(Struct, frozen=True):
    """A class whose source is at hand."""

    scope: Scope

    @property
    def name(self) -> str:
        """Dotted name, import name of the file included."""
        return f"{self.scope.file.name}.{self.scope.qualname}"


def own_name(symbol: ClassSymbol) -> str:
    """The name of a class without those of what it stands in."""
    return symbol.scope.qualname.rpartition(".")[2]


class FunctionSymbol(Struct, frozen=True):
    """A function whose source is at hand."""

    scope: Scope

    @property
    def name(self) -> str:
        """Dotted name, import name of the file included."""
        return f"{self.scope.file.name}.{self.scope.qualname}"


class ValueSymbol(Struct, frozen=True):
    """A name that an assignment binds; ``path`` leads into the unpacked value."""

    name: str
    scope: Scope
    value: ast.expr
    path: tuple[int, ...]
    annotation: ast.expr | None


class Unresolved(Struct, frozen=True):
    """A name that nothing explains."""

    name: str


Symbol: TypeAlias = External | FileSymbol | ClassSymbol | FunctionSymbol | ValueSymbol | Unresolved


@cache
def is_builtin(name: str) -> bool:
    """Whether a name stands for one of Python's own functions, classes or constants where nothing else binds it."""
    import builtins  # noqa: PLC0415  (read only when a name is found nowhere else)

    return hasattr(builtins, name)


def is_missing(symbol: Symbol, origin: str, name: str) -> bool:
    """Whether looking up a name in a file gave nothing: what the file itself imports from elsewhere is something.

    Args:
        symbol: what was found.
        origin: dotted name of the file.
        name: the name.
    """
    return isinstance(symbol, Unresolved) or symbol == External(f"{origin}.{name}")
