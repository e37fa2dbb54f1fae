"""Pages and list of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.rule import FixAvailability
from regbuf_lint.source.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.model.rule import RuleMeta

_FIX_MARKS = {FixAvailability.ALWAYS: "fix", FixAvailability.SOMETIMES: "some", FixAvailability.NEVER: "-"}

_WIDEST = 100
"""Columns beyond which lines of text are hard to read."""


def find_rule(wanted: str, rules: Sequence[RuleMeta]) -> int:
    """Return the place of the rule that has a code or a name, whatever its case.

    Raises:
        UsageError: there is none.
    """
    word = wanted.strip()
    for number, rule in enumerate(rules):
        if word.upper() == rule.code or word.lower() == rule.name:
            return number
    by_code = did_you_mean(word.upper(), [rule.code for rule in rules])
    hint = by_code or did_you_mean(word.lower(), [rule.name for rule in rules])
    msg = f"--explain: unknown rule `{wanted}`{hint}"
    raise UsageError(msg)


def rendered(page: str, *, color: bool) -> str:
    """Return a page of Markdown as it looks on a terminal."""
    from shutil import get_terminal_size  # noqa: PLC0415  start-up time

    from regbuf_lint.report.style import Style  # noqa: PLC0415
    from regbuf_lint.report.terminal_page import terminal_page  # noqa: PLC0415

    return terminal_page(page, min(get_terminal_size().columns, _WIDEST), Style(color))


def rule_list(rules: Sequence[RuleMeta]) -> str:
    """Return a table of rules: code, name, whether it is on, whether it has a fix, summary."""
    width = max((len(rule.name) for rule in rules), default=0)
    rows = [
        f"{rule.code}  {rule.name:<{width}}  {'on ' if rule.on_by_default else 'off'}"
        f"  {_FIX_MARKS[rule.fixable]:<4}  {rule.summary}".rstrip()
        for rule in sorted(rules, key=lambda rule: rule.code)
    ]
    return "".join(row + "\n" for row in rows)
