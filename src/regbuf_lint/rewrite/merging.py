"""An assignment, and the registration of what it assigned, as one registration."""

from __future__ import annotations

import tokenize
from io import StringIO
from typing import TYPE_CHECKING

import libcst as cst
from msgspec.structs import replace

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Span
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import comment_behind, without_statement
from regbuf_lint.rewrite.parsing import parse_expression
from regbuf_lint.rewrite.places import place_of, speaks_to_tool
from regbuf_lint.rewrite.statements import register

if TYPE_CHECKING:
    from regbuf_lint.rewrite.registration import Registered
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText


def merged(
    source: SourceText, assignment: Span, target: str, call: Span, how: Registered, style: TextStyle
) -> tuple[Edit, Edit]:
    """The registration in the place of the assignment, quoted as it was, with its comments above it.

    Args:
        source: the file.
        assignment: the statement ``self.x = value``.
        target: text of ``self.x``.
        call: the statement ``self.register_buffer("x", self.x)``.
        how: how it is registered.
        style: what the new text looks like.

    Raises:
        CannotRewrite: one of the statements has another form, or shares its line.
    """
    made = register(source, assignment, {target: how}, replace(style, quote=_quote(source, call) or style.quote))
    dropped = Edit(without_statement(source, call), "")
    comments = _comments(source, call)
    if not comments:
        return made, dropped
    place = place_of(source, assignment, style)
    if not place.alone:
        msg = "the registration has a comment, and another statement shares the line to which that would go"
        raise CannotRewrite(msg)
    return replace(made, content=place.joined([*comments, made.content])), dropped


def _quote(source: SourceText, call: Span) -> str:
    """The quotation mark of the name in a registration; empty where there is no such name."""
    node = parse_expression(source, call)
    name = node.args[0].value if isinstance(node, cst.Call) and node.args else None
    return name.quote if isinstance(name, cst.SimpleString) and len(name.quote) == 1 else ""


def _comments(source: SourceText, call: Span) -> list[str]:
    """The comments among the lines of a registration and behind it, those left out that speak to tools."""
    behind, end = comment_behind(source, call)
    text = source.slice(Span(call.start, end) if behind.startswith("#") else call)
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    return [one.string for one in tokens if one.type == tokenize.COMMENT and not speaks_to_tool(one.string)]
