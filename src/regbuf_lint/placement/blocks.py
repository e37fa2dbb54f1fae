"""The block that a statement stands in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.scopes import nested_blocks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.span import Span


def is_alone_in_block(symbol: ClassSymbol, span: Span) -> bool:
    """Whether a statement of the class is all that its block holds, so that the block needs it."""
    block = block_around(symbol, span)
    return block is None or len(block) == 1


def block_around(symbol: ClassSymbol, span: Span) -> list[ast.stmt] | None:
    """The statements of the class beside one of them, itself included; None where none is at that place."""
    node, file = symbol.scope.node, symbol.scope.file
    for block in _blocks(getattr(node, "body", [])):
        if any(one.lineno == span.start.row and file.span(one) == span for one in block):
            return block
    return None


def assigns_beside(symbol: ClassSymbol, span: Span, names: Collection[str]) -> bool:
    """Whether the block of a statement of the class assigns an attribute of one of some names."""
    targets = (target for one in block_around(symbol, span) or () for target, _ in stores_in(one))
    return any(isinstance(one, ast.Attribute) and one.attr in names for one in targets)


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for statement in body:
        for block in nested_blocks(statement):
            yield from _blocks(block)
