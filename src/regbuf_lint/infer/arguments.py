"""The arguments of a call, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from regbuf_lint.model.value import NOTHING, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping


class Arguments(Struct, frozen=True):
    """Values of the arguments of one call.

    Attributes:
        positional: in order, up to the first starred one.
        keywords: by name.
        starred: whether ``*args`` or ``**kwargs`` may add more.
    """

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)
    starred: bool = False

    def every(self) -> list[Value]:
        """All values that are passed."""
        return [*self.positional, *self.keywords.values()]

    def keyword(self, name: str) -> Value:
        """The value of a keyword, without alternatives where it is not given."""
        return self.keywords.get(name, NOTHING)

    def argument(self, index: int, name: str) -> Value:
        """The value given by position or by name, without alternatives where neither is given."""
        return self.positional[index] if index < len(self.positional) else self.keyword(name)

    def key(self) -> tuple[object, ...]:
        """A hashable form, equal for calls that pass the same values."""
        return (self.positional, tuple(sorted(self.keywords.items(), key=lambda item: item[0])), self.starred)


ANY_ARGUMENTS = Arguments(starred=True)
"""Nobody knows what the caller passes: annotations count, defaults do not."""

PassedArguments: TypeAlias = "Mapping[ast.Call, list[Arguments]]"
"""What calls of classes pass, once for each time that one is reached."""
