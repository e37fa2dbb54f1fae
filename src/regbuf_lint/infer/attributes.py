"""What ``owner.name`` evaluates to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import decorator_names
from regbuf_lint.classes.uses import MOVERS
from regbuf_lint.index.known_classes import Verdict, outside_class, torch_class
from regbuf_lint.index.symbols import ClassSymbol, External, FileSymbol
from regbuf_lint.infer import torch_api
from regbuf_lint.infer.annotations import annotated_in_body
from regbuf_lint.infer.builtin_types import type_name
from regbuf_lint.infer.collections import NAMED_WALKS, WALKS
from regbuf_lint.infer.functions import run_method
from regbuf_lint.infer.numpy_api import ARRAY_CAST, ARRAY_VIEWS, view_of_array
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.references import (
    EVALUATING,
    RETURNING_SELF,
    SAMPLING,
    BuiltSubmodule,
    ClassValue,
    ExternalValue,
    FileValue,
    Instance,
    MethodOf,
    NamedTuple,
    SelfMethod,
    SelfValue,
    SuperValue,
    bound,
    class_of,
)
from regbuf_lint.infer.strings import usually
from regbuf_lint.infer.symbols import value_of_symbols
from regbuf_lint.model.value import (
    NONE,
    NOTHING,
    NUMBER,
    TENSOR_KINDS,
    UNKNOWN,
    Alternative,
    Array,
    Buffer,
    Device,
    Distribution,
    Literal,
    Loaded,
    Location,
    Mapping,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Unset,
    Value,
    held,
    is_only,
    join,
    made_of,
    may_be,
    without,
)
from regbuf_lint.torch_facts.library_functions import takes_tensor
from regbuf_lint.torch_facts.table import table
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    import ast

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.state import State

REGISTERING = frozenset({"register_buffer", "register_parameter", "add_module", "register_module", "add_state"})
"""Methods of an object under construction that register what they are given."""


def read_attribute(frame: Frame, owner: Alternative, name: str, state: State, node: ast.expr) -> Value:
    """What attribute ``name`` of one alternative of an expression (``node``) can be."""
    if isinstance(owner, SelfValue):
        return self_attribute(frame, owner, name, state)
    if isinstance(owner, TENSOR_KINDS):
        return _of_tensor(owner, name, node)
    if isinstance(owner, (ExternalValue, FileValue)):
        return _of_import(frame, owner, name)
    if isinstance(owner, ClassValue):
        return _of_class(frame, owner, name)
    if isinstance(owner, SuperValue):
        return _of_super(frame, owner, name)
    if isinstance(owner, Submodule):
        return _of_submodule(frame, owner, name, node)
    if isinstance(owner, Instance):
        return _of_object(frame, owner, name, node)
    if isinstance(owner, Sequence) and owner.fields:
        return _of_named_tuple(frame, owner, name, node)
    return _of_plain_object(frame, owner, name, node)


def _shows_tensor(frame: Frame, owner: Unknown, name: str) -> bool:
    """Whether the constructor's argument is a tensor, since nothing else has the method, and nothing speaks against."""
    if not owner.argument or not frame.from_start or frame.symbol is None or not has("tensor_only_methods", name):
        return False
    return owner.argument in open_arguments(frame.inference, frame.symbol)


def _of_plain_object(frame: Frame, owner: Alternative, name: str, node: ast.expr) -> Value:
    if isinstance(owner, Unknown) and _shows_tensor(frame, owner, name):
        argument = Tensor(fresh=False, argument=owner.argument, location=owner.location)
        return frozenset({MethodOf(argument, name, node)})
    if isinstance(owner, Other) and owner.what == "limits":
        return NUMBER
    if isinstance(owner, Array) and name in ARRAY_VIEWS:
        return frozenset({view_of_array(owner, name)})
    if isinstance(owner, Unknown) and has("place_properties", name):
        return _place_of_unknown(owner, name)
    gives_tensor = isinstance(owner, Distribution) and name in SAMPLING | EVALUATING
    moves = isinstance(owner, Loaded) and name in MOVERS
    casts = isinstance(owner, Unknown) and (name == ARRAY_CAST or has("move_methods", name))
    walks = isinstance(owner, Unknown) and name in NAMED_WALKS
    known = gives_tensor or moves or casts or walks or isinstance(owner, (Sequence, Mapping, Literal, Other))
    return frozenset({MethodOf(owner, name, node)}) if known else made_of(owner)


