"""Classes that look like nn.Module classes, though nothing is known of their bases."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import define, is_name, receiver_name
from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.index.tree import of_kind

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol

_CALLED_BY_MODULES = "forward"


def looks_like_module(symbol: ClassSymbol) -> bool:
    """Whether a class defines ``forward``, or calls on its objects what only an nn.Module has."""
    definition = define(symbol)
    if _CALLED_BY_MODULES in definition.methods:
        return True
    return any(_calls_own_module(function) for function in definition.methods.values())


def _calls_own_module(function: FunctionNode) -> bool:
    receiver, telling = receiver_name(function), _telling_names()
    calls = (node.func for node in of_kind(function, ast.Call))
    return any(isinstance(one, ast.Attribute) and one.attr in telling and is_name(one.value, receiver) for one in calls)


@cache
def _telling_names() -> frozenset[str]:
    """Public names of nn.Module of more than one word: single ones, such as ``train``, other classes have as well."""
    known = torch_class("torch.nn.Module")
    return frozenset(name for name in (known.names if known is not None else ()) if "_" in name.strip("_"))
