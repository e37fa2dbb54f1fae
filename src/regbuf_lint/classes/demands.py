"""What methods demand of a tensor in an attribute and a moved or cast buffer does not meet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import later_methods, receiver_name
from regbuf_lint.classes.stores import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


_NUMPY = frozenset({"np", "numpy"})


def method_with_numpy(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> str | None:
    """A method that gives NumPy the attribute as it is, which raises for a tensor on an accelerator.

    Args:
        definitions: the class and its bases, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    for function in later_methods(definitions, runs_later):
        receiver = receiver_name(function)
        given = any(is_given_to_numpy(node, receiver, attribute) for node in ast.walk(function))
        if given or any(_reads(function, function, attribute, "numpy")):
            return function.name
    return None


def is_given_to_numpy(node: ast.AST, receiver: str | None, attribute: str) -> bool:
    """Whether a node is a call such as ``np.sinc(2 * self.x)``, which raises TypeError for CUDA tensors (torch 2.13).

    Args:
        node: any node of a method.
        receiver: what the method calls ``self``.
        attribute: the attribute.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    library = node.func.value
    is_numpy = isinstance(library, ast.Name) and library.id in _NUMPY
    return is_numpy and any(_is_operand(one, receiver, attribute) for one in node.args)


def _is_operand(node: ast.expr, receiver: str | None, attribute: str) -> bool:
    """Whether a value is the attribute itself, or computed with it by operators."""
    if isinstance(node, ast.BinOp):
        return any(_is_operand(one, receiver, attribute) for one in (node.left, node.right))
    return is_own(node.operand if isinstance(node, ast.UnaryOp) else node, receiver, attribute)


def method_asserting_dtype(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> str | None:
    """A method that asserts of which dtype the attribute is, so that a buffer that is cast trips it.

    Args:
        definitions: the class and its bases, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    for function in later_methods(definitions, runs_later):
        asserted = (node.test for node in ast.walk(function) if isinstance(node, ast.Assert))
        if any(True for test in asserted for _ in _reads(test, function, attribute, "dtype")):
            return function.name
    return None


def _reads(node: ast.AST, function: FunctionNode, attribute: str, part: str) -> Iterator[ast.Attribute]:
    """The places below a node of a method that say ``self.attribute.part``."""
    receiver = receiver_name(function)
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and one.attr == part and is_own(one.value, receiver, attribute):
            yield one
