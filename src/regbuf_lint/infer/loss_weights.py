"""Constructor arguments that are tensors by their use: weights that methods hand to the losses of torch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, is_none
from regbuf_lint.index.symbols import External
from regbuf_lint.index.tree import of_kind
from regbuf_lint.infer.constructor_arguments import ConstructorArguments

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Arguments that some method of an object gives to a loss of torch, which takes tensors and None alone for weights.

    Args:
        inference: what the run shares.
        symbol: the class of the object.
    """
    arguments = ConstructorArguments(inference, symbol)
    if arguments.function is None:
        return frozenset()
    defaults = arguments_with_defaults(arguments.function)
    plain = {one.arg for one, default in defaults if default is not None and not is_none(default)}
    found: set[str] = set()
    for owner, function in arguments.functions():
        scope = owner.scope.child(function)
        for call in of_kind(function, ast.Call):
            given = {name for one in _weights(call) if (name := arguments.named_by(function, one)) is not None}
            if given - plain and any(_is_loss(one) for one in inference.project.resolve(scope, call.func)):
                found |= given - plain
    return frozenset(found)


def _weights(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args[_PLACE : _PLACE + 1]
    yield from (one.value for one in call.keywords if one.arg in _WEIGHTS)


def _is_loss(callee: Symbol) -> bool:
    return isinstance(callee, External) and callee.name.removeprefix("torch.nn.functional.") in _LOSSES
