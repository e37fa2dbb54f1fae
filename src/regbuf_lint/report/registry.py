"""The output formats by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from regbuf_lint.report.concise import render_concise
from regbuf_lint.report.full import render_full
from regbuf_lint.report.json_format import render_json

if TYPE_CHECKING:
    from regbuf_lint.model.result import RunResult


class Reporter(Protocol):
    """Turns a result into text that ends with a newline, or is empty; every file error is in it."""

    def __call__(self, result: RunResult, *, color: bool) -> str:
        """Return the text."""


REPORTERS: dict[str, Reporter] = {
    "full": render_full,
    "concise": render_concise,
    "json": render_json,
}
DEFAULT_FORMAT = "full"
TEXT_FORMATS = frozenset({"full", "concise"})
"""Formats for people: colours, a summary and statistics may stand beside the findings."""


def render(result: RunResult, output_format: str, *, color: bool = False) -> str:
    """Return a result in one of the formats.

    Args:
        result: what a run found and did.
        output_format: a key of ``REPORTERS``.
        color: whether text formats may colour.

    Raises:
        KeyError: there is no such format.
    """
    return REPORTERS[output_format](result, color=color and output_format in TEXT_FORMATS)
