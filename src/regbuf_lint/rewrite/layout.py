"""Laying a call out as black and ruff do: on one line where it fits, else split at the brackets.

What is longer than a line keeps the line breaks that it has in the file, since its author (or a formatter) put them
there; only what has none, or does not fit in its new place with them, is split anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import libcst as cst

from regbuf_lint.rewrite.breaks import breaks_in_strings_alone, deepened, flattened, has_comments
from regbuf_lint.rewrite.parsing import code
from regbuf_lint.rewrite.places import Place

_PRIORITIES: tuple[tuple[type[cst.BaseBinaryOp], ...], ...] = (
    (cst.BitOr,),
    (cst.BitXor,),
    (cst.BitAnd,),
    (cst.LeftShift, cst.RightShift),
    (cst.Add, cst.Subtract),
    (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply),
)
"""Operators at which a formatter splits an expression, those of one priority all at once."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the call that is laid out.

    Attributes:
        value: the expression, with the line breaks of the file.
        prefix: ``name=`` or nothing.
        indented: whether the expression's continuation lines are indented as those of an argument already, because
            it stood in parentheses of its own.
    """

    value: cst.BaseExpression
    prefix: str = ""
    indented: bool = False

    def flat(self) -> str | None:
        """The argument on one line; None where something keeps its line breaks."""
        text = flattened(self.value)
        return None if text is None else self.prefix + text

    def broken(self, unit: str) -> str:
        """The argument with the line breaks of the file, on a line of its own one level further in."""
        return self.prefix + (code(self.value) if self.indented else deepened(self.value, unit))


def call(head: str, arguments: list[Argument], place: Place, tail: str = ")") -> str:
    """Text of ``head`` followed by the arguments and ``tail``, without the indentation of its first line.

    Args:
        head: everything up to and including the opening bracket.
        arguments: what stands between the brackets.
        place: where the text goes.
        tail: the closing bracket and what belongs behind it.
    """
    flat = [argument.flat() for argument in arguments]
    if None not in flat:
        inside = ", ".join(cast("list[str]", flat))
        if place.fits(f"{head}{inside}{tail}"):
            return f"{head}{inside}{tail}"
        inner = place.deeper()
        if Place(inner.indent, inner.unit, inner.width).fits(inside):
            return f"{head}{place.newline}{inner.indent}{inside}{place.newline}{place.indent}{tail}"
    around = _around_strings(head, arguments, flat, tail)
    if around is not None and place.fits(around):
        return around
    return _one_per_line(head, arguments, place, tail)


def assignment(target: str, value: cst.BaseExpression, place: Place) -> str:
    """``target = value``, split at the brackets of a call where it is too long."""
    flat = flattened(value)
    if isinstance(value, cst.Call) and (flat is None or not place.fits(f"{target} = {flat}")):
        given = [Argument(one.value, prefix_of(one)) for one in value.args]
        return call(f"{target} = {code(value.func)}(", given, place)
    return f"{target} = {code(value) if flat is None else flat}"


def _around_strings(head: str, arguments: list[Argument], flat: list[str | None], tail: str) -> str | None:
    """The call on one line but for the line breaks inside strings; None where there are others."""
    if any(text is None and not breaks_in_strings_alone(one.value) for one, text in zip(arguments, flat, strict=True)):
        return None
    inside = (text or one.prefix + code(one.value) for one, text in zip(arguments, flat, strict=True))
    return f"{head}{', '.join(inside)}{tail}"


def _one_per_line(head: str, arguments: list[Argument], place: Place, tail: str, *, comma: bool = False) -> str:
    """Several arguments get a comma each, as black and ruff do it; a single one only where it has one."""
    inner = place.deeper()
    mark = "," if comma or len(arguments) > 1 else ""
    lines = [f"{inner.indent}{_argument(argument, inner)}{mark}" for argument in arguments]
    return place.newline.join([head, *lines, f"{place.indent}{tail}"])


def _argument(argument: Argument, place: Place) -> str:
    """The text of an argument on a line of its own."""
    flat = argument.flat()
    if flat is not None and place.fits(flat):
        return flat
    broken = argument.broken(place.unit)
    if has_comments(argument.value):
        return broken
    at_operators = _split_operators(argument, place)
    if at_operators is not None and not argument.indented:
        return at_operators
    if broken != flat and place.fits(broken):
        return broken
    return at_operators or _split_call(argument, place) or broken


def prefix_of(one: cst.Arg) -> str:
    """What stands before the value of an argument: its name, stars, or nothing."""
    return f"{one.keyword.value}=" if one.keyword is not None else one.star


def _split_call(argument: Argument, place: Place) -> str | None:
    """A call that is too long for its line, split at its last brackets; None for any other expression."""
    value = argument.value
    if not isinstance(value, cst.Call) or not value.args or value.lpar or any(one.star for one in value.args):
        return None
    name = flattened(value.func)
    if name is None:
        return None
    head = f"{argument.prefix}{name}("
    inner = [Argument(one.value, prefix_of(one)) for one in value.args]
    if isinstance(value.args[-1].comma, cst.Comma):
        return _one_per_line(head, inner, place, ")", comma=True)
    return call(head, inner, place)


def _split_operators(argument: Argument, place: Place) -> str | None:
    """Operands on lines of their own, each with its operator before it; None where there is no operator."""
    operands = _operands(argument.value)
    if len(operands) == 1:
        return None
    first, *more = operands
    pieces = [Argument(first.value, argument.prefix), *more]
    return f"{place.newline}{place.indent}".join(_argument(piece, place) for piece in pieces)


def _operands(value: cst.BaseExpression) -> list[Argument]:
    """What the operators of the lowest priority connect; the prefix of each but the first is its operator."""
    if isinstance(value, cst.IfExp) and not value.lpar:
        return [Argument(value.body), Argument(value.test, "if "), Argument(value.orelse, "else ")]
    found: list[Argument] = []
    kinds: tuple[type[cst.BaseBinaryOp], ...] | None = None
    while isinstance(value, cst.BinaryOperation) and not value.lpar:
        here = next((group for group in _PRIORITIES if isinstance(value.operator, group)), None)
        if here is None or (kinds is not None and here != kinds):
            break
        kinds = here
        found.append(Argument(value.right, f"{_sign(value.operator)} "))
        value = value.left
    return [Argument(value), *reversed(found)]


def _sign(operator: cst.BaseBinaryOp) -> str:
    """An operator without the space around it, in which there may be a backslash and a line break."""
    bare = cst.SimpleWhitespace("")
    return code(operator.with_changes(whitespace_before=bare, whitespace_after=bare))
