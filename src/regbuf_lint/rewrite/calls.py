"""Arguments of a call, as they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.parsing import parse_expression

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


def is_registered_persistent(source: SourceText, call: Span) -> bool:
    """Whether a call of ``register_buffer`` does not say ``persistent=False``."""
    return persistence(source, call) is not False


def pattern_of_name(source: SourceText, call: Span) -> str:
    """The second argument of a call as a pattern for the strings that it can be, ``*`` where nothing is known of it."""
    try:
        node = parse_expression(source, call)
    except CannotRewrite:
        return "*"
    name = node.args[1].value if isinstance(node, cst.Call) and len(node.args) > 1 else None
    if not isinstance(name, cst.FormattedString):
        return "*"
    parts = (part.value if isinstance(part, cst.FormattedStringText) else "*" for part in name.parts)
    return re.sub(r"\*+", "*", "".join(parts))


def persistence(source: SourceText, call: Span) -> bool | None:
    """What a call of ``register_buffer`` says of ``persistent``; None where only a run can tell."""
    try:
        node = parse_expression(source, call)
    except CannotRewrite:
        return None
    if not isinstance(node, cst.Call):
        return None
    given = [one.value for one in node.args if one.keyword is not None and one.keyword.value == "persistent"]
    given += [one.value for one in node.args[2:3] if one.keyword is None and not one.star]
    if any(one.star for one in node.args):
        return None
    if not given:
        return True
    value = given[0]
    return {"True": True, "False": False}.get(value.value) if isinstance(value, cst.Name) else None
