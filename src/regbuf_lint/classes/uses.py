"""Every use of a class's attributes in its methods, in whatever order they run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import ClassDefinition, receiver_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import FunctionNode

MOVERS = frozenset({"_apply", "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "xpu"})


@dataclass(slots=True, eq=False)
class AttributeUses:
    """How methods use the attributes of ``self``; each entry maps an attribute to names of methods.

    Attributes:
        stored: assigned, annotated, deleted or changed by an augmented assignment.
        deleted: ``del self.x``.
        mutated: changed in place (``self.x[0] = ...``, ``self.x.copy_(...)``, ``self.x += ...``).
        guarded: asked for existence or None (``hasattr``, ``getattr`` with a default, ``is None``).
        read: read in any way.
        dynamic: methods that reach attributes by names not known here (``vars(self)``, ``setattr`` with a variable).
    """

    stored: dict[str, set[str]] = field(default_factory=dict)
    deleted: dict[str, set[str]] = field(default_factory=dict)
    mutated: dict[str, set[str]] = field(default_factory=dict)
    guarded: dict[str, set[str]] = field(default_factory=dict)
    read: dict[str, set[str]] = field(default_factory=dict)
    dynamic: set[str] = field(default_factory=set)

    def touches(self, attribute: str) -> bool:
        """Whether the attribute is assigned or changed, or might be, since names are used that are not known here."""
        return bool(attribute in self.stored or attribute in self.mutated or self.dynamic)


def uses_of(definition: ClassDefinition, only: frozenset[str] | None = None) -> AttributeUses:
    """Collect the uses of a class's attributes in its own body, or in the methods named by ``only``."""
    uses = AttributeUses()
    functions = (*definition.methods.values(), *definition.properties.values(), *definition.setters.values())
    for function in functions:
        name = receiver_name(function) if only is None or function.name in only else None
        if name is not None:
            _Collector(uses, function, name).collect()
    return uses


class _Collector:
    def __init__(self, uses: AttributeUses, function: FunctionNode, receiver: str) -> None:
        self._uses = uses
        self._method = function.name
        self._function = function
        self._receiver = receiver

    def collect(self) -> None:
        for node in ast.walk(self._function):
            kind = type(node)
            if kind is ast.Attribute:
                self._attribute(node)  # type: ignore[arg-type]
            elif kind is ast.Call:
                self._call(node)  # type: ignore[arg-type]
            elif kind is ast.Subscript:
                self._subscript(node)  # type: ignore[arg-type]
            elif kind is ast.AugAssign:
                self._augmented(node)  # type: ignore[arg-type]
            elif kind is ast.Compare:
                self._compare(node)  # type: ignore[arg-type]

    def _add(self, table: dict[str, set[str]], attribute: str) -> None:
        table.setdefault(attribute, set()).add(self._method)

    def _own(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self._receiver:
            return node.attr
        return None

    def _attribute(self, node: ast.Attribute) -> None:
        attribute = self._own(node)
        if attribute is None:
            return
        if attribute == "__dict__":
            self._uses.dynamic.add(self._method)
        if isinstance(node.ctx, ast.Load):
            self._add(self._uses.read, attribute)
            return
        self._add(self._uses.stored, attribute)
        if isinstance(node.ctx, ast.Del):
            self._add(self._uses.deleted, attribute)

    def _subscript(self, node: ast.Subscript) -> None:
        attribute = self._own(node.value)
        if attribute is not None and not isinstance(node.ctx, ast.Load):
            self._add(self._uses.mutated, attribute)

    def _augmented(self, node: ast.AugAssign) -> None:
        attribute = self._own(node.target)
        if attribute is not None:
            self._add(self._uses.mutated, attribute)

    def _compare(self, node: ast.Compare) -> None:
        attribute = self._own(node.left)
        is_none = any(isinstance(one, ast.Constant) and one.value is None for one in node.comparators)
        if attribute is not None and is_none:
            self._add(self._uses.guarded, attribute)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            for attribute in self._rooted(function.value):
                if function.attr.endswith("_") and not function.attr.endswith("__"):
                    self._add(self._uses.mutated, attribute)
        elif isinstance(function, ast.Name):
            self._builtin(function.id, node.args)

    def _rooted(self, node: ast.expr) -> Iterator[str]:
        """The attribute at the root of ``self.x``, ``self.x[...]``, ``self.x.data``."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            attribute = self._own(node)
            if attribute is not None:
                yield attribute
                return
            node = node.value

    def _builtin(self, name: str, arguments: list[ast.expr]) -> None:
        on_self = bool(arguments) and isinstance(arguments[0], ast.Name) and arguments[0].id == self._receiver
        if not on_self:
            return
        known = arguments[1].value if len(arguments) > 1 and isinstance(arguments[1], ast.Constant) else None
        if name == "vars" or (name in {"setattr", "delattr"} and not isinstance(known, str)):
            self._uses.dynamic.add(self._method)
        elif isinstance(known, str):
            self._named(name, known)

    def _named(self, function: str, attribute: str) -> None:
        if function in {"hasattr", "getattr"}:
            self._add(self._uses.guarded, attribute)
            self._add(self._uses.read, attribute)
        elif function in {"setattr", "delattr"}:
            self._add(self._uses.stored, attribute)
            if function == "delattr":
                self._add(self._uses.deleted, attribute)
