"""Functions and classes of a program, and which of them are its own affair."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rewrites.bindings import imported
from rewrites.protocol import BY_CONVENTION, OF_MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from programs import Program

Function = ast.FunctionDef | ast.AsyncFunctionDef
_CALLED_BY_PROGRAMS = frozenset({"__init__", "__call__", "forward"})
_BASES_OF_ALL = ("object", "abc.ABC", "typing.Generic", "typing.Protocol")
_MODULE = "torch.nn.Module"
_MODULES = ("torch.nn.", "torch.nn.modules.")


@dataclass
class Definitions:
    """What a program defines.

    Attributes:
        functions: functions and methods outside of functions, each with the name of its class.
        bases: the dotted names of the bases of each class, by its name.
    """

    functions: list[tuple[str | None, Function]] = field(default_factory=list)
    bases: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program) -> Definitions:
        """Those of all files."""
        found = cls()
        for file in program.files.values():
            found._collect(file.tree.body, None, imported(file.tree))
        return found

    def _collect(self, body: list[ast.stmt], owner: str | None, names: dict[str, str]) -> None:
        for node in body:
            if isinstance(node, Function):
                self.functions.append((owner, node))
            elif isinstance(node, ast.ClassDef):
                self.bases.setdefault(node.name, set()).update(_dotted(base, names) for base in node.bases)
                self._collect(node.body, node.name, names)
            elif isinstance(node, ast.If | ast.Try):
                handlers = node.handlers if isinstance(node, ast.Try) else []
                self._collect(
                    [*node.body, *(one for part in handlers for one in part.body), *node.orelse], owner, names
                )

    def own_arguments(self, owner: str | None, function: str) -> bool:
        """Whether nothing outside of the program passes arguments to a function by their names."""
        if owner is None:
            return function not in BY_CONVENTION
        if function not in _CALLED_BY_PROGRAMS and not self._is_no_protocol(function):
            return False
        return self._derives_only(owner, (*_BASES_OF_ALL, *_MODULES))

    def own_method(self, owner: str | None, function: str) -> bool:
        """Whether nothing outside of the program knows a method by its name."""
        return (
            owner is not None
            and self._is_no_protocol(function)
            and self._derives_only(owner, (*_BASES_OF_ALL, _MODULE))
        )

    def _is_no_protocol(self, function: str) -> bool:
        return not function.startswith(("__", "test")) and function not in OF_MODULES | BY_CONVENTION

    def _derives_only(self, name: str, known: tuple[str, ...], above: frozenset[str] = frozenset()) -> bool:
        """Whether all bases are classes of the program or known ones; ``above`` are names that this was asked of."""
        asked = above | {name}
        for base in self.bases[name]:
            last = base.rpartition(".")[2]
            if base.startswith(known) or last in asked:
                continue
            if last not in self.bases or not self._derives_only(last, known, asked):
                return False
        return True

    def with_bases(self, name: str) -> Iterator[str]:
        """A class of the program and those that it derives from, each once."""
        found = [name]
        for one in found:
            bases = (base.rpartition(".")[2] for base in self.bases[one])
            found.extend(base for base in dict.fromkeys(bases) if base in self.bases and base not in found)
        yield from found


def _dotted(base: ast.expr, names: dict[str, str]) -> str:
    """The dotted name of a base, by what the file imports."""
    text = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
    first, dot, rest = text.partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def parameters(function: Function) -> list[str]:
    """The names of all parameters, that of the object included."""
    return [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]


def own_parameters(owner: str | None, function: Function) -> list[str]:
    """The names of the parameters, without that of the object."""
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    every = parameters(function)
    return every if owner is None or is_static else every[1:]
