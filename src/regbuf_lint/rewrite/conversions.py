"""From one way to register a buffer to the other, and from a frozen Parameter to a buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from msgspec import Struct

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.gradients import value_of_frozen
from regbuf_lint.rewrite.layout import Argument, call
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.parsing import code, parse_expression, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import place_of
from regbuf_lint.rewrite.registration import Registered, registration

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

_NAMES = ("name", "tensor", "persistent")


def as_assignment(source: SourceText, span: Span, style: TextStyle) -> Edit:
    """``self.register_buffer("x", t, ...)`` as ``self.x = nn.Buffer(t, ...)``; ``persistent`` stays as it is.

    Raises:
        CannotRewrite: the call has another form.
    """
    node = parse_expression(source, span)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        msg = "it is no plain call of `register_buffer`"
        raise CannotRewrite(msg)
    given = _by_name(node, _NAMES)
    name, tensor = given.pop("name", None), given.pop("tensor", None)
    attribute = name.evaluated_value if isinstance(name, cst.SimpleString) else None
    if tensor is None or not isinstance(attribute, str) or not attribute.isidentifier():
        msg = "the name is no literal that an attribute can have"
        raise CannotRewrite(msg)
    with refusing_what_libcst_refuses():
        head = f"{code(node.func.value)}.{attribute} = {style.buffer_name}("
        return Edit(span, _laid_out(head, tensor, given, node, _Target(source, span, style)))


def as_registration(source: SourceText, span: Span, style: TextStyle) -> Edit:
    """``self.x = nn.Buffer(t, ...)`` as ``self.register_buffer("x", t, ...)``; ``persistent`` stays as it is.

    Raises:
        CannotRewrite: the statement has another form.
    """
    statement = parse_statement(source, span)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if not isinstance(statement, cst.Assign) or not isinstance(target, cst.Attribute):
        msg = "it is no assignment of one attribute"
        raise CannotRewrite(msg)
    if not isinstance(statement.value, cst.Call):
        msg = "its value is no plain call"
        raise CannotRewrite(msg)
    given = _by_name(statement.value, ("data",))
    tensor = given.pop("data", None)
    if tensor is None:
        msg = "it has no tensor"
        raise CannotRewrite(msg)
    if isinstance(tensor, cst.Name) and tensor.value == "None":
        msg = "`nn.Buffer` makes an empty tensor of None, and `register_buffer` does not"
        raise CannotRewrite(msg)
    with refusing_what_libcst_refuses():
        key = attribute_key(target.attr.value, style.class_name)
        head = f"{code(target.value)}.register_buffer("
        name = Argument(cst.SimpleString(f"{style.quote}{key}{style.quote}"))
        return Edit(span, _laid_out(head, tensor, given, statement.value, _Target(source, span, style), name))


def frozen_as_buffer(source: SourceText, span: Span, style: TextStyle) -> Edit:
    """``self.w = nn.Parameter(t, requires_grad=False)`` as the registration of a persistent buffer.

    So is what ``self.register_parameter`` is given.

    Raises:
        CannotRewrite: the statement has another form.
    """
    statement = parse_statement(source, span)
    target, parameter = _target_and_parameter(statement)
    value = None if parameter is None else value_of_frozen(parameter)
    if value is None or target is None:
        msg = "the statement is more than `self.x = nn.Parameter(t, requires_grad=False)`"
        raise CannotRewrite(msg)
    with refusing_what_libcst_refuses():
        place = place_of(source, span, style)
        return Edit(span, registration(target, value, Registered(persistent=True), place, style))


def _target_and_parameter(
    statement: cst.BaseSmallStatement,
) -> tuple[cst.Attribute | None, cst.BaseExpression | None]:
    """The attribute that gets a Parameter, and the Parameter: assigned, or given to ``register_parameter``."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        return (target if isinstance(target, cst.Attribute) else None), statement.value
    node = statement.value if isinstance(statement, cst.Expr) else None
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None, None
    given = _by_name(node, ("name", "param"))
    name = given.get("name")
    attribute = name.evaluated_value if isinstance(name, cst.SimpleString) else None
    is_name = isinstance(attribute, str) and attribute.isidentifier()
    return (cst.Attribute(node.func.value, cst.Name(str(attribute))) if is_name else None), given.get("param")


class _Target(Struct, frozen=True):
    source: SourceText
    span: Span
    style: TextStyle


def _by_name(node: cst.Call, names: tuple[str, ...]) -> dict[str, cst.BaseExpression]:
    """The arguments of a call by the names of its parameters, ``persistent`` among them.

    Raises:
        CannotRewrite: there are other arguments, or unpacked ones.
    """
    found: dict[str, cst.BaseExpression] = {}
    for index, one in enumerate(node.args):
        name = one.keyword.value if one.keyword is not None else names[index] if index < len(names) else ""
        if one.star or name not in (*names, "persistent"):
            msg = "it has other arguments"
            raise CannotRewrite(msg)
        found[name] = one.value
    return found


def _laid_out(
    head: str,
    tensor: cst.BaseExpression,
    rest: dict[str, cst.BaseExpression],
    node: cst.Call,
    target: _Target,
    *first: Argument,
) -> str:
    indented = "\n" in code(node.whitespace_before_args) or "\r" in code(node.whitespace_before_args)
    flags = [Argument(value, f"{name}=") for name, value in rest.items()]
    place = place_of(target.source, target.span, target.style)
    return call(head, [*first, Argument(tensor, indented=indented), *flags], place)
