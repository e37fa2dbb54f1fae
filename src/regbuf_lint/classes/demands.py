"""What methods demand of a tensor in an attribute and a moved or cast buffer does not meet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.classes.stores import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


def method_with_numpy(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> str | None:
    """A method that calls ``.numpy()`` on the attribute as it is, which raises for a tensor on an accelerator.

    Args:
        definitions: the class and its bases, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    found = (one.name for one in _later(definitions, runs_later) if any(_reads(one, one, attribute, "numpy")))
    return next(found, None)


def method_asserting_dtype(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> str | None:
    """A method that asserts of which dtype the attribute is, so that a buffer that is cast trips it.

    Args:
        definitions: the class and its bases, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    for function in _later(definitions, runs_later):
        asserted = (node.test for node in ast.walk(function) if isinstance(node, ast.Assert))
        if any(True for test in asserted for _ in _reads(test, function, attribute, "dtype")):
            return function.name
    return None


def _later(definitions: Sequence[ClassDefinition], runs_later: Callable[[str], bool]) -> Iterator[FunctionNode]:
    return (one for several in definitions for name, one in several.methods.items() if runs_later(name))


def _reads(node: ast.AST, function: FunctionNode, attribute: str, part: str) -> Iterator[ast.Attribute]:
    """The places below a node of a method that say ``self.attribute.part``."""
    receiver = receiver_name(function)
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and one.attr == part and is_own(one.value, receiver, attribute):
            yield one
