"""Constructor arguments that are tensors by their use: weights that methods hand to the losses of torch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from regbuf_lint.classes.definition import is_name, is_none, receiver_name
from regbuf_lint.classes.stores import kept_arguments
from regbuf_lint.index.symbols import External

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regbuf_lint.index.symbols import ClassSymbol, Symbol
    from regbuf_lint.infer.inference import Inference

_LOSSES = frozenset(
    {"cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
     "multilabel_soft_margin_loss"}
)  # fmt: skip
"""Functions of ``torch.nn.functional`` whose weights are ``Tensor | None`` (stubs of torch 2.13)."""
_WEIGHTS = frozenset({"weight", "pos_weight"})
_PLACE = 2
"""Where ``weight`` stands among the arguments, behind input and target."""


def weights_of_losses(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    """Arguments that some method of a class gives to a loss of torch, which takes tensors and None alone for weights.

    Args:
        inference: what the run shares.
        symbol: the class.
    """
    definition = inference.definition(symbol)
    attributes = kept_arguments(definition, lambda default: default is None or is_none(default))
    found = set()
    for function in definition.methods.values():
        receiver = receiver_name(function)
        scope = symbol.scope.child(function)
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            given = {attributes[one.attr] for one in _weights(call) if _is_kept(one, receiver, attributes)}
            if given and any(_is_loss(one) for one in inference.project.resolve(scope, call.func)):
                found |= given
    return frozenset(found)


def _weights(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args[_PLACE : _PLACE + 1]
    yield from (one.value for one in call.keywords if one.arg in _WEIGHTS)


def _is_kept(node: ast.expr, receiver: str | None, attributes: Mapping[str, str]) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and is_name(node.value, receiver) and node.attr in attributes


def _is_loss(callee: Symbol) -> bool:
    return isinstance(callee, External) and callee.name.removeprefix("torch.nn.functional.") in _LOSSES
