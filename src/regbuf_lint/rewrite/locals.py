"""A local in the place of an attribute."""

from __future__ import annotations

from typing import TypeVar, cast

import libcst as cst

from regbuf_lint.rewrite.parsing import code

Node = TypeVar("Node", bound=cst.CSTNode)


def with_local(node: Node, texts: frozenset[str], local: str) -> Node:
    """A copy of an expression or statement that reads and assigns a local instead of an attribute.

    Args:
        node: it.
        texts: how the attribute is written there.
        local: name of the local.
    """
    return cast("Node", node.visit(_Put(texts, local)))


class _Put(cst.CSTTransformer):
    def __init__(self, texts: frozenset[str], local: str) -> None:
        super().__init__()
        self._texts = texts
        self._local = local

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return cst.Name(self._local) if code(original_node) in self._texts else updated_node
