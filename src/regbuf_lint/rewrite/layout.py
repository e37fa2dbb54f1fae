"""Laying a call out as black and ruff do: on one line where it fits, else split at the brackets.

What is longer than a line keeps the line breaks that it has in the file, since its author (or a formatter) put them
there; only what has none, does not fit in its new place with them, or needs no more than one pair of brackets to be
opened is split anew. Rows of items that no formatter wrote are kept in any case, and so is what none may change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.settings import Brackets
from regbuf_lint.rewrite.breaks import (
    KEEP_PARENTHESES,
    breaks_in_strings_alone,
    deepened,
    flattened,
    has_comments,
    has_line_breaks,
    has_rows,
    realigned,
    without_comment,
)
from regbuf_lint.rewrite.parsing import code
from regbuf_lint.rewrite.places import Place, columns

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT_WHOLE = (cst.BaseSlice, cst.GeneratorExp, cst.NamedExpr, cst.Yield)
"""What stands in no brackets that it could do without."""

_KEYWORD = re.compile(r"\w+=(?!=)")

_FEWEST_LINKS = 3
"""Of so many calls in a row formatters put each on a line of its own."""

_PRIORITIES: tuple[tuple[type[cst.BaseBinaryOp], ...], ...] = (
    (cst.BitOr,),
    (cst.BitXor,),
    (cst.BitAnd,),
    (cst.LeftShift, cst.RightShift),
    (cst.Add, cst.Subtract),
    (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply),
    (cst.Power,),
)
"""Operators at which a formatter splits an expression, those of one priority all at once."""


class Argument(Struct, frozen=True):
    """An argument of the call that is laid out.

    Attributes:
        value: the expression, with the line breaks of the file.
        prefix: ``name=`` or nothing.
        indented: whether the expression's continuation lines are indented as those of an argument already, because
            it stood in parentheses of its own.
        opened: whether it began right behind these parentheses, and its continuation lines stand below it.
        comment: what stands behind its last line, where it keeps its line breaks.
    """

    value: cst.BaseExpression | cst.BaseSlice
    prefix: str = ""
    indented: bool = False
    opened: bool = False
    comment: str = ""

    def flat(self) -> str | None:
        """The argument on one line; None where something in it keeps its line breaks."""
        text = flattened(self.value)
        return None if text is None else self.prefix + text

    def flat_at(self, place: Place) -> str | None:
        """The argument on one line; None where it keeps its line breaks there."""
        return None if self.keeps_rows(place) else self.flat()

    def keeps_rows(self, place: Place) -> bool:
        """Whether no formatter lays the text out, or none would have written the rows of its items."""
        if not has_line_breaks(self.value) or breaks_in_strings_alone(self.value):
            return False
        return place.as_written or (place.brackets is Brackets.DEDENTED and has_rows(self.value))

    def broken(self, place: Place) -> str:
        """The argument with the line breaks of the file, on a line of its own one level further in.

        What stands below what is behind an opening bracket does so in its new place.
        """
        below = realigned(self.value, columns(place.indent) + len(self.prefix), opened=self.opened)
        return self.prefix + (below or (code(self.value) if self.indented else deepened(self.value, place.unit)))


def call(head: str, arguments: list[Argument], place: Place, tail: str = ")") -> str:
    """Text of ``head`` followed by the arguments and ``tail``, without the indentation of its first line.

    Args:
        head: everything up to and including the opening bracket.
        arguments: what stands between the brackets.
        place: where the text goes.
        tail: the closing bracket and what belongs behind it.
    """
    flat = [argument.flat_at(place) for argument in arguments]
    if None not in flat:
        inside = ", ".join(cast("list[str]", flat))
        if place.fits(f"{head}{inside}{tail}"):
            return f"{head}{inside}{tail}"
        as_yapf = _closed_behind(head, cast("list[str]", flat), place, tail)
        if as_yapf is not None:
            return as_yapf
        inner = place.deeper()
        if Place(inner.indent, inner.unit, inner.width).fits(inside):
            return f"{head}{place.newline}{inner.indent}{inside}{place.newline}{place.indent}{tail}"
    around = _around_strings(head, arguments, flat, tail)
    if around is not None and place.fits(around):
        return around
    return _one_per_line(head, arguments, place, tail)


def assignment(target: str, value: cst.BaseExpression, place: Place) -> str:
    """``target = value``, split at the brackets of a call where it is too long."""
    flat = Argument(value).flat_at(place)
    if isinstance(value, cst.Call) and (flat is None or not place.fits(f"{target} = {flat}")):
        given = [Argument(one.value, prefix_of(one)) for one in value.args]
        return call(f"{target} = {code(value.func)}(", given, place)
    return f"{target} = {code(value) if flat is None else flat}"


def rejoined(old: cst.BaseSmallStatement, new: cst.BaseSmallStatement, before: Place, after: Place) -> str | None:
    """A changed statement on one line, where the old one was only too long for that; None where its lines stay."""
    was, text = _on_one_line(old), _on_one_line(new)
    return None if was is None or text is None or before.fits(was) or not after.fits(text) else text


def _on_one_line(statement: cst.BaseSmallStatement) -> str | None:
    """The statement without its line breaks, and without the parentheses that only held its value together."""
    value = statement.value if isinstance(statement, (cst.Assign, cst.AugAssign)) else None
    if value is not None and value.lpar and not isinstance(value, KEEP_PARENTHESES):
        bare = flattened(value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1]))
        head = code(statement.with_changes(value=cst.Name("_"))).removesuffix("_")
        return None if bare is None or has_comments(value) else head + bare
    return flattened(statement)


def _closed_behind(head: str, items: list[str], place: Place, tail: str) -> str | None:
    """The call as yapf splits it, the closing bracket behind the last item; None where an item is too long for that.

    What may hang does so where it has a keyword, and what does not fit below the bracket.
    """
    if place.brackets is Brackets.DEDENTED:
        return None
    indent = place.indent + " " * len(head)
    aligned = head + f",{place.newline}{indent}".join(items) + tail
    hangs = place.brackets is Brackets.HANGING and any(_KEYWORD.match(one) for one in items)
    if not hangs and place.fits(aligned):
        return aligned
    inner = replace(place, indent=place.indent + place.unit)
    inside = ", ".join(items)
    if not inner.fits(f"{inside}{tail}"):
        inside = f",{place.newline}{inner.indent}".join(items)
    hanging = f"{head}{place.newline}{inner.indent}{inside}{tail}"
    return hanging if place.fits(hanging) else None


def _around_strings(head: str, arguments: list[Argument], flat: list[str | None], tail: str) -> str | None:
    """The call on one line but for the line breaks inside strings; None where there are others."""
    if any(text is None and not breaks_in_strings_alone(one.value) for one, text in zip(arguments, flat, strict=True)):
        return None
    inside = (text or one.prefix + code(one.value) for one, text in zip(arguments, flat, strict=True))
    return f"{head}{', '.join(inside)}{tail}"


def _one_per_line(head: str, arguments: list[Argument], place: Place, tail: str, *, comma: bool = False) -> str:
    """Several arguments get a comma each, as black and ruff do it; a single one only where it has one."""
    mark = "," if comma or len(arguments) > 1 else ""
    inner = replace(place.deeper(), behind=len(mark), brackets=Brackets.DEDENTED)
    lines = [f"{inner.indent}{_item_line(one, inner, mark)}" for one in arguments]
    return place.newline.join([head, *lines, f"{place.indent}{tail}"])


def _item_line(argument: Argument, place: Place, mark: str) -> str:
    """An argument with the comma and the comment behind it."""
    if argument.comment and argument.flat_at(place) is None:
        return f"{_argument(argument, place)}{mark}  {argument.comment}"
    return _commented(argument, place) or _argument(argument, place) + mark


def _commented(argument: Argument, place: Place) -> str | None:
    """An argument with its only comment behind it, where formatters put that; None where it has no such comment."""
    if argument.keeps_rows(place):
        return None
    found = without_comment(argument.value)
    text = flattened(found[0]) if found is not None else None
    if found is None or text is None:
        return None
    line = f"{argument.prefix}{text}{',' * place.behind}  {found[1]}"
    return line if replace(place, behind=0).fits(line) else None


def _argument(argument: Argument, place: Place) -> str:
    """The text of an argument on a line of its own."""
    flat = argument.flat_at(place)
    if flat is not None and place.fits(flat):
        return flat
    broken = argument.broken(place)
    if has_comments(argument.value) or argument.keeps_rows(place):
        return broken
    if isinstance(argument.value, cst.IfExp) and not argument.value.lpar:
        return _parenthesized(argument, place)
    at_operators = _split_operators(argument, place)
    if at_operators is not None and not argument.indented:
        return at_operators
    split = _split_brackets(argument, place)
    takes_three_lines = split is not None and split.count(place.newline) == 2  # noqa: PLR2004
    if broken != flat and place.fits(broken) and not takes_three_lines:
        return broken
    return at_operators or split or broken


def _parenthesized(argument: Argument, place: Place) -> str:
    """A choice between two values with parentheses around it, which black writes and ruff leaves."""
    inner = replace(place.deeper(), behind=0)
    text = _split_operators(Argument(argument.value), inner) or ""
    return f"{argument.prefix}({place.newline}{inner.indent}{text}{place.newline}{place.indent})"


def prefix_of(one: cst.Arg) -> str:
    """What stands before the value of an argument: its name, stars, or nothing."""
    return f"{one.keyword.value}=" if one.keyword is not None else one.star


def _split_brackets(argument: Argument, place: Place) -> str | None:
    """An expression that is too long for its line, split at the last of its brackets before which the rest fits.

    Brackets that hold what cannot be on one line are split before others, and those with a comma at their end are
    split into one item for each line.
    """
    found = list(_brackets(argument.value))
    chosen = next((one for one in found if one.must_break), None)
    if chosen is None and argument.flat() is not None:
        before = replace(place, behind=0)
        fits = (one for one in found if before.fits(argument.prefix + one.head) and place.fits(one.tail))
        chosen = next(fits, None)
    if chosen is None or not chosen.is_complete:
        return None
    head = argument.prefix + chosen.head
    if chosen.has_comma:
        return _one_per_line(head, chosen.inside, place, chosen.tail, comma=True)
    return call(head, chosen.inside, place, chosen.tail)


class _Bracket(Struct, frozen=True):
    """A pair of brackets in an expression.

    Attributes:
        head: what stands before, on one line, with the opening one.
        inside: the items.
        tail: the closing one, and what stands behind it.
        has_comma: whether a comma stands behind the last item.
        is_complete: whether head and tail are on one line each.
    """

    head: str
    inside: list[Argument]
    tail: str
    has_comma: bool = False
    is_complete: bool = True

    @property
    def must_break(self) -> bool:
        """Whether the content cannot be on one line."""
        return self.has_comma or any(one.flat() is None for one in self.inside)


def _brackets(value: cst.BaseExpression | cst.BaseSlice) -> Iterator[_Bracket]:
    """The brackets of an expression that are in no others, from its end to its start; those without content not."""
    if isinstance(value, _KEPT_WHOLE) or (isinstance(value, cst.Tuple) and not value.lpar):
        return
    if value.lpar and not isinstance(value, cst.Tuple):
        bare = value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1])
        yield _Bracket("(", [Argument(bare)], ")")
    elif isinstance(value, (cst.List, cst.Set, cst.Tuple)) and value.elements:
        opening, closing = "()" if isinstance(value, cst.Tuple) else "[]" if isinstance(value, cst.List) else "{}"
        comma = isinstance(value.elements[-1].comma, cst.Comma)
        yield _Bracket(opening, [_item(one) for one in value.elements], closing, comma)
    elif isinstance(value, cst.ListComp):
        yield _Bracket("[", [Argument(cst.GeneratorExp(value.elt, value.for_in, lpar=(), rpar=()))], "]")
    elif isinstance(value, cst.Attribute):
        yield from _followed(value.value, f".{value.attr.value}")
    elif isinstance(value, cst.Call):
        given = [Argument(one.value, prefix_of(one)) for one in value.args]
        comma = bool(value.args) and isinstance(value.args[-1].comma, cst.Comma)
        yield from _trailer(value.func, _Bracket("(", given, ")", comma))
    elif isinstance(value, cst.Subscript):
        yield from _trailer(value.value, _Bracket("[", [_item(one) for one in value.slice], "]"))


def _trailer(owner: cst.BaseExpression, bracket: _Bracket) -> Iterator[_Bracket]:
    """The brackets behind an expression, and those that it has itself."""
    if bracket.inside:
        before = flattened(owner)
        yield replace(bracket, head=f"{before}{bracket.head}", is_complete=before is not None)
    text = None if bracket.must_break else ", ".join(one.flat() or "" for one in bracket.inside)
    yield from _followed(owner, None if text is None else f"{bracket.head}{text}{bracket.tail}")


def _followed(owner: cst.BaseExpression, text: str | None) -> Iterator[_Bracket]:
    """The brackets of what something stands behind."""
    for one in _brackets(owner):
        yield replace(one, tail=f"{one.tail}{text}", is_complete=one.is_complete and text is not None)


def _item(element: cst.BaseElement | cst.SubscriptElement) -> Argument:
    """An item of a list or of a subscript."""
    if isinstance(element, cst.SubscriptElement):
        index = element.slice
        return Argument(index.value, index.star or "") if isinstance(index, cst.Index) else Argument(index)
    return Argument(element.value, "*" if isinstance(element, cst.StarredElement) else "")


def _split_operators(argument: Argument, place: Place) -> str | None:
    """Operands on lines of their own, each with its operator before it; None where there is no operator."""
    operands = _operands(argument.value)
    if len(operands) == 1:
        return None
    first, *more = operands
    *pieces, last = Argument(first.value, argument.prefix), *more
    before = replace(place, behind=0)
    texts = [*(_argument(piece, before) for piece in pieces), _argument(last, place)]
    return f"{place.newline}{place.indent}".join(texts)


def _operands(value: cst.BaseExpression | cst.BaseSlice) -> list[Argument]:
    """What operators of the lowest priority, dots or the parts of a comprehension connect, each behind its sign."""
    if isinstance(value, cst.IfExp) and not value.lpar:
        return [Argument(value.body), Argument(value.test, "if "), Argument(value.orelse, "else ")]
    if isinstance(value, cst.Comparison) and not value.lpar:
        others = (Argument(one.comparator, f"{code(one.operator).strip()} ") for one in value.comparisons)
        return [Argument(value.left), *others]
    if isinstance(value, cst.GeneratorExp) and not value.lpar:
        return [Argument(value.elt), *_clauses(value.for_in)]
    found: list[Argument] = []
    kinds: tuple[type[cst.BaseBinaryOp], ...] | None = None
    while isinstance(value, cst.BinaryOperation) and not value.lpar:
        here = next((group for group in _PRIORITIES if isinstance(value.operator, group)), None)
        if here is None or (kinds is not None and here != kinds):
            break
        kinds = here
        found.append(Argument(value.right, f"{_sign(value.operator)} "))
        value = value.left
    links = _links(value) if not found else []
    return links if len(links) >= _FEWEST_LINKS else [Argument(value), *reversed(found)]


def _clauses(clause: cst.CompFor) -> Iterator[Argument]:
    """The ``for`` and ``if`` of a comprehension."""
    start = "async for" if clause.asynchronous else "for"
    yield Argument(clause.iter, f"{start} {code(clause.target)} in ")
    yield from (Argument(one.test, "if ") for one in clause.ifs)
    if clause.inner_for_in is not None:
        yield from _clauses(clause.inner_for_in)


def _links(value: cst.BaseExpression | cst.BaseSlice) -> list[Argument]:
    """A chain of calls, cut before the dots that stand behind brackets."""
    if isinstance(value, (cst.Attribute, cst.Call, cst.Subscript)) and not value.lpar:
        owner = value.func if isinstance(value, cst.Call) else value.value
        if isinstance(value, cst.Attribute) and isinstance(owner, (cst.Call, cst.Subscript)):
            return [*_links(owner), Argument(value.attr, ".")]
        *links, last = _links(owner)
        key = "func" if isinstance(value, cst.Call) else "value"
        return [*links, replace(last, value=value.with_changes(**{key: last.value}))]
    return [Argument(value)]


def _sign(operator: cst.BaseBinaryOp) -> str:
    """An operator without the space around it, in which there may be a backslash and a line break."""
    bare = cst.SimpleWhitespace("")
    return code(operator.with_changes(whitespace_before=bare, whitespace_after=bare))
