"""Alternatives that only live during inference: functions, classes, files, and the object under construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field

from regbuf_lint.classes.uses import APPLY, MOVERS
from regbuf_lint.model.value import UNKNOWN, Alternative, Sequence, Submodule, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.trail import Trail

RETURNING_SELF = MOVERS | {APPLY, "apply", "eval", "requires_grad_", "share_memory", "to_empty", "train"}
"""Methods of nn.Module that return the object that they are called on (torch 2.13)."""


SAMPLING = frozenset({"sample", "sample_n"})
"""Methods of ``torch.distributions`` objects that return a new tensor, without a graph."""

EVALUATING = frozenset({"cdf", "entropy", "enumerate_support", "icdf", "log_prob", "perplexity", "rsample"})
"""Methods of ``torch.distributions`` objects that return what they compute from their parameters (torch 2.13)."""


class ExternalValue(Alternative, frozen=True):
    """A function, class or package that is not read, by its dotted import name."""

    is_function = True

    name: str


class FileValue(Alternative, frozen=True):
    """An imported file."""

    file: FileFacts


class ClassValue(Alternative, frozen=True):
    """A class whose source is at hand."""

    symbol: ClassSymbol


class OfProperty(Unknown, frozen=True):
    """An attribute for which code puts a property on the class: assigning it runs a setter, which may register."""


class FunctionValue(Alternative, frozen=True, eq=False):
    """A function or lambda.

    Attributes:
        scope: its scope.
        closure: the locals around it.
        receiver: what its first parameter is bound to, if it is a bound method.
        owner: the class in whose body it stands, for ``super()``.
        trails: where the locals around it come from, as far as that is followed.
    """

    is_function = True

    scope: Scope
    closure: Mapping[str, Value] = field(default_factory=dict)
    receiver: Value | None = None
    owner: ClassSymbol | None = None
    trails: Mapping[str, Trail] = field(default_factory=dict)


def bound(owner: ClassSymbol, method: FunctionNode, receiver: Value | None) -> FunctionValue:
    """A method of a class, bound to what its first parameter is; ``receiver`` is None for a static one."""
    return FunctionValue(owner.scope.child(method), receiver=receiver, owner=owner)


class SelfValue(Alternative, frozen=True):
    """The object under construction."""

    symbol: ClassSymbol


class SuperValue(Alternative, frozen=True):
    """``super()`` in a method of ``after``."""

    after: ClassSymbol


class Instance(Alternative, frozen=True):
    """An object of a class that is no nn.Module class and whose source is at hand."""

    symbol: ClassSymbol


class BuiltSubmodule(Submodule, frozen=True):
    """An nn.Module object of a class whose source is at hand.

    Attributes:
        symbol: the class.
        argument: whether the annotation of an argument alone says so, which may mean the class itself.
    """

    symbol: ClassSymbol | None = None
    argument: bool = False


class NamedTuple(Sequence, frozen=True):
    """A named tuple of a class whose source is at hand."""

    symbol: ClassSymbol | None = None


class NamedTupleClass(Alternative, frozen=True):
    """A class that ``collections.namedtuple`` has made, by the names of its fields."""

    fields: tuple[str, ...]


def class_of(value: Value) -> Value:
    """What ``type(value)`` is, where the sources of the classes are at hand."""
    return frozenset(_class_of(one) for one in value) or UNKNOWN


def _class_of(one: Alternative) -> Alternative:
    symbol = one.symbol if isinstance(one, (SelfValue, Instance, BuiltSubmodule, NamedTuple)) else None
    return Unknown() if symbol is None else ClassValue(symbol)


class MethodOf(Alternative, frozen=True):
    """A method of something that is not followed as an object: a tensor, a list, a string."""

    owner: Alternative
    name: str
    node: ast.expr | None = None


class PartialCall(Alternative, frozen=True):
    """``functools.partial(function, ...)``.

    Attributes:
        function: what is called.
        positional: arguments that stand before those of the call.
        keywords: arguments by name, unless the call gives them too.
    """

    function: Value
    positional: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


class SelfMethod(Alternative, frozen=True):
    """A method that nn.Module itself gives the object under construction (``register_buffer``, ``add_module``)."""

    symbol: ClassSymbol
    name: str
