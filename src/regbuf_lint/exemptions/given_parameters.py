"""The attribute is an argument for which nobody gives plain tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.annotations import annotated_in_body
from regbuf_lint.infer.given_arguments import (
    is_given_no_tensor,
    is_given_parameters,
    is_known_by_use_alone,
    is_left_out,
    value_without,
)
from regbuf_lint.infer.size_uses import SHAPING, is_used_as_size
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import AS_DEVICE, MATRIX_PRODUCT, Sink
from regbuf_lint.model.value import NAMELESS, NOTHING, NoneValue, Parameter, is_only, may_be, tensors

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.use import Use


def _is_given_no_tensors(context: ClassContext, attribute: str) -> bool:
    """Whether the attribute comes of an argument for which all give Parameters, or nothing, or that is a number.

    So may be what only its use as a weight shows to be a tensor: weights are Parameters.
    """
    found = tensors(context.value_of(attribute))
    arguments = {tensor.argument for tensor in found}
    if len(arguments) != 1 or arguments & {"", NAMELESS}:
        return False
    if _is_used_as_number(context, attribute):
        return True
    argument = arguments.pop()
    built = (context.inference, context.built)
    if is_used_as_size(*built, argument) or is_given_no_tensor(*built, argument):
        return not tensors(value_without(*built, argument, attribute))
    if any(tensor.fresh for tensor in found):
        return False
    if is_given_parameters(*built, argument) or is_only(annotated_in_body(*built, attribute) or NOTHING, Parameter):
        return True
    if any(map(_weighs, context.trace(attribute).uses(attribute))) and is_known_by_use_alone(*built, argument):
        return True
    return may_be(context.value_of(attribute), NoneValue) and is_left_out(*built, argument)


def _is_used_as_number(context: ClassContext, attribute: str) -> bool:
    """Whether a method gives it to ``view`` or ``reshape``, or as a ``device=``, be it under the name of a local.

    What a function that is not followed may have made of it proves nothing.
    """
    return any(_takes_no_tensor(use) for use in context.trace(attribute).uses(attribute) if not use.guessed)


def _weighs(use: Use) -> bool:
    """Whether a layer, or a product of matrices, computes with the attribute as it came in."""
    return use.flow is Flow.SAME and (use.sink is Sink.WEIGHT or use.callee == MATRIX_PRODUCT)


def _takes_no_tensor(use: Use) -> bool:
    if use.sink is Sink.PLACE:
        return use.callee == AS_DEVICE and use.flow is Flow.SAME
    return use.sink is Sink.HOST and use.callee.rpartition(".")[2] in SHAPING


EXEMPTION = Exemption(
    "given-parameters",
    "callers, or a class body, give Parameters or numbers for it, or it is left out, or is a size, device or weight",
    _is_given_no_tensors,
)
