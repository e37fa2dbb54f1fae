"""A list or tuple of tensors as numbered buffers, and the property that gives them as a list or tuple again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rewrite.breaks import flattened, has_comments
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import Argument, call
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import Place, columns, is_pragma, place_of
from regbuf_lint.rewrite.registration import Registered, from_setattr, registration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

MOST_NAMED = 6
"""A literal of more items is registered in a loop."""

MOST_LISTED = 3
"""The annotation of a longer tuple does not list its items."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """What becomes of a list or tuple.

    Attributes:
        attribute: its name, which the property takes.
        kind: ``list`` or ``tuple``.
        length: number of its items, None where only a run can tell.
        how: how each item is registered; nothing where their number is not known.
        how_all: how they are registered where one statement does it for all.
        tensor: how the file spells ``torch.Tensor``; empty where it can't.
        annotation: return annotation that the property gets instead; empty for one made from ``tensor``.
        counter: attribute that keeps the number of items.
        indent: white space before the ``def`` of the property.
    """

    attribute: str
    kind: str
    length: int | None
    how: tuple[Registered, ...]
    how_all: Registered
    tensor: str
    annotation: str
    counter: str
    indent: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new texts.

    Attributes:
        assignment: what replaces the assignment, with the comment behind it.
        prop: the property, without a line end before or behind it.
    """

    assignment: Edit
    prop: str


def numbered(source: SourceText, span: Span, wanted: Numbered, style: TextStyle) -> Rewritten:
    """The assignment ``self.x = [...]`` at ``span`` as registrations, and the property.

    Raises:
        CannotRewrite: the value is neither a list nor a tuple that is written out, nor a comprehension.
    """
    statement = parse_statement(source, span)
    place = place_of(source, span, style)
    if not place.alone:
        msg = "another statement shares its line"
        raise CannotRewrite(msg)
    target, value = _parts(statement)
    with refusing_what_libcst_refuses():
        items = _items(value)
        is_named = items is not None and len(items) <= MOST_NAMED and not has_comments(value)
        text = _named(target, items or [], wanted, place, style) if is_named else ""
        comment, end = _comment(source, span)
        if is_named:
            text = _commented_above(text, comment, place)
        else:
            lines = _looped(target, value, wanted, place, style)
            text = place.newline.join([lines[0] + (f"  {comment}" if comment else ""), *lines[1:]])
        prop = _property(code(target.value), wanted, place, style, is_named=is_named)
    longest = max(columns(line) for line in (*prop.splitlines(), f"{place.indent}{text}".splitlines()[-1]))
    if longest > style.width:
        msg = "the lines would be too long"
        raise CannotRewrite(msg)
    return Rewritten(Edit(Span(span.start, end), text), prop)


def _parts(statement: cst.BaseSmallStatement) -> tuple[cst.Attribute, cst.BaseExpression]:
    target: cst.BaseExpression | None = None
    value: cst.BaseExpression | None = None
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0].target, statement.value
    elif isinstance(statement, cst.AnnAssign):
        target, value = statement.target, statement.value
    if not isinstance(target, cst.Attribute) or value is None:
        msg = "it is no plain assignment"
        raise CannotRewrite(msg)
    return target, value


def _items(value: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    """The items of a list or tuple that is written out; None for a comprehension.

    Raises:
        CannotRewrite: it is neither.
    """
    if isinstance(value, (cst.List, cst.Tuple)):
        if any(isinstance(one, cst.StarredElement) for one in value.elements):
            msg = "its value unpacks another list"
            raise CannotRewrite(msg)
        return [one.value for one in value.elements]
    if not isinstance(value, cst.ListComp) and not _is_built_from_generator(value):
        msg = "its value is neither a list or tuple that is written out nor a comprehension"
        raise CannotRewrite(msg)
    return None


def _is_built_from_generator(value: cst.BaseExpression) -> bool:
    """Whether a value is ``tuple(... for ...)`` or ``list(... for ...)``."""
    if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Name) or len(value.args) != 1:
        return False
    return value.func.value in {"list", "tuple"} and isinstance(value.args[0].value, cst.GeneratorExp)


def _comment(source: SourceText, span: Span) -> tuple[str, Position]:
    """The comment behind a statement, and where it ends; the end of the statement where there is none."""
    behind = source.line(span.end.row)[span.end.column - 1 :].rstrip()
    if not behind:
        return "", span.end
    return behind.strip(), Position(span.end.row, span.end.column + len(behind))


def _commented_above(text: str, comment: str, place: Place) -> str:
    """A comment gets its own line above the registrations, but one for tools stays behind the first of them."""
    if not comment:
        return text
    if is_pragma(comment):
        first, newline, rest = text.partition(place.newline)
        return f"{first}  {comment}{newline}{rest}"
    return f"{comment}{place.newline}{place.indent}{text}"


def _named(
    target: cst.Attribute, items: list[cst.BaseExpression], wanted: Numbered, place: Place, style: TextStyle
) -> str:
    """A registration for each item."""
    alone = replace(place, behind=0)
    return place.joined(
        [
            registration(target.with_changes(attr=cst.Name(f"{wanted.attribute}_{index}")), item, how, alone, style)
            for index, (item, how) in enumerate(zip(items, wanted.how, strict=True))
        ]
    )


