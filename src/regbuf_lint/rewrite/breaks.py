"""Line breaks inside an expression: joining them, and moving them to the right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import libcst as cst

from regbuf_lint.rewrite.parsing import code

if TYPE_CHECKING:
    from collections.abc import Sequence

PRIMARIES = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
"""What needs no parentheses, wherever it stands."""
KEEP_PARENTHESES = (cst.GeneratorExp, cst.NamedExpr, cst.Tuple, cst.Yield)
"""What is something else without its parentheses, or nothing."""

_BRACKETS = re.compile(r"""[()\[\]{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\#.*""")
"""A bracket; or a string or comment, so that none in it is found."""


def has_line_breaks(node: cst.CSTNode) -> bool:
    """Whether the text of an expression has more than one line."""
    text = code(node)
    return "\n" in text or "\r" in text


def flattened(node: cst.BaseExpression | cst.BaseSlice | cst.BaseSmallStatement) -> str | None:
    """Expression or statement on one line, None where a comment, a string or a trailing comma keeps its line breaks."""
    if not has_line_breaks(node):
        return code(node)
    keepers = _Keepers()
    node.visit(keepers)
    if keepers.found:
        return None
    text = code(_visited(node, _Join()))
    return None if "\n" in text or "\r" in text else text


def has_comments(node: cst.BaseExpression | cst.BaseSlice) -> bool:
    """Whether there are comments among the lines of an expression."""
    visitor = _Comments()
    node.visit(visitor)
    return visitor.found


def is_beside_comment(value: cst.BaseExpression) -> bool:
    """Whether the outermost parentheses hold a comment beside the expression, which would go with them."""
    return "#" in code(value.lpar[0].whitespace_after) + code(value.rpar[-1].whitespace_before)


def without_comment(
    node: cst.BaseExpression | cst.BaseSlice,
) -> tuple[cst.BaseExpression, str] | None:
    """An expression without its only comment, which stands at a bracket, and that comment; None for any other.

    A comment between two items speaks of the first of them. Parentheses that only held the two together go as well.
    """
    taken = _TakeComments()
    bare = _visited(node, taken)
    if len(taken.behind) != 1 or taken.alone or not isinstance(bare, cst.BaseExpression):
        return None
    before, _, after = code(node).partition(taken.behind[0])
    if not before.rstrip().endswith(("(", "[", "{")) and not after.lstrip().startswith((")", "]", "}")):
        return None
    if bare.lpar and not isinstance(bare, KEEP_PARENTHESES):
        bare = bare.with_changes(lpar=bare.lpar[1:], rpar=bare.rpar[:-1])
    return bare, taken.behind[0]


def has_rows(node: cst.BaseExpression | cst.BaseSlice) -> bool:
    """Whether items of a list or the like stand in rows as its author put them.

    Formatters that break a line between two items put a comma behind the last one.
    """
    visitor = _Rows()
    node.visit(visitor)
    return visitor.found


def breaks_in_strings_alone(node: cst.BaseExpression | cst.BaseSlice) -> bool:
    """Whether every line break of the expression stands inside a string."""
    visitor = _OutsideStrings()
    node.visit(visitor)
    return not visitor.found


def deepened(node: cst.BaseExpression | cst.BaseSlice, unit: str, *, less: int = 0) -> str:
    """The text with its continuation lines indented by one more ``unit``; lines inside strings stay.

    Args:
        node: the expression.
        unit: what is put before the lines.
        less: how many columns they lose.
    """
    return code(_visited(node, _Deepen(unit, less)))


def realigned(node: cst.BaseExpression | cst.BaseSlice, start: int, *, opened: bool = False) -> str | None:
    """The text with what stands below the inside of an opening bracket kept there; None where nothing does.

    Args:
        node: an expression over several lines.
        start: the column where its text will begin.
        opened: whether it began right behind a parenthesis that is gone.
    """
    first, *more = code(node).splitlines()
    gone = "(" if opened else ""
    inside = _inside_of_bracket(gone + first)
    if inside is None or not more or "\t" in more[0]:
        return None
    shift = start + inside - len(gone) - (len(more[0]) - len(more[0].lstrip()))
    return deepened(node, " " * shift, less=max(0, -shift))


def _inside_of_bracket(line: str) -> int | None:
    """Where the inside of the last bracket begins that a line leaves open; None where it holds no code."""
    opened: list[int] = []
    for match in _BRACKETS.finditer(line):
        if match[0] in "([{":
            opened.append(match.end())
        elif match[0] in ")]}" and opened:
            opened.pop()
    behind = line[opened[-1] :].strip() if opened else ""
    return opened[-1] if behind and not behind.startswith("#") else None


def _visited(node: cst.CSTNode, transformer: cst.CSTTransformer) -> cst.CSTNode:
    return cast("cst.CSTNode", node.visit(transformer))


class _Keepers(cst.CSTVisitor):
    """Looks for what must not be joined: comments, strings over several lines, trailing commas before a bracket."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Comment, cst.FormattedString, cst.SimpleString)):
            self.found = self.found or isinstance(node, cst.Comment) or "\n" in code(node)
        elif isinstance(node, cst.Call):
            self._check_last(node.args)
        elif isinstance(node, (cst.List, cst.Tuple, cst.Dict, cst.Set)) and not _is_single(node):
            self._check_last(node.elements)
        return not self.found

    def _check_last(self, items: Sequence[cst.Arg | cst.BaseElement | cst.BaseDictElement]) -> None:
        """A comma behind the last item asks for one line each."""
        self.found = self.found or (bool(items) and isinstance(items[-1].comma, cst.Comma))


def _is_single(node: cst.BaseExpression) -> bool:
    """Whether it is a tuple of one item, which needs its comma."""
    return isinstance(node, cst.Tuple) and len(node.elements) == 1


class _Rows(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        items = node.elements if isinstance(node, (cst.List, cst.Tuple, cst.Dict, cst.Set)) else ()
        if items and not isinstance(items[-1].comma, cst.Comma):
            commas = (one.comma for one in items[:-1] if isinstance(one.comma, cst.Comma))
            self.found = self.found or any(map(has_line_breaks, commas))
        return not self.found


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Comment(self, node: cst.Comment) -> None:  # noqa: ARG002, N802
        self.found = True


class _TakeComments(cst.CSTTransformer):
    """Takes the comments out of an expression."""

    def __init__(self) -> None:
        super().__init__()
        self.behind: list[str] = []
        self.alone = False

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        if isinstance(original_node, PRIMARIES) and len(original_node.lpar) == 1 and is_beside_comment(original_node):
            return updated_node.with_changes(lpar=(), rpar=())
        return cast("cst.CSTNode", super().on_leave(original_node, updated_node))

    def leave_ParenthesizedWhitespace(  # noqa: N802
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        del original_node
        self.alone = self.alone or any(line.comment is not None for line in updated_node.empty_lines)
        if updated_node.first_line.comment is None:
            return updated_node
        self.behind.append(updated_node.first_line.comment.value)
        return updated_node.with_changes(first_line=cst.TrailingWhitespace())


class _OutsideStrings(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Newline, cst.ParenthesizedWhitespace)):
            self.found = True
        elif isinstance(node, cst.SimpleWhitespace):
            self.found = self.found or "\\" in node.value
        return not self.found


_NOTHING = cst.SimpleWhitespace("")


class _Join(cst.CSTTransformer):
    """Joins the lines of an expression that stands in brackets."""

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        del original_node
        if isinstance(updated_node, cst.ParenthesizedWhitespace):
            return cst.SimpleWhitespace(" ")
        if isinstance(updated_node, cst.SimpleWhitespace):
            return cst.SimpleWhitespace(" ") if "\\" in updated_node.value else updated_node
        if isinstance(updated_node, (cst.LeftParen, cst.LeftSquareBracket, cst.LeftCurlyBrace)):
            return updated_node.with_changes(whitespace_after=_NOTHING)
        if isinstance(updated_node, (cst.RightParen, cst.RightSquareBracket, cst.RightCurlyBrace)):
            return updated_node.with_changes(whitespace_before=_NOTHING)
        return _without_space_at_brackets(updated_node)


def _without_space_at_brackets(node: cst.CSTNode) -> cst.CSTNode:
    if isinstance(node, cst.Call):
        args = [arg.with_changes(whitespace_after_arg=_NOTHING) for arg in node.args]
        return node.with_changes(whitespace_before_args=_NOTHING, args=args)
    if isinstance(node, cst.Dot):
        return cst.Dot()
    if isinstance(node, cst.Slice) and node.upper is None and node.step is None:
        return node.with_changes(first_colon=node.first_colon.with_changes(whitespace_after=_NOTHING))
    if isinstance(node, cst.Tuple) and _is_single(node):
        only = node.elements[0].with_changes(comma=cst.Comma(whitespace_after=_NOTHING))
        return node.with_changes(elements=[only])
    return node


class _Deepen(cst.CSTTransformer):
    """Moves the continuation lines of an expression to the right; lines inside strings stay."""

    def __init__(self, unit: str, less: int) -> None:
        super().__init__()
        self._unit = unit
        self._less = less

    def leave_ParenthesizedWhitespace(  # noqa: N802
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        del original_node
        last = self._moved(updated_node.last_line)
        lines = [self._line(line) for line in updated_node.empty_lines]
        return updated_node.with_changes(last_line=last, empty_lines=lines)

    def _line(self, line: cst.EmptyLine) -> cst.EmptyLine:
        if line.comment is None:
            return line
        return line.with_changes(whitespace=self._moved(line.whitespace))

    def _moved(self, space: cst.SimpleWhitespace) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace((self._unit + space.value)[self._less :])
