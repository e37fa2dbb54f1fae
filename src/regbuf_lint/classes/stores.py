"""How an assignment to an attribute of ``self`` relates to what the attribute was before."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, is_name, is_none, last_name, receiver_name
from regbuf_lint.index.once import once_per_node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_CASTS = frozenset({"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "type_as", "xpu", "contiguous"})
"""Methods that give the same values in another place or form."""

_COPYING = _CASTS | {"clone", "detach"}
"""Those, and the methods that copy a tensor or take it out of its graph."""

_ABOUT_SHAPE = frozenset(
    {"shape", "device", "dtype", "ndim", "size", "dim", "numel", "new_zeros", "new_ones", "new_empty"}
)
"""What says nothing of a tensor's values."""


_RESHAPING = frozenset(
    {
        "cat", "concat", "concatenate", "hstack", "vstack", "stack", "repeat", "repeat_interleave", "tile", "expand",
        "pad", "view", "reshape", "flatten", "squeeze", "unsqueeze",
    }
)  # fmt: skip
"""Functions and methods whose result has another shape than what they are given."""


class Store(Enum):
    """What an assignment does to an attribute."""

    MOVE = "the same value on another device or in another dtype"
    UPDATE = "a value that is computed from the one before"
    REPLACEMENT = "another value, maybe of another shape"
    IN_PLACE = "an augmented assignment, which changes a tensor in place"


class Stores:
    """The assignments of one method.

    Args:
        nodes: every node of the method.
        receiver: name of its first parameter.
    """

    def __init__(self, nodes: Sequence[ast.AST], receiver: str) -> None:
        self._receiver = receiver
        self._assignments = [node for node in nodes if isinstance(node, (ast.Assign, ast.AnnAssign))]
        self._assigning = {
            one: node
            for node in self._assignments
            if node.value is not None
            for pattern in _targets(node)
            for one in ast.walk(pattern)
            if isinstance(one, ast.Attribute)
        }
        self._augmented = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
        self._loaded = {
            node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        }
        self._loops = [node for node in nodes if isinstance(node, (ast.For, ast.AsyncFor, ast.While))]

    def kind(self, target: ast.Attribute) -> Store:
        """What the assignment does that has ``target``, an attribute of ``self``, among its targets."""
        if target in self._augmented:
            return Store.IN_PLACE
        node = self._assigning.get(target)
        if node is None or node.value is None:
            return Store.REPLACEMENT
        if target in _targets(node) and self._is_moved(node.value, target.attr):
            return Store.MOVE
        return Store.UPDATE if self._depends(node.value, target.attr) else Store.REPLACEMENT

    def _is_moved(self, value: ast.expr, attribute: str) -> bool:
        """Whether a value is ``self.x``, ``self.x.to(...)``, ``torch.as_tensor(self.x, ...)``, or None instead."""
        while isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute) and value.func.attr in _CASTS:
                value = value.func.value
            elif value.args and last_name(value.func) == "as_tensor":
                value = value.args[0]
            else:
                return False
        if isinstance(value, ast.IfExp):
            return self._is_moved(value.body, attribute) and self._is_moved(value.orelse, attribute)
        return is_own(value, self._receiver, attribute) or is_none(value)

    def _depends(self, value: ast.expr, attribute: str) -> bool:
        """Whether a value is computed from the attribute's, directly or through locals that are set by then."""
        if attribute not in self._loaded:
            return False
        assignments = [node for node in self._assignments if self._may_run_before(node, value)]
        names: set[str] = set()
        known = -1
        while len(names) > known:
            known = len(names)
            for node in assignments:
                if node.value is not None and self._reads(node.value, attribute, names):
                    names |= {
                        one.id for pattern in _targets(node) for one in ast.walk(pattern) if isinstance(one, ast.Name)
                    }
            names.discard(self._receiver)
        return self._reads(value, attribute, names)

    def _may_run_before(self, node: ast.stmt, value: ast.expr) -> bool:
        """Whether a statement stands before a value, or in a loop around it."""
        here, there = (node.lineno, node.col_offset), (value.lineno, value.col_offset)
        return here < there or any(
            loop.lineno <= value.lineno and node.lineno <= (loop.end_lineno or loop.lineno) for loop in self._loops
        )

    def _reads(self, node: ast.AST, attribute: str, names: set[str]) -> bool:
        if is_own(node, self._receiver, attribute) or (isinstance(node, ast.Name) and node.id in names):
            return True
        if isinstance(node, ast.Attribute) and node.attr in _ABOUT_SHAPE:
            return False
        if isinstance(node, ast.Call) and last_name(node.func).endswith("_like"):
            return False
        return any(self._reads(child, attribute, names) for child in ast.iter_child_nodes(node))


@once_per_node
def stores_in(node: ast.AST) -> Sequence[tuple[ast.expr, ast.expr]]:
    """Every target of an assignment in a function or statement, with its value.

    A tuple is taken apart: its parts get those of a tuple of the same length, or else the whole value.
    """
    return tuple(
        pair
        for one in ast.walk(node)
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None
        for target in _targets(one)
        for pair in _pairs(target, one.value)
    )


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


def called_for(function: FunctionNode, attribute: str) -> Iterator[str]:
    """Last names of what a method calls to make the values that it assigns to an attribute of its ``self``."""
    for value in values_in([function], attribute):
        yield from (last_name(node.func) for node in ast.walk(value) if isinstance(node, ast.Call))


def kept_arguments(definition: ClassDefinition, holds: Callable[[ast.expr | None], bool]) -> dict[str, str]:
    """The arguments that ``__init__`` keeps as they are given, by the attributes that hold them.

    Args:
        definition: the class.
        holds: what has to hold for the argument's default, None where it has none.
    """
    function = definition.methods.get("__init__")
    if function is None:
        return {}
    stores = stores_in(function)
    bound_again = {target.id for target, _ in stores if isinstance(target, ast.Name)}
    given = {one.arg for one, default in arguments_with_defaults(function) if holds(default)} - bound_again
    return {
        target.attr: value.id
        for target, value in stores
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and value.id in given
    }


def reshapes(function: ast.AST, receiver: str | None, attribute: str) -> bool:
    """Whether a method gives an attribute its own value in another shape, as by adding rows to it."""
    return any(
        isinstance(value, ast.Call)
        and last_name(value.func) in _RESHAPING
        and any(is_own(node, receiver, attribute) for node in ast.walk(value))
        for value in map(_in_first_form, own_values(function, receiver, attribute))
    )


def _in_first_form(value: ast.expr) -> ast.expr:
    """``x`` for ``x.clone()``, ``x.to(...)`` and the like, any number of them."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _COPYING:
        value = value.func.value
    return value


def freezes(function: ast.AST) -> bool:
    """Whether a function says ``p.requires_grad = False`` or ``x.requires_grad_(False)``."""
    assigned = [(getattr(target, "attr", ""), value) for target, value in stores_in(function)]
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and node.args]
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
    named = (node for node in ast.walk(function) if isinstance(node, ast.Attribute))
    return frozenset(node.attr for node in named if is_name(node.value, receiver))


def is_stored_again(function: FunctionNode, attribute: str) -> bool:
    """Whether a method assigns what an attribute of its ``self`` holds to another attribute, of any object."""
    receiver = receiver_name(function)
    return any(
        isinstance(target, ast.Attribute) and is_own(value, receiver, attribute)
        for target, value in stores_in(function)
    )


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


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]
