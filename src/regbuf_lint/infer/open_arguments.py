"""Constructor arguments that might be tensors for all that the class says: by annotation, default and use."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, is_name, is_none
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import last_name, of_kind
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.constructor_arguments import ConstructorArguments
from regbuf_lint.model.value import NoneValue, Tensor, Value, is_only, may_be
from regbuf_lint.torch_facts.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference

_NUMBERS_ONLY = frozenset({"range", "chr", "open", "getattr", "setattr", "hasattr", "issubclass"})
"""Builtins that fail when they are given a tensor, or that make no sense of one."""


def open_arguments(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    """Arguments of the constructor that might be tensors and that objects of a class keep or compute from.

    Only names that reach an attribute directly, or through methods of the object, count: what is given to others is
    theirs.

    Args:
        inference: what the run shares.
        symbol: the class.
    """
    return inference.open_arguments.found(symbol, partial(_open_arguments, inference))


def _open_arguments(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    found = inference.find_method(symbol, "__init__")
    names = frozenset[str]() if found is None else frozenset(_undecided(inference, *found))
    keywords = frozenset[str]() if found is None else frozenset(_keywords(found[1]))
    if not names | keywords:
        return frozenset()
    arguments = ConstructorArguments(inference, symbol, rebound=True, keywords=keywords)
    names = names & arguments.used() | keywords
    if not names:
        return frozenset()
    functions = (function for _, function in arguments.functions())
    return names - {arguments.named_by(one, part) for one in functions for part in _no_tensors_in(one)}


def _undecided(inference: Inference, owner: ClassSymbol, function: FunctionNode) -> Iterator[str]:
    """Arguments of which no annotation says whether they are tensors, and that have no default but None."""
    for argument, default in arguments_with_defaults(function)[1:]:
        has_default = default is not None and not is_none(default)
        annotation = argument.annotation
        if not has_default and (annotation is None or _leaves_open(annotated(inference, owner.scope, annotation))):
            yield argument.arg


def _leaves_open(value: Value) -> bool:
    """Whether tensors are allowed and other things too (``float | Tensor``)."""
    return may_be(value, Tensor) and not is_only(value, Tensor, NoneValue)


def _keywords(function: FunctionNode) -> Iterator[str]:
    """Names under which the function asks ``**kwargs`` for something that it cannot do without."""
    rest = function.args.kwarg
    for target, value in stores_in(function) if rest is not None else ():
        asked = _asked(value, rest.arg) if rest is not None else None
        if asked and asked == last_name(target):
            yield asked


def _asked(value: ast.expr, rest: str) -> str | None:
    """The key of ``rest["key"]`` and ``rest.pop("key")``; None for any other expression."""
    owner: ast.expr
    match value:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            pass
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[ast.Constant(value=str(key))]):
            pass
        case _:
            return None
    return key if is_name(owner, rest) else None


@once_per_node
def _no_tensors_in(function: FunctionNode) -> tuple[ast.expr, ...]:
    """The names and attributes in a function that, standing where they stand, are hardly tensors."""
    parts = (*_used_as_others(function), *_tested(function))
    return tuple(one for one in parts if isinstance(one, (ast.Name, ast.Attribute)))


def _used_as_others(function: FunctionNode) -> Iterator[ast.expr]:
    """What is asked for what no tensor has, or given where none is taken."""
    known = table()
    for owner in of_kind(function, ast.Attribute):
        if owner.attr not in known.methods and owner.attr not in known.properties:
            yield owner.value
    for call in of_kind(function, ast.Call):
        yield call.func
        if _is_about_numbers(call.func):
            yield from call.args
    for item in of_kind(function, ast.Subscript):
        if isinstance(item.slice, ast.Constant) and isinstance(item.slice.value, str):
            yield item.value
    for comparison in of_kind(function, ast.Compare):
        yield from _compared(comparison)
    yield from (one.value for one in of_kind(function, ast.keyword) if one.arg is None)


def _tested(function: FunctionNode) -> Iterator[ast.expr]:
    """What is taken for true or false, which a tensor of several elements cannot be."""
    yield from (one.test for one in of_kind(function, ast.If))
    yield from (one.test for one in of_kind(function, ast.IfExp))
    yield from (one.test for one in of_kind(function, ast.While))
    for chosen in of_kind(function, ast.BoolOp):
        yield from chosen.values
    yield from (one.operand for one in of_kind(function, ast.UnaryOp) if isinstance(one.op, ast.Not))


def _is_about_numbers(callee: ast.expr) -> bool:
    """``range``, or a layer of ``nn`` that takes sizes: losses alone are given weights."""
    if isinstance(callee, ast.Name):
        return callee.id in _NUMBERS_ONLY
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, (ast.Name, ast.Attribute)):
        owner = callee.value.attr if isinstance(callee.value, ast.Attribute) else callee.value.id
        return owner == "nn" and callee.attr[:1].isupper() and not callee.attr.endswith(("Loss", "Parameter", "Buffer"))
    return False


def _compared(node: ast.Compare) -> Iterator[ast.expr]:
    sides = [node.left, *node.comparators]
    if any(isinstance(side, ast.Constant) and isinstance(side.value, (str, bool)) for side in sides):
        yield from sides
    if any(isinstance(operator, (ast.In, ast.NotIn)) for operator in node.ops):
        yield node.left
