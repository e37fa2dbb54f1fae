"""Whether another class moves an attribute of the objects that it owns."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import names_in, receiver_name
from regbuf_lint.classes.uses import APPLY
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.infer.inference import Inference


def moved_by_owner(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether an ``_apply`` of the package that names the class or a base moves the attribute of another object."""
    family = {one.scope.qualname.rpartition(".")[2] for one in inference.classes(symbol)}
    return any(
        _moves(function, attribute) and not family.isdisjoint(names_in(function))
        for function in _movers(inference, symbol)
    )


def _movers(inference: Inference, symbol: ClassSymbol) -> Iterator[FunctionNode]:
    for file in inference.project.files_defining(symbol.scope.file, APPLY):
        yield from inference.movers.found(file, partial(_movers_in, inference))


def _movers_in(inference: Inference, file: FileFacts) -> list[FunctionNode]:
    definitions = (inference.definition(ClassSymbol(scope)) for scope in file.class_scopes())
    return [one.methods[APPLY] for one in definitions if APPLY in one.methods]


def _moves(function: FunctionNode, attribute: str) -> bool:
    """Whether a method writes ``other.attribute = fn(other.attribute)``."""
    receiver = receiver_name(function)
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and any(_is_others(target, receiver, attribute) for target in node.targets)
        for node in walk(function)
    )


def _is_others(target: ast.expr, receiver: str | None, attribute: str) -> bool:
    if not isinstance(target, ast.Attribute) or target.attr != attribute:
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id == receiver)
