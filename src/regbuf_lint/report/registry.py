"""The output formats by name; the file of a format is imported when something is reported in it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from regbuf_lint.report.checkout_paths import from_checkout
from regbuf_lint.report.context import ReportContext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.model.result import RunResult
    from regbuf_lint.model.rule import RuleDocs


class Reporter(Protocol):
    """Turns a result into text that ends with a newline, or is empty; every file error is in it."""

    def __call__(self, result: RunResult, context: ReportContext) -> str:
        """Return the text."""


_FILES = {
    "full": "full",
    "concise": "concise",
    "grouped": "grouped",
    "json": "json_format",
    "json-lines": "json_lines",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "rdjson": "rdjson",
    "pylint": "pylint",
}
FORMATS = tuple(_FILES)
DEFAULT_FORMAT = "full"
TEXT_FORMATS = frozenset({"full", "concise", "grouped"})
"""Formats for people: colours, a summary and statistics may stand beside the findings."""
_OF_SERVERS = frozenset({"sarif", "github", "gitlab"})
"""Formats in which a server looks for the files of its checkout."""


def render(
    result: RunResult,
    output_format: str,
    *,
    color: bool = False,
    docs: Callable[[], Mapping[str, RuleDocs]] = dict,
) -> str:
    """Return a result in one of the formats.

    Args:
        result: what a run found and did.
        output_format: one of ``FORMATS``.
        color: whether text formats may colour.
        docs: gives the pages of the rules by their codes.

    Raises:
        KeyError: there is no such format.
    """
    if output_format in _OF_SERVERS:
        result = from_checkout(result)
    reporter: Reporter = import_module(f"regbuf_lint.report.{_FILES[output_format]}").render
    return reporter(result, ReportContext(color=color and output_format in TEXT_FORMATS, docs=docs))
