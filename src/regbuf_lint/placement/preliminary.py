"""What a method keeps under an attribute's name before the tensor, as a list out of which it then makes one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.attribute_places import assigns, attributes_of, by_statement, is_in_inner_scope
from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.tree import walk
from regbuf_lint.placement.blocks import block_around

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.span import Span


def preliminary_places(
    definition: ClassDefinition, method: str, attribute: str, statement: Span
) -> Mapping[Span, tuple[Span, ...]]:
    """Where a method names an attribute up to the statement that assigns the tensor, if a local could serve as well.

    It can where all of this stands in the block of that statement, begins with an assignment, and nothing in between
    gets the object or calls a method of it.

    Args:
        definition: the class.
        method: name of its method.
        attribute: the attribute.
        statement: the place of the statement.

    Returns:
        The places by the statement that they stand in, that of the tensor among them; none where no local could serve.
    """
    function, span = definition.methods.get(method), definition.symbol.scope.file.span
    receiver = None if function is None else receiver_name(function)
    block = block_around(definition.symbol, statement)
    if function is None or receiver is None or block is None:
        return {}
    nodes = [one for one in attributes_of(function.body, receiver) if one.attr == attribute]
    nodes = sorted((one for one in nodes if span(one).start < statement.end), key=lambda one: span(one).start)
    first = next((at for at, one in enumerate(block) if nodes and assigns(one, nodes[0])), None)
    last = next(at for at, one in enumerate(block) if span(one) == statement)
    if first is None or first >= last:
        return {}
    part = block[first : last + 1]
    if is_in_inner_scope(part, receiver, attribute) or _hands_on(part, receiver):
        return {}
    return by_statement(part, nodes, span)


def _hands_on(statements: list[ast.stmt], receiver: str) -> bool:
    """Whether something in the statements may look at the object by itself."""
    nodes = [node for one in statements for node in walk(one)]
    attributes = list(attributes_of(statements, receiver))
    named = sum(is_name(node, receiver) for node in nodes)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return named > len(attributes) or any(id(node) in called for node in attributes)
