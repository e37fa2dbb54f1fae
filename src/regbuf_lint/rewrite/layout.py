"""Laying a call out as black and ruff do: on one line where it fits, else split at the brackets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import libcst as cst

_EMPTY = cst.Module([])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement is laid out.

    Attributes:
        indent: white space before it.
        unit: white space of one further level.
        width: number of columns that a line may have.
        behind: number of columns of what follows it on its last line (a comment).
        newline: line end of the file.
    """

    indent: str
    unit: str
    width: int
    behind: int = 0
    newline: str = "\n"

    def deeper(self) -> Place:
        """One level further in; what follows the statement does not follow this line, but a comma does."""
        return Place(self.indent + self.unit, self.unit, self.width, 1, self.newline)

    def fits(self, line: str) -> bool:
        """Whether a line that starts at the indentation ends within the width."""
        return len(self.indent.expandtabs(4)) + len(line) + self.behind <= self.width


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the call that is laid out.

    Attributes:
        prefix: ``name=`` or nothing.
        value: the expression, with the line breaks of the file.
    """

    prefix: str
    value: cst.BaseExpression


def code(node: cst.CSTNode) -> str:
    """Source text of a node."""
    return _EMPTY.code_for_node(node)


def call(head: str, arguments: list[Argument], place: Place, tail: str = ")") -> str:
    """Text of ``head`` followed by the arguments and ``tail``, without the indentation of its first line.

    Args:
        head: everything up to and including the opening bracket.
        arguments: what stands between the brackets.
        place: where the text goes.
        tail: the closing bracket and what belongs behind it.
    """
    flat = [flattened(argument) for argument in arguments]
    if None not in flat:
        inside = ", ".join(cast("list[str]", flat))
        if place.fits(f"{head}{inside}{tail}"):
            return f"{head}{inside}{tail}"
        inner = place.deeper()
        if Place(inner.indent, inner.unit, inner.width).fits(inside):
            return f"{head}{place.newline}{inner.indent}{inside}{place.newline}{place.indent}{tail}"
    return _one_per_line(head, arguments, place, tail)


def _one_per_line(head: str, arguments: list[Argument], place: Place, tail: str) -> str:
    inner = place.deeper()
    lines = [f"{inner.indent}{_argument(argument, inner)}," for argument in arguments]
    return place.newline.join([head, *lines, f"{place.indent}{tail}"])


def _argument(argument: Argument, place: Place) -> str:
    flat = flattened(argument)
    if flat is not None and place.fits(flat):
        return flat
    if _has_line_breaks(argument.value) and flat is None:
        return argument.prefix + code(deepened(argument.value, place.unit))
    exploded = _exploded(argument, place)
    if exploded is not None:
        return exploded
    return argument.prefix + code(deepened(argument.value, place.unit))


def _exploded(argument: Argument, place: Place) -> str | None:
    """A call that is too long for its line, split at its last brackets; None for any other expression."""
    value = argument.value
    if not isinstance(value, cst.Call) or not value.args:
        return None
    name = flattened(Argument("", value.func))
    if name is None or any(argument.star for argument in value.args):
        return None
    inner = [Argument(f"{arg.keyword.value}=" if arg.keyword else "", arg.value) for arg in value.args]
    return call(f"{argument.prefix}{name}(", inner, place)


def flattened(argument: Argument) -> str | None:
    """The argument on one line, None where a comment, a string or a trailing comma keeps its line breaks."""
    value = argument.value
    if not _has_line_breaks(value):
        return argument.prefix + code(value)
    if _keeps_breaks(value):
        return None
    flat = cast("cst.BaseExpression", value.visit(_Flatten()))
    text = code(flat)
    return None if "\n" in text or "\r" in text else argument.prefix + text


def _has_line_breaks(node: cst.BaseExpression) -> bool:
    text = code(node)
    return "\n" in text or "\r" in text


class _Keepers(cst.CSTVisitor):
    """Looks for what must not be joined: comments, strings over several lines, trailing commas before a bracket."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Comment(self, node: cst.Comment) -> None:  # noqa: ARG002, N802
        self.found = True

    def visit_SimpleString(self, node: cst.SimpleString) -> None:  # noqa: N802
        self.found = self.found or "\n" in node.value

    def visit_FormattedString(self, node: cst.FormattedString) -> None:  # noqa: N802
        self.found = self.found or "\n" in code(node)

    def visit_SimpleWhitespace(self, node: cst.SimpleWhitespace) -> None:  # noqa: N802
        self.found = self.found or "\\" in node.value

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
        self._check_last(node.args)

    def visit_List(self, node: cst.List) -> None:  # noqa: N802
        self._check_last(node.elements)

    def visit_Tuple(self, node: cst.Tuple) -> None:  # noqa: N802
        self._check_last(node.elements)

    def visit_Dict(self, node: cst.Dict) -> None:  # noqa: N802
        self._check_last(node.elements)

    def visit_Set(self, node: cst.Set) -> None:  # noqa: N802
        self._check_last(node.elements)

    def _check_last(self, items: object) -> None:
        elements = list(cast("list[cst.Arg]", items))
        if elements and isinstance(elements[-1].comma, cst.Comma):
            self.found = self.found or len(elements) > 1 or not isinstance(elements[-1], cst.Element)


