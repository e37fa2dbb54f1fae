"""What is known of an attribute, as a hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint import ExplainedUse, Explanation


def hover_text(explanation: Explanation) -> str:
    """Return as Markdown what ``--why`` prints: what decided, what the attribute holds, where it is set and used."""
    lines = [
        f"`{explanation.class_name}.{explanation.attribute}` holds {explanation.holds}",
        *(f"**{one.by}**: {one.reason}" for one in explanation.decisions),
        *_places("Set while the object is built", explanation.stores),
        *_places("Used once it is built", explanation.uses or ()),
    ]
    return "\n\n".join(lines)


def _places(title: str, uses: Iterable[ExplainedUse]) -> Iterator[str]:
    rows = [f"- {_where(one)}: `{one.method}` {one.text}" for one in uses]
    if rows:
        yield f"{title}:\n\n" + "\n".join(rows)


def _where(one: ExplainedUse) -> str:
    row = f"line {one.place.start.row}"
    return row if one.path is None else f"{row} of {one.path}"
