"""Renaming variables, and only these: neither attributes nor the names of arguments at calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import libcst as cst

_TYPE_COMMENT = re.compile(r"#\s*type:")


class RenameVariables(Transformer):
    """Give variables other names, wherever below a node they stand.

    Args:
        names: the new name of each.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names
        self._word = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})\b")
        self._annotations = 0

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        new = self._names.get(original_node.value)
        return updated_node if new is None else updated_node.with_changes(value=new)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_ImportAlias(self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias) -> cst.ImportAlias:
        return updated_node.with_changes(name=original_node.name)

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> cst.ImportFrom:
        return updated_node.with_changes(module=original_node.module)

    def leave_MatchKeywordElement(
        self, original_node: cst.MatchKeywordElement, updated_node: cst.MatchKeywordElement
    ) -> cst.MatchKeywordElement:
        return updated_node.with_changes(key=original_node.key)

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotations += 1

    def leave_Annotation(self, original_node: cst.Annotation, updated_node: cst.Annotation) -> cst.Annotation:
        self._annotations -= 1
        return updated_node

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        if not self._annotations:
            return updated_node
        return updated_node.with_changes(value=self._in_text(original_node.value))

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:
        if not _TYPE_COMMENT.match(original_node.value):
            return updated_node
        return updated_node.with_changes(value=self._in_text(original_node.value))

    def _in_text(self, text: str) -> str:
        return self._word.sub(lambda match: self._names[match[1]], text)
