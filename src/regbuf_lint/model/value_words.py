"""Values in words, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.value import (
    NAMELESS,
    Alternative,
    Buffer,
    Differs,
    Distribution,
    Dtype,
    Literal,
    Loaded,
    Mapping,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Unset,
    parts_of,
)

if TYPE_CHECKING:
    from regbuf_lint.model.value import Value

_KINDS = {
    Dtype.FLOAT: "a floating-point tensor",
    Dtype.DOUBLE: "a tensor of double precision",
    Dtype.INT: "an integer tensor",
    Dtype.BOOL: "a boolean tensor",
    Dtype.COMPLEX: "a complex tensor",
    Dtype.UNKNOWN: "a tensor",
}


def in_words(value: Value) -> str:
    """Return what a value can be ("a floating-point tensor or None")."""
    found = sorted({_alternative(one) for one in value}, key=_order)
    return _joined(found) if found else "nothing"


def _order(words: str) -> tuple[bool, str]:
    """What stands for the lack of something comes last."""
    return words in {"None", "nothing"}, words


def _joined(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _alternative(one: Alternative) -> str:
    if isinstance(one, Tensor):
        return _tensor(one)
    if isinstance(one, Parameter):
        return "a Parameter" if one.trainable else "a Parameter that is not trained"
    if isinstance(one, Submodule):
        return f"an nn.Module (`{one.class_name}`)" if one.class_name else "an nn.Module"
    if isinstance(one, (Sequence, Mapping)):
        return _container(one)
    if isinstance(one, Literal):
        return f"`{one.value!r}`"
    if isinstance(one, Other):
        return f"no tensor (`{one.what}`)" if one.what.isidentifier() else "no tensor"
    if isinstance(one, Unknown):
        return _unknown(one)
    names = {Buffer: "a buffer", Distribution: "a distribution", NoneValue: "None", Unset: "nothing"}
    return names.get(type(one), "an object, a class or a function")


def _tensor(tensor: Tensor) -> str:
    traits = {
        "that requires a gradient": tensor.requires_grad,
        "computed from Parameters": tensor.derived,
        "drawn at random": tensor.random,
        "that depends on the rank of the process": tensor.differs is Differs.BY_PROCESS,
        "expanded from a smaller one": tensor.expanded,
        "without elements": tensor.empty,
        f"given as the argument `{tensor.argument}`": tensor.argument not in {"", NAMELESS},
        "given from outside": tensor.argument == NAMELESS,
        f"read from `self.{tensor.alias}`": bool(tensor.alias),
    }
    said = ", ".join(words for words, holds in traits.items() if holds)
    return f"{_KINDS[tensor.dtype]} {said}".rstrip()


def _container(one: Sequence | Mapping) -> str:
    kind = one.kind if isinstance(one, Sequence) else "dict"
    held = frozenset[Alternative]().union(*parts_of(one))
    return f"a {kind} that holds {in_words(held)}" if held else f"an empty {kind}"


def _unknown(one: Unknown) -> str:
    if isinstance(one, Loaded):
        return "something that `torch.load` gave"
    if one.argument:
        return f"the argument `{one.argument}`, which may be anything"
    return f"something unknown ({one.reason})" if one.reason else "something unknown"
