"""What code outside of a class assigns to an attribute of its objects, as far as the attribute's name tells."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import TENSOR_KINDS, NoneValue, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.index.files import FileFacts

_MOST_FILES = 24
"""Other files with such a name that are looked through."""
_ARGUMENTS_OF_SETATTR = 3


def other_value_from_outside(context: ClassContext, attribute: str) -> str | None:
    """Code outside of a class that may give its attribute what no buffer takes, in words; None where none does.

    What other files assign counts where they name the class and it certainly is no tensor: the attribute may be
    another class's.

    Args:
        context: the class.
        attribute: its name.
    """
    own = context.symbol.scope.file
    every = context.inference.project.files_reading(own, attribute)
    others = (one for one in every if one is not own and context.name in one.source.text)
    for file in (own, *islice(others, _MOST_FILES)):
        for target, value in _given_to_others(file.tree).get(attribute, ()):
            if not _is_within(context, file, target) and _is_refused(context, file, value):
                place = context.mention(file.span(target), file.path)
                return f"code outside of the class ({place}) gives an attribute of that name something else"
    return None


def _is_within(context: ClassContext, file: FileFacts, target: ast.expr) -> bool:
    """Whether an assignment stands in the class itself: what it gives to its parts is theirs."""
    node = context.symbol.scope.node
    if file is not context.symbol.scope.file or not isinstance(node, ast.ClassDef):
        return False
    return node.lineno <= target.lineno <= (node.end_lineno or node.lineno)


def _is_refused(context: ClassContext, file: FileFacts, value: ast.expr) -> bool:
    """Whether a buffer refuses a value, with TypeError; in the class's own file, whether it may."""
    found = Frame(context.inference, file.scope).evaluate(value, State())
    if file is context.symbol.scope.file:
        return not found or not all(isinstance(one, (NoneValue, *TENSOR_KINDS)) for one in found)
    return bool(found) and not any(isinstance(one, (NoneValue, Unknown, *TENSOR_KINDS)) for one in found)


@once_per_node
def _given_to_others(tree: ast.Module) -> Mapping[str, Sequence[tuple[ast.expr, ast.expr]]]:
    """What a file assigns to attributes of what is not a method's own object, by the attribute's name."""
    methods = (one for owner in walk(tree) if isinstance(owner, ast.ClassDef) for one in owner.body)
    receivers = {receiver_name(one) for one in methods if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
    found: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
    for target, owner, name, value in (*_assigned(tree), *_set_by_name(tree)):
        if not isinstance(owner, ast.Name) or owner.id not in receivers:
            found.setdefault(name, []).append((target, value))
    return found


def _assigned(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, str, ast.expr]]:
    for target, value in stores_in(tree):
        if isinstance(target, ast.Attribute):
            yield target, target.value, target.attr, value


def _set_by_name(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, str, ast.expr]]:
    for node in walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            name = node.args[1] if len(node.args) == _ARGUMENTS_OF_SETATTR else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield node, node.args[0], name.value, node.args[2]