def _place_of_unknown(owner: Unknown, name: str) -> Value:
    """The device or dtype of something unknown, be it a tensor, an nn.Module or a configuration."""
    if table().properties[name] == "device":
        return frozenset({Device(location=Location.DEFAULT if owner.of_module else Location.CHOSEN)})
    return frozenset({Other("dtype")}) if table().properties[name] == "dtype" else made_of(owner)


def _of_tensor(owner: Tensor | Parameter | Buffer, name: str, node: ast.expr) -> Value:
    if name in table().properties:
        if isinstance(owner, Parameter) and name == "data":
            return frozenset({replace(torch_api.as_plain(owner), derived=False)})
        return torch_api.read_property(name, torch_api.as_plain(owner)) or UNKNOWN
    if name in table().methods:
        return frozenset({MethodOf(owner, name, node)})
    return UNKNOWN


def _of_import(frame: Frame, owner: ExternalValue | FileValue, name: str) -> Value:
    symbol = External(owner.name) if isinstance(owner, ExternalValue) else FileSymbol(owner.file)
    return value_of_symbols(frame, frame.inference.project.member(symbol, name))


def _of_class(frame: Frame, owner: ClassValue, name: str) -> Value:
    found = frame.inference.find_method(owner.symbol, name)
    if found is not None:
        receiver: Value | None = frozenset({owner}) if "classmethod" in decorator_names(found[1]) else None
        return frozenset({bound(*found, receiver)})
    if name == "__init__" and frame.inference.outside_bases(owner.symbol):
        return frozenset({ExternalValue("torch.nn.Module.__init__")})
    return class_level(frame, owner.symbol, name) or UNKNOWN


def _method_of(owner: Alternative, symbol: ClassSymbol, method: FunctionNode) -> Value:
    """A method that is read from an object, bound to it unless it is static."""
    names = decorator_names(method)
    receiver: Value = frozenset({owner})
    if "classmethod" in names:
        receiver = class_of(receiver)
    return frozenset({bound(symbol, method, None if "staticmethod" in names else receiver)})


def _of_super(frame: Frame, owner: SuperValue, name: str) -> Value:
    symbol = frame.symbol
    if symbol is None:
        return UNKNOWN
    found = _readable_method(frame, symbol, name, owner.after)
    if found is None:
        return frozenset({SelfMethod(symbol, name)})
    return _method_of(SelfValue(symbol), *found)


def _of_submodule(frame: Frame, owner: Submodule, name: str, node: ast.expr) -> Value:
    if name in RETURNING_SELF:
        return frozenset({MethodOf(owner, name, node)})
    if isinstance(owner, BuiltSubmodule):
        return _of_object(frame, owner, name, node)
    if name in WALKS:
        return frozenset({MethodOf(owner, name, node)})
    known = torch_class(owner.class_name)
    if known is not None and name in known.parameters:
        return frozenset({Parameter(), NoneValue()})
    if known is not None and name in known.buffers:
        return frozenset({Buffer(Tensor(fresh=False)), NoneValue()})
    return frozenset({Unknown(of_module=True)})


def _of_object(frame: Frame, owner: Instance | BuiltSubmodule | NamedTuple, name: str, node: ast.expr) -> Value:
    symbol = owner.symbol
    if symbol is None:
        return UNKNOWN
    found = frame.inference.find_method(symbol, name)
    if found is not None:
        return _method_of(owner, *found)
    if name in WALKS and frame.inference.hierarchy.membership(symbol).verdict is Verdict.YES:
        return frozenset({MethodOf(owner, name, node)})
    construction = frame.construct(symbol)
    if construction is not None and name in construction.attributes:
        kept = held(without(construction.attributes[name].value, Unset))
        return join(_any_of_type(one, NOTHING) for one in kept) or UNKNOWN
    if frame.inference.find_property(symbol, name) is not None:
        return UNKNOWN
    return _field(frame, symbol, name) or UNKNOWN


