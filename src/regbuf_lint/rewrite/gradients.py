"""Rewriting expressions that ask for a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import libcst as cst
from msgspec import Struct

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import Argument, call
from regbuf_lint.rewrite.parsing import code, parse_expression, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import place_of
from regbuf_lint.rewrite.registration import Registered, argument, primary

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

FLAGGED = "whether it asks for a gradient is only known at run time"
_REQUEST = "requires_grad_"


def as_parameter(source: SourceText, span: Span, parameter: str, style: TextStyle, *, is_flagged: bool) -> Edit:
    """The assignment at ``span`` with its value wrapped in ``parameter(...)`` and ``requires_grad=True`` dropped.

    Args:
        source: the file.
        span: the statement.
        parameter: how the file calls ``nn.Parameter``.
        style: how to lay out what is written.
        is_flagged: whether a flag decides whether the tensor asks for a gradient; the Parameter gets it, too.

    Raises:
        CannotRewrite: the statement is no assignment of one target, or does not show the flag.
    """
    statement = parse_statement(source, span)
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        head = f"{code(statement.target)}: {code(statement.annotation.annotation)} = "
        value = statement.value
    elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        head = f"{code(statement.targets[0].target)} = "
        value = statement.value
    else:
        msg = "it is no assignment of one target"
        raise CannotRewrite(msg)
    with refusing_what_libcst_refuses():
        dropped = _drop(value)
        inner = [argument(dropped.value, Registered(persistent=True))]
        if is_flagged:
            inner.append(Argument(_flag(dropped), prefix="requires_grad="))
        return Edit(span, call(f"{head}{parameter}(", inner, place_of(source, span, style)))


def _flag(dropped: _Dropped) -> cst.BaseExpression:
    if dropped.asked is None:
        raise CannotRewrite(FLAGGED)
    return dropped.asked


def without_gradient(source: SourceText, span: Span, *, detach: bool) -> Edit:
    """The expression at ``span`` as one that requires no gradient.

    Args:
        source: the file.
        span: the expression that is registered.
        detach: whether it is computed from parameters, so that only ``.detach()`` helps.

    Raises:
        CannotRewrite: the gradient is asked for somewhere else.
    """
    value = parse_expression(source, span)
    with refusing_what_libcst_refuses():
        dropped = _drop(value)
        if dropped.found:
            return Edit(span, code(dropped.value))
        unwrapped = _inside_parameter(value)
        if unwrapped is not None:
            return Edit(span, code(unwrapped))
        if detach or isinstance(value, (cst.Name, cst.Attribute)):
            return Edit(span, f"{code(primary(value))}.detach()")
    msg = "the gradient is asked for somewhere else"
    raise CannotRewrite(msg)


def value_of_frozen(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """``t`` of ``nn.Parameter(t, requires_grad=False)``; None where it is no such call."""
    dropped = _drop(_without_second(value))
    return _inside_parameter(dropped.value) if dropped.found else None


def _without_second(value: cst.BaseExpression) -> cst.BaseExpression:
    """``nn.Parameter(t, False)`` with the name of its second argument."""
    if not isinstance(value, cst.Call) or len(value.args) != 2 or any(one.keyword or one.star for one in value.args):  # noqa: PLR2004
        return value
    named = value.args[1].with_changes(keyword=cst.Name("requires_grad"))
    return value.with_changes(args=[value.args[0], named])


def is_bare_request(source: SourceText, span: Span) -> bool:
    """Whether a statement does nothing but ask an attribute for a gradient.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    statement = parse_statement(source, span)
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        function = statement.value.func
        return isinstance(function, cst.Attribute) and function.attr.value == _REQUEST and _is_dotted(function.value)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0].target
    return isinstance(target, cst.Attribute) and target.attr.value == "requires_grad" and _is_dotted(target)


def _is_dotted(value: cst.BaseExpression) -> bool:
    while isinstance(value, cst.Attribute):
        value = value.value
    return isinstance(value, cst.Name)


class _Dropped(Struct, frozen=True):
    value: cst.BaseExpression
    found: bool
    asked: cst.BaseExpression | None = None


def _drop(value: cst.BaseExpression) -> _Dropped:
    """The expression without the outermost request for a gradient."""
    if not isinstance(value, cst.Call):
        return _Dropped(value, found=False)
    if isinstance(value.func, cst.Attribute):
        if value.func.attr.value == _REQUEST:
            return _Dropped(value.func.value, found=True, asked=next((one.value for one in value.args), None))
        inner = _drop(value.func.value)
        if inner.found:
            changed = value.with_changes(func=value.func.with_changes(value=inner.value))
            return _Dropped(cast("cst.BaseExpression", changed), found=True, asked=inner.asked)
    kept = [one for one in value.args if not _is_request(one)]
    if len(kept) == len(value.args):
        return _Dropped(value, found=False)
    if kept and value.args[-1] is not kept[-1]:
        kept[-1] = kept[-1].with_changes(comma=value.args[-1].comma)
    asked = next(one.value for one in value.args if _is_request(one))
    return _Dropped(value.with_changes(args=kept), found=True, asked=asked)


def _is_request(one: cst.Arg) -> bool:
    return one.keyword is not None and one.keyword.value == "requires_grad"


def _inside_parameter(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """``t`` of ``nn.Parameter(t)``."""
    if not isinstance(value, cst.Call) or len(value.args) != 1:
        return None
    name = value.func.attr.value if isinstance(value.func, cst.Attribute) else getattr(value.func, "value", "")
    return value.args[0].value if name == "Parameter" else None