def _keeps_breaks(node: cst.BaseExpression) -> bool:
    visitor = _Keepers()
    node.visit(visitor)
    return visitor.found


class _Flatten(cst.CSTTransformer):
    """Joins the lines of an expression that stands in brackets."""

    def leave_ParenthesizedWhitespace(  # noqa: N802
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        del original_node, updated_node
        return cst.SimpleWhitespace(" ")

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: ARG002, N802
        args = [arg.with_changes(whitespace_after_arg=cst.SimpleWhitespace("")) for arg in updated_node.args]
        return updated_node.with_changes(whitespace_before_args=cst.SimpleWhitespace(""), args=args)

    def leave_LeftParen(self, original_node: cst.LeftParen, updated_node: cst.LeftParen) -> cst.LeftParen:  # noqa: ARG002, N802
        return updated_node.with_changes(whitespace_after=cst.SimpleWhitespace(""))

    def leave_RightParen(self, original_node: cst.RightParen, updated_node: cst.RightParen) -> cst.RightParen:  # noqa: ARG002, N802
        return updated_node.with_changes(whitespace_before=cst.SimpleWhitespace(""))

    def leave_LeftSquareBracket(  # noqa: N802
        self, original_node: cst.LeftSquareBracket, updated_node: cst.LeftSquareBracket
    ) -> cst.LeftSquareBracket:
        del original_node
        return updated_node.with_changes(whitespace_after=cst.SimpleWhitespace(""))

    def leave_RightSquareBracket(  # noqa: N802
        self, original_node: cst.RightSquareBracket, updated_node: cst.RightSquareBracket
    ) -> cst.RightSquareBracket:
        del original_node
        return updated_node.with_changes(whitespace_before=cst.SimpleWhitespace(""))


class _Deepen(cst.CSTTransformer):
    """Moves the continuation lines of an expression to the right; lines inside strings stay."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def leave_ParenthesizedWhitespace(  # noqa: N802
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        del original_node
        last = cst.SimpleWhitespace(self._unit + updated_node.last_line.value)
        lines = [self._line(line) for line in updated_node.empty_lines]
        return updated_node.with_changes(last_line=last, empty_lines=lines)

    def _line(self, line: cst.EmptyLine) -> cst.EmptyLine:
        if line.comment is None:
            return line
        return line.with_changes(whitespace=cst.SimpleWhitespace(self._unit + line.whitespace.value))


def deepened(node: cst.BaseExpression, unit: str) -> cst.BaseExpression:
    """The expression with its continuation lines indented by one more ``unit``."""
    return cast("cst.BaseExpression", node.visit(_Deepen(unit)))
