"""Constructor arguments that are used as sizes, as no tensor is, whatever their annotations say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.index.symbols import External
from regbuf_lint.index.tree import of_kind
from regbuf_lint.infer.constructor_arguments import ConstructorArguments

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import ClassSymbol, Symbol
    from regbuf_lint.infer.inference import Inference

SHAPING = frozenset({"view", "reshape"})
"""Methods of tensors that are given sizes."""
_TAKING_TENSORS = ("Loss", "ParameterList", "ParameterDict")
"""Ends of names of nn.Module classes of torch that are given tensors to be made."""


def is_used_as_size(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether objects of a class give an argument of the constructor to ``range``, to a layer of torch, or to ``view``.

    Args:
        inference: what the run shares.
        symbol: the class.
        argument: the argument, which the methods may know as an attribute that is nothing else.
    """
    arguments = ConstructorArguments(inference, symbol)
    for owner, function in arguments.functions():
        scope = owner.scope.child(function)
        for call in of_kind(function, ast.Call):
            if any(arguments.named_by(function, size) == argument for size in _sizes(inference, scope, call)):
                return True
    return False


def _sizes(inference: Inference, scope: Scope, call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that are numbers."""
    shapes = isinstance(call.func, ast.Attribute) and call.func.attr in SHAPING and len(call.args) > 1
    return call.args if shapes or any(map(_takes_sizes, inference.project.resolve(scope, call.func))) else []


def _takes_sizes(callee: Symbol) -> bool:
    if not isinstance(callee, External):
        return False
    is_layer = torch_class(callee.name) is not None and not callee.name.endswith(_TAKING_TENSORS)
    return callee.name == "builtins.range" or is_layer
