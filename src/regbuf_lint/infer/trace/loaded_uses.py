"""What methods do with what ``torch.load`` returned: each loaded object carries the attributes that have held it.

It carries them wherever it goes: into locals, through loops, as an argument into functions and constructors.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.infer.calls import arguments_of
from regbuf_lint.infer.construction import follow
from regbuf_lint.infer.references import ClassValue, ExternalValue, SelfMethod
from regbuf_lint.infer.trace.following import Follower
from regbuf_lint.infer.trace.tracer import Tracer
from regbuf_lint.model.value import (
    TENSOR_KINDS,
    Literal,
    Loaded,
    Mapping,
    Part,
    Place,
    Sequence,
    Unknown,
    Value,
    is_number,
    is_only,
    may_be,
    parts_of,
)
from regbuf_lint.torch_facts.library_functions import takes_tensor
from regbuf_lint.torch_facts.table import table
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Mapping as Attributes

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.model.class_view import AttributeState
    from regbuf_lint.model.trail import Trail

_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult)


class Noted(Struct):
    """Uses of loaded objects, by the attributes that have held them.

    Attributes:
        tensors: used as only tensors can be (or arrays and numbers).
        others: used as tensors can't be: called, looked up by a string, asked for ``items()`` or ``parameters()``.
        entered: classes whose constructors have been given loaded objects.
    """

    tensors: set[Place] = field(default_factory=set)
    others: set[Place] = field(default_factory=set)
    entered: set[Scope] = field(default_factory=set)


def loaded_uses(
    inference: Inference,
    symbol: ClassSymbol,
    subclasses: Iterable[ClassSymbol],
    wanted: frozenset[str],
    attributes: Attributes[str, AttributeState],
) -> Noted:
    """What a class, its bases and subclasses, and the classes of its parts do with the loaded objects in attributes.

    Args:
        inference: what all classes share.
        symbol: the class.
        subclasses: classes that inherit from it.
        wanted: the attributes that hold loaded objects.
        attributes: those of a finished object.
    """
    noted = Noted()
    Follower(inference, symbol, subclasses, wanted, lambda _: True, partial(_Marking, noted)).trace(attributes)
    return noted


class _Noting(Tracer):
    """Notes the uses of objects that carry the attributes that have held them."""

    def __init__(self, noted: Noted, attributes: frozenset[str], entry: str) -> None:
        super().__init__(attributes, entry)
        self._noted = noted

    def evaluated(self, frame: TracedFrame, node: ast.expr, value: Value, state: State) -> None:
        """An expression has been evaluated, its parts before it."""
        super().evaluated(frame, node, value, state)
        match node:
            case ast.Attribute():
                self._note_attribute(frame.value_of(node.value), node.attr)
            case ast.Subscript():
                self._note_subscript(frame, frame.value_of(node.value), node.slice)
            case ast.BinOp():
                self._note_operands(node, frame.value_of(node.left), frame.value_of(node.right))
            case ast.UnaryOp() if not isinstance(node.op, ast.Not):
                self._is_tensor(frame.value_of(node.operand))
            case ast.Call():
                self._note_call(frame, node)

    def takes_tensor(self, frame: TracedFrame, node: ast.expr) -> None:
        """An expression stands where nothing but a tensor can stand."""
        super().takes_tensor(frame, node)
        self._is_tensor(frame.value_of(node))

    def _is_tensor(self, value: Value) -> None:
        self._noted.tensors.update(_places(value))

    def _is_other(self, value: Value) -> None:
        self._noted.others.update(_places(value))

    def _note_attribute(self, owner: Value, name: str) -> None:
        of_tensors, of_others = name in table().methods or name in table().properties, _is_of_others(name)
        if of_tensors and not of_others:
            self._is_tensor(owner)
        elif of_others and not of_tensors:
            self._is_other(owner)

    def _note_subscript(self, frame: TracedFrame, owner: Value, index: ast.expr) -> None:
        """An index that a tensor takes, and no list or dict: several at once, or a tensor with dimensions."""
        parts = index.elts if isinstance(index, ast.Tuple) else []
        if any(isinstance(one, (ast.Slice, ast.Constant)) for one in parts) or _has_dimensions(frame.value_of(index)):
            self._is_tensor(owner)
        elif isinstance(index, ast.Constant) and isinstance(index.value, str):
            self._is_other(owner)

    def _note_operands(self, node: ast.BinOp, left: Value, right: Value) -> None:
        """An operation that lists and strings cannot be operands of; an addition where one side is a number.

        A loaded number computes with a number, or with another loaded one, as a tensor does; lists of them are rare.
        """
        if isinstance(node.op, _ARITHMETIC) or (isinstance(node.op, ast.Add) and _is_numeric(node)):
            for value, other in ((left, right), (right, left)):
                self._is_tensor(_elements(value) if is_only(other, Loaded, Literal) else value)

    def _note_call(self, frame: TracedFrame, node: ast.Call) -> None:
        """What is called is no tensor; what some functions are given is one, or holds some."""
        callee, arguments = frame.value_of(node.func), arguments_of(node, frame.value_of)
        self._is_other(callee)
        first = arguments.positional[0] if arguments.positional else frozenset()
        for one in callee:
            if isinstance(one, ExternalValue) and has("join_functions", one.name):
                self._noted.tensors.update(_elements_of(first))
            elif isinstance(one, SelfMethod) and one.name == "register_buffer":
                self._is_tensor(arguments.argument(1, "tensor"))
            elif isinstance(one, SelfMethod) and _takes_tensor(frame, one):
                self._is_tensor(first)
            elif isinstance(one, ClassValue):
                self._enter(frame.inference, one.symbol, arguments)

    def _enter(self, inference: Inference, symbol: ClassSymbol, arguments: Arguments) -> None:
        """An object of a class is made; if it is given loaded objects, see what the class does with them."""
        if symbol.scope in self._noted.entered or not any(_places(value) for value in arguments.every()):
            return
        self._noted.entered.add(symbol.scope)
        built = follow(inference, symbol, arguments).construction.attributes
        held = frozenset(name for name, known in built.items() if may_be(known.value, Loaded))
        tracer = partial(_Noting, self._noted)
        Follower(inference, symbol, (), held, lambda _: True, tracer, arguments).trace(built)


class _Marking(_Noting):
    """Has what the attributes hold that are asked about carry their names."""

    def at_entry(self, attributes: Attributes[str, AttributeState]) -> Attributes[str, AttributeState]:
        """The attributes as a method finds them."""
        marked = {name: _marked(name, attributes[name]) for name in self.attributes if name in attributes}
        return {**attributes, **marked}

    def stored(self, frame: TracedFrame, name: str, trail: Trail, state: State, node: ast.expr | ast.stmt) -> None:
        """An attribute of the object has got a value."""
        super().stored(frame, name, trail, state, node)
        if name in self.attributes:
            state.attributes[name] = _marked(name, state.attribute(name))


def _marked(name: str, known: AttributeState) -> AttributeState:
    place = Place(name)
    value = frozenset(
        replace(one, places=one.places | {place}) if isinstance(one, Loaded) else one for one in known.value
    )
    return replace(known, value=value)


def _is_of_others(name: str) -> bool:
    """Whether containers, strings or nn.Modules have an attribute of a name."""
    module = torch_class("torch.nn.Module")
    return any(hasattr(kind, name) for kind in (dict, list, str)) or (module is not None and name in module.names)


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


def _elements_of(joined: Value) -> set[Place]:
    """What is joined: the elements of a loaded list, or what stands in a list that is not loaded itself."""
    loaded = (place for one in joined if isinstance(one, Loaded) for place in one.places)
    listed = (place for one in joined for part in parts_of(one) for place in _places(part))
    return {Place(place.attribute, Part.ELEMENT) for place in loaded}.union(listed)


def _has_dimensions(index: Value) -> bool:
    """Whether an index is a tensor that is no number, as what an nn.Module computes is."""
    computed = (isinstance(one, Unknown) and one.computed for one in index)
    return (is_only(index, *TENSOR_KINDS) and not is_number(index)) or (bool(index) and all(computed))


def _takes_tensor(frame: TracedFrame, method: SelfMethod) -> bool:
    bases = frame.inference.outside_bases(method.symbol)
    return any(takes_tensor(f"{base.name}.{method.name}") for base in bases)


def _places(value: Value, depth: int = 2) -> set[Place]:
    found: set[Place] = set()
    for one in value:
        if isinstance(one, Loaded):
            found |= one.places
        elif depth and isinstance(one, Sequence):
            found |= _places(one.element, depth - 1)
        elif depth and isinstance(one, Mapping):
            found |= _places(one.rest, depth - 1)
    return found
