"""The text that registers a buffer, given its owner, its name and its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.rewrite.breaks import KEEP_PARENTHESES, PRIMARIES, flattened, is_beside_comment
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import Argument, call
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.parsing import code

if TYPE_CHECKING:
    from regbuf_lint.rewrite.places import Place
    from regbuf_lint.rewrite.style import TextStyle


class Registered(Struct, frozen=True):
    """How one attribute is to be registered.

    Attributes:
        persistent: whether ``state_dict()`` shall have it.
        calls: names of methods to call on the value (``detach``, ``clone``), in this order.
        by_call: whether it takes a call of ``register_buffer``, whatever the style.
    """

    persistent: bool
    calls: tuple[str, ...] = ()
    by_call: bool = False

    @property
    def flags(self) -> list[Argument]:
        """Further arguments of the registration."""
        return [] if self.persistent else [Argument(cst.Name("False"), "persistent=")]


def registration(
    target: cst.Attribute,
    value: cst.BaseExpression,
    how: Registered,
    place: Place,
    style: TextStyle,
    annotation: cst.Annotation | None = None,
) -> str:
    """``target.register_buffer(name, value)``, or what the style asks for instead of it.

    An annotation stays on an assignment; whoever asks for a call takes care of it.
    """
    given = replace(argument(value, how), comment=place.comment)
    if style.buffer_style is BufferStyle.NN_BUFFER and not (how.by_call or _is_none(value)):
        head = code(target) if annotation is None else f"{code(target)}: {_on_one_line(annotation)}"
        return call(f"{head} = {style.buffer_name}(", [given, *how.flags], place)
    key = attribute_key(target.attr.value, style.class_name)
    name = cst.SimpleString(f"{style.quote}{key}{style.quote}")
    return call(f"{code(target.value)}.register_buffer(", [Argument(name), given, *how.flags], place)


def from_setattr(node: cst.Call, how: Registered, place: Place, style: TextStyle) -> str:
    """``setattr(owner, name, value)`` as a registration.

    Raises:
        CannotRewrite: it has other arguments, or a name that no buffer may have.
    """
    if len(node.args) != 3 or any(one.keyword or one.star for one in node.args):  # noqa: PLR2004
        msg = "its arguments are not three plain ones"
        raise CannotRewrite(msg)
    owner, name, value = (one.value for one in node.args)
    _refuse_name(name)
    given = replace(argument(value, how), comment=place.comment)
    if style.buffer_style is BufferStyle.NN_BUFFER and not how.by_call:
        inner = call(f"{style.buffer_name}(", [given, *how.flags], replace(place, width=100_000))
        return call("setattr(", [Argument(owner), Argument(name), Argument(cst.parse_expression(inner))], place)
    return call(f"{code(owner)}.register_buffer(", [Argument(name), given, *how.flags], place)


def _refuse_name(name: cst.BaseExpression) -> None:
    found = _Text()
    name.visit(found)
    if "." in found.text:
        msg = "its name has a dot, which `register_buffer` refuses with KeyError"
        raise CannotRewrite(msg)


class _Text(cst.CSTVisitor):
    """Collects the text of strings; expressions inside of f-strings, and what is replaced, are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def visit_Call(self, node: cst.Call) -> bool:  # noqa: N802
        """What ``.replace`` is given is not in the text that it gives, and its second argument is hardly ever a dot."""
        replaces = isinstance(node.func, cst.Attribute) and node.func.attr.value == "replace"
        if replaces:
            node.func.visit(self)
        return not replaces

    def visit_SimpleString(self, node: cst.SimpleString) -> None:  # noqa: N802
        self.text += node.value

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:  # noqa: N802
        self.text += node.value

    def visit_FormattedStringExpression(self, node: cst.FormattedStringExpression) -> bool:  # noqa: ARG002, N802
        return False


def _on_one_line(annotation: cst.Annotation) -> str:
    text = flattened(annotation.annotation)
    if text is None:
        msg = "its annotation does not fit on one line"
        raise CannotRewrite(msg)
    return text


def _is_none(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value == "None"


def argument(value: cst.BaseExpression, how: Registered) -> Argument:
    """The value as an argument: without the parentheses that only held it together over several lines.

    Raises:
        CannotRewrite: it is a tuple without parentheses, or was meant to be a Parameter.
    """
    if isinstance(value, cst.Tuple) and not value.lpar:
        msg = "its value is a tuple"
        raise CannotRewrite(msg)
    _refuse_lost_parameter(value)
    if how.calls:
        for name in how.calls:
            value = cst.Call(cst.Attribute(primary(value), cst.Name(name)))
        return Argument(value)
    if value.lpar and not isinstance(value, KEEP_PARENTHESES) and not is_beside_comment(value):
        bare = value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1])
        opened = not isinstance(value.lpar[0].whitespace_after, cst.ParenthesizedWhitespace)
        return Argument(bare, indented=True, opened=opened)
    return Argument(value)


def _refuse_lost_parameter(value: cst.BaseExpression) -> None:
    """``nn.Parameter(t).to(dtype)`` was meant to be a Parameter, and a buffer would hide that it is none."""
    whole = value
    while isinstance(value, (cst.Call, cst.Attribute)):
        name = value.func if isinstance(value, cst.Call) else None
        if isinstance(name, (cst.Name, cst.Attribute)) and code(name).rpartition(".")[2] == "Parameter":
            if value is whole:
                msg = "it is a Parameter by then, and no buffer can have its name"
                raise CannotRewrite(msg)
            msg = "calling a method on a new Parameter gives a plain tensor; call it first: `nn.Parameter(t.to(...))`"
            raise CannotRewrite(msg)
        value = value.func if isinstance(value, cst.Call) else value.value


def primary(value: cst.BaseExpression) -> cst.BaseExpression:
    """The expression as something that ``.name`` may follow."""
    if isinstance(value, PRIMARIES) or value.lpar:
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
