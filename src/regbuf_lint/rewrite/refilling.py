"""The lines of ``_init_weights`` that give buffers of a pretrained model their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from msgspec.structs import replace

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import Argument, assignment, call
from regbuf_lint.rewrite.parsing import refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.placement.weight_initialiser import Repeated, WeightInitialiser
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText


def refilled(
    source: SourceText,
    initialiser: WeightInitialiser,
    class_name: str,
    values: Sequence[tuple[Repeated, Sequence[str]]],
    copy: str,
    style: TextStyle,
) -> Edit:
    """An ``if`` at the end of ``_init_weights`` that fills the buffers of one class.

    Args:
        source: the file.
        initialiser: the method.
        class_name: the class whose buffers they are.
        values: each value with the attributes that it is for; several of them take its items.
        copy: name of the function that fills a tensor (``init.copy_``).
        style: what the new text looks like.

    Returns:
        An edit of the method's last row, so that no two such fixes are made at once: the second one then finds the
        ``if`` of the first.

    Raises:
        CannotRewrite: something does not fit on its line.
    """
    outer = Place(initialiser.indent, style.unit, style.width, newline=source.newline, brackets=style.brackets)
    inner = replace(outer, indent=initialiser.indent + style.unit)
    text, last, after_block = source.slice(initialiser.tail), initialiser.last_test, initialiser.after_block
    for one, attributes in values:
        tests = (f"isinstance({initialiser.part}, {class_name})", *one.tests)
        lines = [f"{inner.indent}{line}" for line in _filling(initialiser.part, one, attributes, copy, inner)]
        if " and ".join(tests) != last:
            gap = source.newline if after_block else ""
            lines.insert(0, f"{gap}{outer.indent}{_head(tests, outer)}")
        text += "".join(f"{source.newline}{line}" for line in lines)
        last, after_block = " and ".join(tests), True
    return Edit(initialiser.tail, text)


def _head(tests: Sequence[str], place: Place) -> str:
    """The line of the ``if``, or one for each condition where it is too long."""
    head = f"if {' and '.join(tests)}:"
    if place.fits(head) and "\n" not in head:
        return head
    inner = place.deeper()
    lines = [f"{'and ' if index else ''}{test}" for index, test in enumerate(tests)]
    if len(tests) < 3 or not all("\n" not in line and inner.fits(line) for line in lines):  # noqa: PLR2004
        msg = "the conditions around it do not fit on their lines"
        raise CannotRewrite(msg)
    return place.newline.join(["if (", *(f"{inner.indent}{line}" for line in lines), f"{place.indent}):"])


def _filling(part: str, one: Repeated, attributes: Sequence[str], copy: str, place: Place) -> list[str]:
    """The statements inside of the ``if``, without the indentation of their first lines."""
    with refusing_what_libcst_refuses():
        value = cst.parse_expression(_indented(one, place.indent))
    if len(attributes) == 1:
        return [_copied(part, attributes[0], value, copy, place)]
    taken = assignment(", ".join(attributes), value, place)
    return [taken, *(_copied(part, name, cst.Name(name), copy, place) for name in attributes)]


def _indented(one: Repeated, indent: str) -> str:
    """The value, whose further lines follow the indentation of another statement."""
    if "\n" in one.value and ('"""' in one.value or "'''" in one.value):
        msg = "its value holds a string of several lines"
        raise CannotRewrite(msg)
    return one.value.replace(f"\n{one.indent}", f"\n{indent}")


def _copied(part: str, attribute: str, value: cst.BaseExpression, copy: str, place: Place) -> str:
    target = cst.Attribute(cst.Name(part), cst.Name(attribute))
    return call(f"{copy}(", [Argument(target), Argument(value)], place)
