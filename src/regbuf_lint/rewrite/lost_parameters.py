"""Rewriting ``nn.Parameter(t).to(device)``, which is no Parameter where the call is no no-op."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import Argument, call, prefix_of
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import place_of
from regbuf_lint.rewrite.registration import primary

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

_CASTS = frozenset({"to", "cuda", "cpu", "xpu", "half", "double", "bfloat16", "type", "type_as"})


def cast_inside(source: SourceText, span: Span, style: TextStyle) -> Edit | None:
    """The assignment at ``span`` with its value cast before it becomes a Parameter: ``nn.Parameter(t.to(device))``.

    Args:
        source: the file.
        span: the simple statement.
        style: what the new text looks like.

    Returns:
        None where the statement does not assign the result of a method of a new Parameter to one target.

    Raises:
        CannotRewrite: the method is no cast, or libcst does not know the syntax.
    """
    statement = parse_statement(source, span)
    if not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
        return None
    made, methods = _chain(statement.value)
    if made is None or not methods:
        return None
    with refusing_what_libcst_refuses():
        first, *others = made.args
        inner = first.value
        for method in reversed(methods):
            inner = method.with_changes(func=cst.Attribute(primary(inner), _cast_of(method)))
        head = f"{code(statement.targets[0].target)} = {code(made.func)}("
        given = [Argument(inner, prefix_of(first)), *(Argument(one.value, prefix_of(one)) for one in others)]
        return Edit(span, call(head, given, place_of(source, span, style)))


def _chain(value: cst.BaseExpression) -> tuple[cst.Call | None, list[cst.Call]]:
    """The call of ``nn.Parameter`` that methods are called on, and the calls of these, the last one first."""
    methods: list[cst.Call] = []
    while isinstance(value, cst.Call) and not value.lpar:
        name = value.func.attr.value if isinstance(value.func, cst.Attribute) else getattr(value.func, "value", "")
        if name == "Parameter":
            return (value if value.args and not value.args[0].star else None), methods
        if not isinstance(value.func, cst.Attribute):
            break
        methods.append(value)
        value = value.func.value
    return None, []


def _cast_of(method: cst.Call) -> cst.Name:
    name = method.func.attr if isinstance(method.func, cst.Attribute) else cst.Name("")
    if name.value not in _CASTS:
        msg = f"what `.{name.value}()` gives of a new Parameter is a plain tensor, and no cast that could come first"
        raise CannotRewrite(msg)
    return name
