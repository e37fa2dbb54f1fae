"""Where tensors lie when the object is built, by the devices that the code names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.known_classes import is_tensor_class
from regbuf_lint.infer.references import ExternalValue
from regbuf_lint.model.value import (
    ON_CPU,
    TENSOR_KINDS,
    Alternative,
    Device,
    LeftOut,
    Literal,
    Location,
    Other,
    Tensor,
    Unknown,
    Value,
)
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.infer.arguments import Arguments

_BY_NAME = {"cpu": Location.CPU, "meta": Location.META}
_ACCELERATORS = frozenset({"cuda", "mps", "xpu", "hpu", "mtia", "npu", "xla"})
"""Types of devices on which tensors lie apart from the CPU's (documentation of ``torch.device``, torch 2.13)."""


def location_of(device: Value) -> Location:
    """The place that a device, its name, its number or a tensor on it stands for; no alternatives where none is given.

    What is now the CPU and now an accelerator is chosen by the machine. An argument that is None by default is chosen
    where it is given; what stands in for it says where it is not.
    """
    given = frozenset(filter(_is_given, device))
    found = {_location_of_one(one) for one in device - given}
    if not found:
        return Location.CHOSEN if given else Location.DEFAULT
    if Location.DEFAULT in found or (given and found == {Location.CPU}):
        return Location.DEFAULT
    if Location.OFFERED in found:
        return Location.OFFERED
    return found.pop() if len(found) == 1 and not given else Location.CHOSEN


def _is_given(one: Alternative) -> bool:
    """Whether a value is an argument that is None by default, where it is not None."""
    if isinstance(one, Unknown):
        return one.left_out is LeftOut.NONE and one.present
    return isinstance(one, Other) and one.left_out is LeftOut.NONE


def left_out_as(one: Alternative, left_out: LeftOut) -> Alternative:
    """An argument that may be a device or the name of one, with what it is where callers leave it out."""
    is_string = isinstance(one, Other) and one.what == "str"
    return replace(one, left_out=left_out) if is_string or isinstance(one, Device) else one


def _location_of_one(one: Alternative) -> Location:
    typed = _location_of_type(one)
    if typed is not None:
        return typed
    if isinstance(one, Literal):
        if isinstance(one.value, str):
            return _BY_NAME.get(one.value.partition(":")[0], Location.NAMED)
        return Location.NAMED if type(one.value) is int else Location.DEFAULT
    if isinstance(one, Tensor):
        return one.location
    if isinstance(one, (Other, Unknown)) and one.left_out is not LeftOut.NEVER:
        return Location.OFFERED if one.left_out is LeftOut.OTHER else Location.DEFAULT
    if isinstance(one, Device):
        return one.location
    if isinstance(one, Unknown):
        return Location.DEFAULT if one.of_module else Location.CHOSEN
    is_left_to_somebody = isinstance(one, Other) and not one.usual and not one.what.startswith("dtype")
    return Location.CHOSEN if is_left_to_somebody else Location.DEFAULT


def _location_of_type(one: Alternative) -> Location | None:
    """Where ``x.type(one)`` leaves a tensor: each of the older types, as ``torch.cuda.FloatTensor``, has its place.

    They are given by themselves or by name (documentation of ``torch.Tensor.type``, torch 2.13).
    """
    name = one.name if isinstance(one, ExternalValue) else one.value if isinstance(one, Literal) else None
    if not isinstance(name, str) or not is_tensor_class(name):
        return None
    return Location.NAMED if name.split(".")[1] in _ACCELERATORS else Location.DEFAULT


def is_chosen_by_machine(value: Value) -> bool:
    """Whether a value is what the machine chooses: an accelerator where there is one, or its name, else the CPU."""
    return is_device(value) and location_of(value) is Location.CHOSEN


def is_device(value: Value) -> bool:
    """Whether a value is a device or the name of one."""
    return bool(value) and all(map(_is_device, value))


def _is_device(one: Alternative) -> bool:
    """Whether a value is a device or the name of one."""
    if isinstance(one, Literal) and isinstance(one.value, str):
        return one.value.partition(":")[0] in {"cpu", *_ACCELERATORS}
    return isinstance(one, Device)


def device_called(arguments: Arguments) -> Device:
    """What ``torch.device(...)`` gives."""
    given = arguments.argument(0, "type") or arguments.argument(0, "device")
    is_given = bool(given) and all(map(_is_given, given))
    return Device(location=location_of(given), left_out=LeftOut.NONE if is_given else LeftOut.NEVER)


def location_of_call(name: str, arguments: Arguments, operands: Iterable[Tensor]) -> Location:
    """Where a function of torch puts its result: where its name or the call says, else where its operands lie."""
    if _location_of_type(ExternalValue(name)) is Location.NAMED:
        return Location.NAMED
    device = arguments.keyword("device")
    if device:
        return location_of(device)
    return Location.DEFAULT if arguments.starred else together(operands)


def together(operands: Iterable[Tensor]) -> Location:
    """Where tensors lie that are computed together, and so what comes of them.

    That one of them is put on the CPU by name does not say that the result is to stay there.
    """
    found = {one.location for one in operands} - {Location.CPU}
    for location in (Location.META, Location.CHOSEN, Location.NAMED, Location.OFFERED):
        if location in found:
            return location
    return Location.DEFAULT


def shared_location(several: Iterable[Tensor | Unknown]) -> Location:
    """Where all of some alternatives lie; where the code says nothing, if that is not one place."""
    places = {one.location for one in several}
    return places.pop() if len(places) == 1 else Location.DEFAULT


def location_of_method(name: str, receiver: Tensor, arguments: Arguments, others: Tensor) -> Location:
    """Where a method of a tensor leaves its result."""
    if has("move_to_cpu_methods", name):
        return Location.CPU
    if has("move_methods", name):
        return _moved(name, receiver, arguments)
    if name.startswith("new_") and arguments.keyword("device"):
        return location_of(arguments.keyword("device"))
    return receiver.location if others.location in ON_CPU else others.location


def _moved(name: str, receiver: Tensor, arguments: Arguments) -> Location:
    """Where ``x.to(...)`` and the like leave a tensor."""
    given = (*arguments.positional, arguments.keyword("device"), arguments.keyword("other"))
    places = [one for one in given if any(map(_may_be_place, one))]
    if places:
        return location_of(places[0])
    is_cast = has("cast_methods", name) or bool(arguments.every()) or arguments.starred
    return receiver.location if is_cast else Location.NAMED


def _may_be_place(one: Alternative) -> bool:
    """Whether an argument of ``x.to`` may say where to: a device, its name or number, a tensor on it, or its type."""
    if _location_of_type(one) is not None:
        return True
    if isinstance(one, Literal):
        return isinstance(one.value, str) or type(one.value) is int
    if isinstance(one, Device):
        return True
    named = isinstance(one, Other) and one.what in {"", "str", "int", "number"}
    return named or isinstance(one, (Unknown, *TENSOR_KINDS))
