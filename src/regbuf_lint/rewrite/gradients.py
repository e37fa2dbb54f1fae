"""Rewriting expressions that ask for a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.layout import Argument, call, code
from regbuf_lint.rewrite.statements import CannotRewrite, parse_statement, place_of
from regbuf_lint.rewrite.style import TextStyle

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


def as_parameter(source: SourceText, span: Span, parameter: str, style: TextStyle) -> Edit:
    """The assignment at ``span`` with its value wrapped in ``parameter(...)`` and ``requires_grad=True`` dropped.

    Raises:
        CannotRewrite: the statement is no assignment of one target.
    """
    statement = parse_statement(source, span)
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        head = f"{code(statement.target)}{code(statement.annotation)} = "
        value = statement.value
    elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        head = f"{code(statement.targets[0].target)} = "
        value = statement.value
    else:
        msg = "it is no assignment of one target"
        raise CannotRewrite(msg)
    inner = _drop(value).value
    return Edit(span, call(f"{head}{parameter}(", [Argument("", inner)], place_of(source, span, style)))


def without_gradient(source: SourceText, span: Span, *, detach: bool) -> Edit:
    """The expression at ``span`` as one that requires no gradient.

    Args:
        source: the file.
        span: the expression that is registered.
        detach: whether it is computed from parameters, so that only ``.detach()`` helps.

    Raises:
        CannotRewrite: the gradient is asked for somewhere else.
    """
    try:
        value = cst.parse_expression(source.slice(span))
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        msg = "libcst cannot parse the expression"
        raise CannotRewrite(msg) from None
    dropped = _drop(value)
    if dropped.found:
        return Edit(span, code(dropped.value))
    unwrapped = _inside_parameter(value)
    if unwrapped is not None:
        return Edit(span, code(unwrapped))
    if not detach and not isinstance(value, (cst.Name, cst.Attribute)):
        msg = "the gradient is asked for somewhere else"
        raise CannotRewrite(msg)
    return Edit(span, f"{_primary(value)}.detach()")


def _primary(value: cst.BaseExpression) -> str:
    plain = isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or bool(value.lpar)
    return code(value) if plain else f"({code(value)})"


@dataclass(frozen=True, slots=True)
class _Dropped:
    value: cst.BaseExpression
    found: bool


def _drop(value: cst.BaseExpression) -> _Dropped:
    """The expression without the outermost request for a gradient."""
    if not isinstance(value, cst.Call):
        return _Dropped(value, found=False)
    if isinstance(value.func, cst.Attribute):
        if value.func.attr.value == "requires_grad_":
            return _Dropped(value.func.value, found=True)
        inner = _drop(value.func.value)
        if inner.found:
            changed = value.with_changes(func=value.func.with_changes(value=inner.value))
            return _Dropped(cast("cst.BaseExpression", changed), found=True)
    kept = [argument for argument in value.args if not _is_request(argument)]
    if len(kept) == len(value.args):
        return _Dropped(value, found=False)
    if kept and value.args[-1] is not kept[-1]:
        kept[-1] = kept[-1].with_changes(comma=value.args[-1].comma)
    return _Dropped(value.with_changes(args=kept), found=True)


def _is_request(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value == "requires_grad"


def _inside_parameter(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """``t`` of ``nn.Parameter(t)``."""
    if not isinstance(value, cst.Call) or len(value.args) != 1:
        return None
    name = value.func.attr.value if isinstance(value.func, cst.Attribute) else getattr(value.func, "value", "")
    return value.args[0].value if name == "Parameter" else None