def _looped(
    target: cst.Attribute, value: cst.BaseExpression, wanted: Numbered, place: Place, style: TextStyle
) -> list[str]:
    """A local takes the list, a loop registers its items, and where it has to be known their number is kept."""
    index, one, every = _locals(wanted, place, style)
    flat = flattened(value)
    head = f"{every} = "
    fits = flat is not None and replace(place, behind=0).fits(head + flat)
    lines = [head + (flat if fits and flat is not None else code(value))]
    lines.append(f"{place.indent}for {index}, {one} in enumerate({every}):")
    inner = replace(place.deeper(), behind=0)
    key = _format_string(wanted, index, style)
    setting = cst.ensure_type(cst.parse_expression(f"setattr({code(target.value)}, {key}, {one})"), cst.Call)
    lines.append(inner.indent + from_setattr(setting, wanted.how_all, inner, style))
    if wanted.length is None:
        lines.append(f"{place.indent}{code(target.value)}.{wanted.counter} = len({every})")
    return lines


def _locals(wanted: Numbered, place: Place, style: TextStyle) -> tuple[str, str, str]:
    """Names for the number of an item, the item, and all items."""
    base = wanted.attribute.lstrip("_")
    for singular, plural in ((_singular(base), base), ("tensor", "tensors")):
        taken = set(style.taken_names)
        every = _free([plural, "tensors"], taken)
        one = _free([singular, "tensor"], taken)
        index = _free(["i", "index", "number"], taken)
        if replace(place, behind=0).fits(f"for {index}, {one} in enumerate({every}):"):
            break
    return index, one, every


def _format_string(wanted: Numbered, index: str, style: TextStyle) -> str:
    return f"f{style.quote}{wanted.attribute}_{{{index}}}{style.quote}"


def _free(candidates: Iterable[str], taken: set[str]) -> str:
    """The first name that is not taken, else the first with a trailing underscore; it is taken from then on."""
    names = [name for name in candidates if not iskeyword(name)]
    free = next((name for name in names if name not in taken), "")
    if not free:
        free = f"{names[0]}_"
        while free in taken:
            free += "_"
    taken.add(free)
    return free


def _singular(name: str) -> str:
    """``mask`` of ``masks``; ``tensor`` where the plural is another one."""
    if name.endswith(("ches", "shes", "sses", "xes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is", "ices", "ies")) and len(name) > len("as"):
        return name[:-1]
    return "tensor"


def _property(receiver: str, wanted: Numbered, place: Place, style: TextStyle, *, is_named: bool) -> str:
    head = f"def {wanted.attribute}({receiver})"
    indent = wanted.indent
    returned = wanted.annotation or _annotation(wanted, is_named=is_named)
    line = f"{head} -> {returned}:" if returned else f"{head}:"
    if columns(indent + line) > style.width:
        line = f"{head}:"
    body = replace(place, indent=indent + place.unit, behind=0, alone=True)
    given = _names(receiver, wanted, body) if is_named else _comprehension(receiver, wanted, body, style)
    return f"{place.newline}{indent}".join(["@property", line, f"{place.unit}{given}"])


def _annotation(wanted: Numbered, *, is_named: bool) -> str:
    if not wanted.tensor:
        return ""
    if wanted.kind == "list":
        return f"list[{wanted.tensor}]"
    if is_named and wanted.length is not None and wanted.length <= MOST_LISTED:
        return f"tuple[{', '.join([wanted.tensor] * wanted.length)}]"
    return f"tuple[{wanted.tensor}, ...]"


def _names(receiver: str, wanted: Numbered, place: Place) -> str:
    """``return [self.x_0, self.x_1]``."""
    names = [f"{receiver}.{wanted.attribute}_{index}" for index in range(len(wanted.how))]
    if wanted.kind == "tuple":
        bare = f"return {', '.join(names)}"
        if len(names) == 1:
            return f"return ({names[0]},)"
        if place.fits(bare):
            return bare
    opening, closing = ("[", "]") if wanted.kind == "list" else ("(", ")")
    return call(f"return {opening}", [Argument(cst.parse_expression(name)) for name in names], place, closing)


def _comprehension(receiver: str, wanted: Numbered, place: Place, style: TextStyle) -> str:
    """``return [getattr(self, f"x_{i}") for i in range(self._x_count)]``, split as formatters do."""
    number = str(wanted.length) if wanted.length is not None else f"{receiver}.{wanted.counter}"
    element = f"getattr({receiver}, {_format_string(wanted, 'i', style)})"
    clause = f"for i in range({number})"
    opening, closing = ("[", "]") if wanted.kind == "list" else ("tuple(", ")")
    inner = place.deeper()
    whole = f"return {opening}{element} {clause}{closing}"
    if place.fits(whole):
        return whole
    inside = f"{element} {clause}"
    if not replace(inner, behind=0).fits(inside):
        inside = f"{element}{place.newline}{inner.indent}{clause}"
    return f"return {opening}{place.newline}{inner.indent}{inside}{place.newline}{place.indent}{closing}"
