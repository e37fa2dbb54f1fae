"""Learning what ``torch.load`` returned from what is done with it.

While a probe is at work, a loaded object that is stored in an attribute is marked with the attribute's name and keeps
the mark wherever it goes: into locals, through loops, as an argument into functions and constructors.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.infer.references import ExternalValue, SelfMethod
from regbuf_lint.model.value import Literal, Loaded, Mapping, Part, Place, Sequence, Value, is_only, parts_of
from regbuf_lint.torch_facts.library_functions import library_functions
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame

Visitor: TypeAlias = "Callable[[Frame, ClassSymbol, Arguments], None]"

_TENSOR_ATTRIBUTES = frozenset(
    {
        "shape", "device", "dtype", "ndim", "size", "dim", "numel", "item", "detach", "clone", "contiguous",
        "view", "reshape", "flatten", "squeeze", "unsqueeze", "expand", "repeat", "permute", "transpose", "t", "T",
        "mT", "matmul", "mm", "abs", "exp", "log", "sqrt", "sum", "mean", "std", "max", "min", "argmax", "softmax",
        "gather", "index_select", "masked_fill",
    }
)  # fmt: skip
_OTHER_ATTRIBUTES = frozenset({"items", "keys", "values", "get", "eval", "train", "parameters", "state_dict", "append"})
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult)


class Probe:
    """Collects uses of loaded objects.

    Args:
        family: scopes of the classes whose attributes are looked at.
        wanted: the attributes that somebody asks about.
        visitor: follows the constructor and the methods of a class that is given loaded objects.

    Attributes:
        tensors: used as only tensors can be (or arrays and numbers).
        others: used as tensors can't be: called, looked up by a string, asked for ``items()`` or ``parameters()``.
    """

    def __init__(self, family: frozenset[Scope], wanted: frozenset[str], visitor: Visitor) -> None:
        self.family = family
        self.wanted = wanted
        self.visitor = visitor
        self.tensors: set[Place] = set()
        self.others: set[Place] = set()

    @property
    def is_settled(self) -> bool:
        """Whether each attribute is known to hold no tensor, so that no further use counts."""
        return all(Place(attribute) in self.others for attribute in self.wanted)


def marked(frame: Frame, attribute: str, value: Value) -> Value:
    """``value`` as it is stored in an attribute of the object under construction."""
    probe = frame.inference.probe
    if probe is None or frame.symbol is None or frame.symbol.scope not in probe.family:
        return value
    return mark(attribute, value)


def mark(attribute: str, value: Value) -> Value:
    """``value`` with its loaded alternatives marked as stored in ``attribute``."""
    place = Place(attribute)
    return frozenset(replace(one, places=one.places | {place}) if isinstance(one, Loaded) else one for one in value)


def note_tensor(frame: Frame, value: Value) -> None:
    """``value`` is used as a tensor (or an array, or a number)."""
    if frame.inference.probe is not None:
        frame.inference.probe.tensors.update(_places(value))


def note_other(frame: Frame, value: Value) -> None:
    """``value`` is used as no tensor can be."""
    if frame.inference.probe is not None:
        frame.inference.probe.others.update(_places(value))


def note_attribute(frame: Frame, owner: Value, name: str) -> None:
    """``owner.name`` is read."""
    if name in _TENSOR_ATTRIBUTES:
        note_tensor(frame, owner)
    elif name in _OTHER_ATTRIBUTES:
        note_other(frame, owner)


def note_subscript(frame: Frame, owner: Value, index: ast.expr) -> None:
    """``owner[index]`` is read."""
    if isinstance(index, ast.Tuple) and any(isinstance(item, (ast.Slice, ast.Constant)) for item in index.elts):
        note_tensor(frame, owner)
    elif isinstance(index, ast.Constant) and isinstance(index.value, str):
        note_other(frame, owner)


def note_operands(frame: Frame, node: ast.BinOp, left: Value, right: Value) -> None:
    """An operation that lists and strings cannot be operands of; an addition where one side is a number.

    A loaded number computes with a number, or with another loaded one, as a tensor does; lists of them are rare.
    """
    if isinstance(node.op, _ARITHMETIC) or (isinstance(node.op, ast.Add) and _is_numeric(node)):
        for value, other in ((left, right), (right, left)):
            note_tensor(frame, _elements(value) if is_only(other, Loaded, Literal) else value)


def _elements(value: Value) -> Value:
    """The loaded alternatives that are elements of something."""
    return frozenset(
        one for one in value if isinstance(one, Loaded) and any(place.part is Part.ELEMENT for place in one.places)
    )


def _is_numeric(node: ast.BinOp) -> bool:
    return any(
        (isinstance(side, ast.BinOp) and isinstance(side.op, _ARITHMETIC))
        or (isinstance(side, ast.Constant) and isinstance(side.value, (int, float)))
        for side in (node.left, node.right)
    )


def note_call(frame: Frame, callee: Value, arguments: Arguments) -> None:
    """``callee`` is called: what is called is no tensor; what some functions are given is one, or holds some."""
    if frame.inference.probe is None:
        return
    note_other(frame, callee)
    first = arguments.positional[0] if arguments.positional else frozenset()
    for one in callee:
        if isinstance(one, ExternalValue) and has("join_functions", one.name):
            frame.inference.probe.tensors.update(_elements_of(first))
        elif isinstance(one, SelfMethod) and _takes_tensor(frame, one):
            note_tensor(frame, first)


def _elements_of(joined: Value) -> set[Place]:
    """What is joined: the elements of a loaded list, or what stands in a list that is not loaded itself."""
    loaded = (place for one in joined if isinstance(one, Loaded) for place in one.places)
    listed = (place for one in joined for part in parts_of(one) for place in _places(part))
    return {Place(place.attribute, Part.ELEMENT) for place in loaded}.union(listed)


def _takes_tensor(frame: Frame, method: SelfMethod) -> bool:
    known = library_functions().taking_tensor
    bases = frame.inference.outside_bases(method.symbol)
    return any(known.match(f"{base.name}.{method.name}") is not None for base in bases)


def enter(frame: Frame, symbol: ClassSymbol, arguments: Arguments) -> None:
    """An object of a class is made; if it is given loaded objects, see what the class does with them."""
    if frame.inference.probe is not None and any(_places(value) for value in arguments.every()):
        frame.inference.probe.visitor(frame, symbol, arguments)


def _places(value: Iterable[object], depth: int = 2) -> set[Place]:
    found: set[Place] = set()
    for one in value:
        if isinstance(one, Loaded):
            found |= one.places
        elif depth and isinstance(one, Sequence):
            found |= _places(one.element, depth - 1)
        elif depth and isinstance(one, Mapping):
            found |= _places(one.rest, depth - 1)
    return found