def _field(frame: Frame, symbol: ClassSymbol, name: str) -> Value | None:
    """What an object has by the body of its class, None where that says nothing; some objects differ from a default."""
    default = class_level(frame, symbol, name)
    said = annotated_in_body(frame.inference, symbol, name)
    if default is None or default == NONE:
        return said or default
    known = NOTHING if said is None or may_be(said, Unknown) else said
    return join(_any_of_type(one, known) for one in default)


def _any_of_type(one: Alternative, said: Value) -> Value:
    """Any value of the type of a known one, as far as something is said of it; what is not known stays as it is."""
    if not isinstance(one, Literal):
        return frozenset({one})
    alike = said or frozenset({Other(type_name(one))})
    return usually(alike, one.value) if isinstance(one.value, str) else alike


def _of_named_tuple(frame: Frame, owner: Sequence, name: str, node: ast.expr) -> Value:
    if owner.items is not None and name in owner.fields:
        return owner.items[owner.fields.index(name)]
    return _of_object(frame, owner, name, node) if isinstance(owner, NamedTuple) else frozenset({MethodOf(owner, name)})


def self_attribute(frame: Frame, owner: SelfValue, name: str, state: State) -> Value:
    """What an attribute of the object is right now; where nothing has set it, and no class has it, reading fails."""
    now = state.attribute(name).value
    known = held(without(now, Unset), alias=name)
    if known and not may_be(now, Unset):
        return known
    of_class = _from_class(frame, owner, name, state)
    return known if known and is_only(of_class, Unknown) else join((known, of_class)) or UNKNOWN


def _from_class(frame: Frame, owner: SelfValue, name: str, state: State) -> Value:
    inference = frame.inference
    found = _readable_method(frame, owner.symbol, name)
    if found is not None:
        return _method_of(owner, *found)
    getter = inference.find_property(owner.symbol, name)
    if getter is not None:
        return held(run_method(frame, *getter, frozenset({owner}), state), alias=name)
    value = class_level(frame, owner.symbol, name)
    if value is not None:
        return value
    return _from_outside(frame, owner, name)


def _readable_method(
    frame: Frame, symbol: ClassSymbol, name: str, after: ClassSymbol | None = None
) -> tuple[ClassSymbol, FunctionNode] | None:
    """The method that a class has or inherits; none for a well-known one that registers state, as no source tells."""
    found = frame.inference.find_method(symbol, name, after)
    listed = outside_class(found[0].name) if found is not None and name in REGISTERING else None
    return None if listed is not None and name in listed.members else found


def _from_outside(frame: Frame, owner: SelfValue, name: str) -> Value:
    if name in REGISTERING:
        return frozenset({SelfMethod(owner.symbol, name)})
    for base in frame.inference.outside_bases(owner.symbol):
        if takes_tensor(f"{base.name}.{name}"):
            return frozenset({SelfMethod(owner.symbol, name)})
        known = torch_class(base.name)
        if known is None:
            continue
        if name in known.parameters:
            return frozenset({Parameter(), NoneValue()})
        if name in known.buffers:
            return frozenset({Buffer(Tensor(fresh=False)), NoneValue()})
        if name in known.names:
            return frozenset({SelfMethod(owner.symbol, name)})
    return frozenset({Unknown(of_module=True)})


def class_level(frame: Frame, symbol: ClassSymbol, name: str) -> Value | None:
    """What the class or one of its bases assigns to ``name`` in its body, None where none does."""
    for base in frame.inference.classes(symbol):
        if name in frame.inference.definition(base).values:
            found = frame.inference.project.lookup(base.scope, name)
            return value_of_symbols(frame, found)
    return None
