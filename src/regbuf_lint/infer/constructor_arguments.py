"""Which expressions in the methods of a class are arguments of its constructor, handed on or kept as they came in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, given_expressions, is_name, receiver_name
from regbuf_lint.classes.reaching import own_attribute
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference


class ConstructorArguments:
    """The arguments of the ``__init__`` that objects of a class run, wherever methods name them.

    Attributes:
        function: that ``__init__``; None where the source at hand has none.
        kept: for each attribute that is such an argument, the argument.

    Args:
        inference: what the run shares.
        symbol: the class.
        rebound: whether a name counts, too, that is bound again.
        keywords: names that the constructor takes out of ``**kwargs``, and binds.
    """

    def __init__(
        self,
        inference: Inference,
        symbol: ClassSymbol,
        *,
        rebound: bool = False,
        keywords: frozenset[str] = frozenset(),
    ) -> None:
        self._inference = inference
        self._symbol = symbol
        self._rebound = rebound
        self._handed: dict[FunctionNode, Mapping[str, str]] = {}
        found = inference.find_method(symbol, "__init__")
        self.function = None if found is None else found[1]
        if found is not None:
            named = (one.arg for one, _ in arguments_with_defaults(found[1])[1:])
            self._follow(*found, {name: name for name in (*named, *keywords)})
        self.kept = dict(self._stores())

    def _follow(self, owner: ClassSymbol, function: FunctionNode, arguments: Mapping[str, str]) -> None:
        """Note a method that is given arguments of the constructor, and the methods to which it hands them on."""
        if function in self._handed:
            return
        bound_again = {target.id for target, _ in stores_in(function) if isinstance(target, ast.Name)}
        kept = (name for name in arguments if self._rebound or name not in bound_again)
        self._handed[function] = names = {name: arguments[name] for name in kept}
        for call in _method_calls(function):
            found = self._called(owner, function, call)
            given = {} if found is None else given_expressions(found[1], call)
            named = {name: one.id for name, one in given.items() if isinstance(one, ast.Name)}
            handed = {name: names[one] for name, one in named.items() if one in names}
            if found is not None and handed and receiver_name(found[1]) is not None:
                self._follow(*found, handed)

    def _called(
        self, owner: ClassSymbol, function: FunctionNode, call: ast.Call
    ) -> tuple[ClassSymbol, FunctionNode] | None:
        """The method of the object that a call runs: ``self.m(...)``, or ``super().m(...)``."""
        if not isinstance(call.func, ast.Attribute):
            return None
        if is_name(call.func.value, receiver_name(function)):
            return self._inference.find_method(self._symbol, call.func.attr)
        is_super = isinstance(call.func.value, ast.Call) and is_name(call.func.value.func, "super")
        return self._inference.find_method(self._symbol, call.func.attr, owner) if is_super else None

    def _stores(self) -> Iterator[tuple[str, str]]:
        for function, names in self._handed.items():
            for target, value in stores_in(function):
                if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and value.id in names:
                    yield target.attr, names[value.id]

    def used(self) -> frozenset[str]:
        """The arguments of which something is computed that is assigned."""
        values = ((names, value) for function, names in self._handed.items() for _, value in stores_in(function))
        nodes = ((names, node) for names, value in values for node in of_kind(value, ast.Name))
        return frozenset(names[node.id] for names, node in nodes if node.id in names)

    def functions(self) -> Iterator[tuple[ClassSymbol, FunctionNode]]:
        """The methods that may name such an argument, with the class in whose body each stands."""
        for owner in self._inference.classes(self._symbol):
            definition = self._inference.definition(owner)
            table = self._inference.uses(owner).read
            reading = {method for attribute in self.kept for method in table.get(attribute, ())}
            for function in (*definition.methods.values(), *definition.properties.values()):
                if function in self._handed or function.name in reading:
                    yield owner, function

    def named_by(self, function: FunctionNode, node: ast.AST | None) -> str | None:
        """The argument that an expression in a method is; None where it is none."""
        handed = self._handed.get(function, {})
        if isinstance(node, ast.Name) and node.id in handed:
            return handed[node.id]
        attribute = None if node is None else own_attribute(function, node)
        return None if attribute is None else self.kept.get(attribute)


@once_per_node
def _method_calls(function: FunctionNode) -> tuple[ast.Call, ...]:
    """The calls in a function of what stands behind a dot."""
    return tuple(call for call in of_kind(function, ast.Call) if isinstance(call.func, ast.Attribute))
