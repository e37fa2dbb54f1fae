"""What a name can stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import ast

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the files that can be read: its dotted name, as imported."""

    name: str


@dataclass(frozen=True, slots=True)
class FileSymbol:
    """A file of the project or of an installed package."""

    file: FileFacts


@dataclass(frozen=True, slots=True)
class ClassSymbol:
    """A class whose source is at hand."""

    scope: Scope

    @property
    def name(self) -> str:
        """Dotted name, import name of the file included."""
        return f"{self.scope.file.name}.{self.scope.qualname}"


def own_name(symbol: ClassSymbol) -> str:
    """The name of a class without those of what it stands in."""
    return symbol.scope.qualname.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class FunctionSymbol:
    """A function whose source is at hand."""

    scope: Scope

    @property
    def name(self) -> str:
        """Dotted name, import name of the file included."""
        return f"{self.scope.file.name}.{self.scope.qualname}"


@dataclass(frozen=True, slots=True)
class ValueSymbol:
    """A name that an assignment binds; ``path`` leads into the unpacked value."""

    name: str
    scope: Scope
    value: ast.expr
    path: tuple[int, ...]
    annotation: ast.expr | None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that nothing explains."""

    name: str


Symbol: TypeAlias = External | FileSymbol | ClassSymbol | FunctionSymbol | ValueSymbol | Unresolved
