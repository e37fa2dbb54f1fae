"""Dicts of settings: what is merged over plain values replaces some of them, and is plain itself."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import Literal, Mapping, NoneValue, Other, Value, is_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference


def is_merged_over_settings(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether a method of the class, or of a base, merges the attribute over a dict of numbers, strings and the like.

    Such a method says ``{**defaults, **self.x}``, ``defaults | self.x`` or ``defaults.update(self.x)``.
    """
    for base in inference.classes(symbol):
        for function in inference.definition(base).methods.values():
            frame = Frame(inference, base.scope.child(function))
            for lower in _merged_over(function, attribute):
                if is_settings(frame.evaluate(lower, State())):
                    return True
    return False


def is_settings(value: Value) -> bool:
    """Whether a value is a dict that has plain values and no others."""
    return is_only(value, Mapping) and all(_is_plain(one) for one in value if isinstance(one, Mapping))


def _is_plain(one: Mapping) -> bool:
    return bool(one.items) and not one.rest and all(is_only(value, Literal, Other, NoneValue) for _, value in one.items)


def _merged_over(function: FunctionNode, attribute: str) -> Iterator[ast.expr]:
    """The dicts under ``self.x`` where a method merges it; what a local was given where it is one."""
    for node in walk(function):
        for lower, upper in _merges(node):
            if own_attribute(function, upper) == attribute:
                yield definition_of(function, lower)


def _merges(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Dict):
        unpacked = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        yield from pairwise(unpacked)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield node.left, node.right
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
        yield from ((node.func.value, given) for given in node.args)
