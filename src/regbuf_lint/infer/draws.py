"""Which attributes methods give what torch draws there and then."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.stores import values_in
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.index.tree import walk
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.inference import Inference


def is_drawn_by_torch(inference: Inference, classes: Iterable[ClassSymbol], attribute: str) -> bool:
    """Whether a method of some classes gives an attribute what a call draws that stands in the assigned expression."""
    return any(
        _draws(inference, owner.scope.child(method), node.func)
        for owner in classes
        for method in inference.definition(owner).methods.values()
        for value in values_in([method], attribute)
        for node in walk(value)
        if isinstance(node, ast.Call)
    )


def _draws(inference: Inference, scope: Scope, callee: ast.expr) -> bool:
    if isinstance(callee, ast.Attribute) and has("random_methods", callee.attr):
        return True
    meant = inference.project.resolve(scope, callee)
    return any(isinstance(one, External) and has("random_functions", one.name) for one in meant)
