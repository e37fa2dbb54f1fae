"""Of which classes the parts of an object are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.index.tree import stands_on
from regbuf_lint.infer.construction import construct
from regbuf_lint.infer.references import BuiltSubmodule
from regbuf_lint.infer.subclasses import subclasses_in
from regbuf_lint.model.value import is_only, join

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.infer.inference import Inference


def may_be_object_of(inference: Inference, symbol: ClassSymbol, file: FileFacts, expression: ast.expr) -> bool:
    """Whether an expression may be an object of a class, its bases or subclasses.

    It is none where it is a part (``self.part``) of an object whose constructor makes that part of another class.

    Args:
        inference: what the run shares.
        symbol: the class.
        file: where the expression stands.
        expression: what stands before a dot, as in ``self.part.attribute``.
    """
    owner = _class_around(inference, file, expression)
    name = expression.attr if isinstance(expression, ast.Attribute) else ""
    owners = () if owner is None else (owner, *subclasses_in(inference, owner, file))
    made = (construct(inference, one) for one in owners)
    held = join(one.attributes[name].value for one in made if one is not None and name in one.attributes)
    if not is_only(held, BuiltSubmodule):
        return True
    classes = (one.symbol for one in held if isinstance(one, BuiltSubmodule))
    return any(one is None or _are_related(inference, symbol, one) for one in classes)


def _class_around(inference: Inference, file: FileFacts, expression: ast.expr) -> ClassSymbol | None:
    """The class of whose object an expression is an attribute, as seen by the method in which it stands."""
    for scope in file.class_scopes():
        for function in inference.definition(ClassSymbol(scope)).methods.values():
            is_own = is_name(getattr(expression, "value", None), receiver_name(function))
            if is_own and stands_on(function, expression.lineno):
                return ClassSymbol(scope)
    return None


def _are_related(inference: Inference, one: ClassSymbol, other: ClassSymbol) -> bool:
    return one in inference.classes(other) or other in inference.classes(one)
