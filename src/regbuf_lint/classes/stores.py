"""How an assignment to an attribute of ``self`` relates to what the attribute was before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import nested_blocks
from regbuf_lint.index.tree import last_name, of_kind, walk
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.index.scopes import FunctionNode

_RESHAPING = frozenset(
    {
        "cat", "concat", "concatenate", "hstack", "vstack", "stack", "repeat", "repeat_interleave", "tile", "expand",
        "pad", "view", "view_as", "reshape", "reshape_as", "expand_as", "flatten", "squeeze", "unsqueeze", "unfold",
        "gather", "index_select", "masked_select", "take", "take_along_dim", "transpose", "permute", "movedim", "t",
    }
)  # fmt: skip
"""Functions and methods whose result has another shape than what they are given."""


@once_per_node
def stores_in(node: ast.AST) -> Sequence[tuple[ast.expr, ast.expr]]:
    """Every target of an assignment in a function or statement, with its value.

    A tuple is taken apart: its parts get those of a tuple of the same length, or else the whole value.
    """
    statements = (one for one in walk(node) if isinstance(one, (ast.Assign, ast.AnnAssign)))
    return tuple(pair for one in statements for pair in pairs_of(one))


def pairs_of(statement: ast.Assign | ast.AnnAssign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of one assignment, each with its value."""
    if statement.value is not None:
        for target in targets_of(statement):
            yield from _pairs(target, statement.value)


def whole_pairs(statement: ast.Assign | ast.AnnAssign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of one assignment that get all of an expression, each with it; not those that get parts of one."""
    targets = targets_of(statement)
    return ((one, value) for one, value in pairs_of(statement) if value is not statement.value or one in targets)


def assigned_attributes(function: FunctionNode) -> frozenset[str]:
    """The attributes of its ``self`` that statements of a method assign; quick, since no expression is looked into."""
    receiver = receiver_name(function)
    found: set[str] = set()
    waiting: list[ast.stmt] = list(function.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = (target for target, _ in pairs_of(statement) if isinstance(target, ast.Attribute))
            found.update(one.attr for one in targets if is_name(one.value, receiver))
        else:
            waiting += (inner for block in nested_blocks(statement) for inner in block)
    return frozenset(found)


@once_per_node
def own_annotations(function: FunctionNode) -> Mapping[str, ast.expr]:
    """The annotations in a method of attributes of its ``self``, as in ``self.x: Tensor | None = None``."""
    receiver = receiver_name(function)
    statements = of_kind(function, ast.AnnAssign)
    return {
        one.target.attr: one.annotation
        for one in statements
        if isinstance(one.target, ast.Attribute) and is_name(one.target.value, receiver)
    }


def own_values(node: ast.AST, receiver: str | None, attribute: str) -> Sequence[ast.expr]:
    """The values that a method, or one of its statements, assigns to an attribute of its ``self``."""
    return _values_by_target(node).get((receiver, attribute), ())


@once_per_node
def _values_by_target(node: ast.AST) -> Mapping[tuple[str | None, str], Sequence[ast.expr]]:
    """The values that are assigned to ``name.attribute``, by the two names."""
    found: dict[tuple[str | None, str], list[ast.expr]] = {}
    for target, value in stores_in(node):
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            found.setdefault((target.value.id, target.attr), []).append(value)
    return found


def values_in(functions: Iterable[FunctionNode], attribute: str) -> list[ast.expr]:
    """The values that methods assign to an attribute of their ``self``."""
    return [value for one in functions for value in own_values(one, receiver_name(one), attribute)]


def called_for(functions: Iterable[FunctionNode], attribute: str) -> Iterator[str]:
    """Last names of what methods call to make the values that they assign to an attribute of their ``self``."""
    for value in values_in(functions, attribute):
        yield from (last_name(node.func) for node in of_kind(value, ast.Call))


def reshapes(function: ast.AST, receiver: str | None, attribute: str) -> bool:
    """Whether a method gives an attribute its own value in another shape, as by adding rows to it."""
    return any(
        isinstance(value, ast.Call)
        and last_name(value.func) in _RESHAPING
        and any(is_own(node, receiver, attribute) for node in of_kind(value, ast.Attribute))
        for value in map(_in_first_form, own_values(function, receiver, attribute))
    )


def _in_first_form(value: ast.expr) -> ast.expr:
    """``x`` for ``x.clone()``, ``x.to(...)`` and the like, any number of them."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and _copies(value.func.attr):
        value = value.func.value
    return value


def _copies(method: str) -> bool:
    """Whether a method gives a tensor of the same elements."""
    copies = method == "detach" or has("move_methods", method) or has("copy_methods", method)
    return copies and method not in _RESHAPING


def freezes(function: ast.AST) -> bool:
    """Whether a function says ``p.requires_grad = False`` or ``x.requires_grad_(False)``."""
    assigned = [(getattr(target, "attr", ""), value) for target, value in stores_in(function)]
    calls = [node for node in of_kind(function, ast.Call) if node.args]
    return any(
        name in {"requires_grad", "requires_grad_"} and isinstance(value, ast.Constant) and value.value is False
        for name, value in (*assigned, *((last_name(one.func), one.args[0]) for one in calls))
    )


def is_own(node: ast.AST, receiver: str | None, attribute: str) -> bool:
    """Whether a node is ``self.attribute``, ``self`` being called ``receiver``."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver
    return own and getattr(node, "attr", None) == attribute


def names_own(function: FunctionNode, attribute: str) -> bool:
    """Whether a method reads or sets ``self.attribute``."""
    return attribute in _own_names(function)


@once_per_node
def _own_names(function: FunctionNode) -> frozenset[str]:
    receiver = receiver_name(function)
    return frozenset(node.attr for node in of_kind(function, ast.Attribute) if is_name(node.value, receiver))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Starred):
        yield from _pairs(target.value, value)
    elif not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
    else:
        for one, its in zip(target.elts, _parts(target, value), strict=True):
            yield from _pairs(one, its)


def _parts(target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.expr]:
    listed = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    starred = any(isinstance(one, ast.Starred) for one in (*target.elts, *listed))
    return listed if len(listed) == len(target.elts) and not starred else [value] * len(target.elts)


def targets_of(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """The targets of an assignment as they are written."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]
