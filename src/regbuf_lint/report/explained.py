"""What ``--why`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.report.lines import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.model.explanation import ExplainedUse, Explanation
    from regbuf_lint.report.style import Style


def render_explanations(path: str, explanations: Iterable[Explanation], style: Style) -> str:
    """Return a block of lines per attribute, blank lines between them.

    Args:
        path: file of the classes, relative to the working directory.
        explanations: what is known of the attributes.
        style: colours.
    """
    return "\n".join("".join(row + "\n" for row in _rows(path, one, style)) for one in explanations)


def _rows(path: str, one: Explanation, style: Style) -> Iterator[str]:
    named = f"`{one.class_name}.{one.attribute}`"
    title = named if one.attribute is not None else f"an attribute of `{one.class_name}` whose name is computed"
    yield f"{style.bold(path)}: {title}"
    yield f"  {style.blue('holds')}: {one.holds}"
    yield from _places(path, "set while the object is built", one.stores, style)
    if one.uses is not None:
        yield from _places(path, "used once it is built", one.uses, style)
    for decision in one.decisions:
        yield f"  {style.red(decision.by)}: {decision.reason}"


def _places(path: str, title: str, uses: Iterable[ExplainedUse], style: Style) -> Iterator[str]:
    rows = [f"    {place(use.path or path, use.place.start, style)} `{use.method}` {use.text}" for use in uses]
    yield f"  {style.blue(title)}:" if rows else f"  {style.blue(title)}: nowhere"
    yield from rows
