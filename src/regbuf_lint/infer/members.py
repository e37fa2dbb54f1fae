"""What an object has of its class and of that one's bases, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol

Found: TypeAlias = "dict[str, tuple[ClassSymbol, FunctionNode]]"


class Members(Struct):
    """The functions that names mean on an object, each with the class in whose body it stands.

    Attributes:
        methods: its methods.
        properties: the getters of its properties.
        setters: what runs when a property is assigned.
    """

    methods: Found = {}
    properties: Found = {}
    setters: Found = {}

    def before(self, symbol: ClassSymbol, definition: ClassDefinition) -> Members:
        """The same with a class in front whose own functions come first.

        Args:
            symbol: the class.
            definition: its body.
        """

        def first(table: dict[str, FunctionNode], behind: Found) -> Found:
            return {**behind, **{name: (symbol, node) for name, node in table.items()}} if table else behind

        return Members(
            first(definition.methods, self.methods),
            first(definition.properties, self.properties),
            first(definition.setters, self.setters),
        )
