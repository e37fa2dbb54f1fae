"""``isinstance`` of values whose type is certain, against classes of which they are no instances."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from regbuf_lint.index.known_classes import is_tensor_class
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.infer.annotations import PARAMETERS
from regbuf_lint.model.value import Literal, Mapping, NoneValue, Sequence, Tensor

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import Symbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.value import Alternative

_OF_BUILT_IN_TYPES = sys.stdlib_module_names | {"jaxtyping", "six", "torch", "torchtyping", "typing_extensions"}
"""Packages with classes, or names for classes, that built-in values and tensors are instances of."""
_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
_METACLASSES = frozenset({"ABCMeta", "type"})
"""Those by which no object becomes an instance of a class that it does not derive from, or hardly any."""


def is_of_other_kind(inference: Inference, scope: Scope, expression: ast.expr) -> bool:
    """Whether built-in values and torch's own tensors are certainly no instances of a class.

    So it is for a class of another package, and for one of the project, even where that derives from ``torch.Tensor``.
    """
    symbols = inference.project.resolve(scope, expression)
    return bool(symbols) and all(_is_foreign(inference, symbol) for symbol in symbols)


def is_tensor_subclass(inference: Inference, scope: Scope, expression: ast.expr) -> bool:
    """Whether an expression names a class of the project that derives from ``torch.Tensor``."""
    return any(
        isinstance(symbol, ClassSymbol)
        and any(isinstance(base, External) and is_tensor_class(base.name) for base in inference.hierarchy.order(symbol))
        for symbol in inference.project.resolve(scope, expression)
    )


def is_certain(one: Alternative) -> bool:
    """Whether an alternative is certainly of a built-in type, or a tensor of torch's own class, made here."""
    if isinstance(one, Tensor):
        return not one.argument and not one.of_subclass
    if type(one) is Sequence:
        return one.items is not None and one.kind in {"list", "set"}
    return isinstance(one, (Literal, NoneValue)) or (isinstance(one, Mapping) and (bool(one.items) or not one.rest))


def _is_foreign(inference: Inference, symbol: Symbol) -> bool:
    if isinstance(symbol, External):
        return symbol.name.partition(".")[0] not in _OF_BUILT_IN_TYPES
    if not isinstance(symbol, ClassSymbol) or not isinstance(symbol.scope.node, ast.ClassDef):
        return False
    outside = {base.name for base in inference.hierarchy.order(symbol) if isinstance(base, External)}
    if outside & (_PROTOCOLS | PARAMETERS):
        return False
    metaclasses = (one.value for one in symbol.scope.node.keywords if one.arg == "metaclass")
    return all(ast.unparse(one).rpartition(".")[2] in _METACLASSES for one in metaclasses)
