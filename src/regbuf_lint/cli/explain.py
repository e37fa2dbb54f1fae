"""Pages and list of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.suggestions import did_you_mean
from regbuf_lint.model.rule import FixAvailability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.model.rule import RuleMeta

_FIX_MARKS = {FixAvailability.ALWAYS: "fix", FixAvailability.SOMETIMES: "some", FixAvailability.NEVER: "-"}


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
    from io import StringIO  # noqa: PLC0415  start-up time

    from rich.console import Console  # noqa: PLC0415
    from rich.markdown import Markdown  # noqa: PLC0415

    shown = StringIO()
    terminal = Console(
        file=shown, force_terminal=True, no_color=not color, color_system="standard", legacy_windows=False
    )
    terminal.print(Markdown(page, code_theme="ansi_dark"))
    return shown.getvalue()


def rule_list(rules: Sequence[RuleMeta]) -> str:
    """Return a table of rules: code, name, whether it is on, whether it has a fix, summary."""
    width = max((len(rule.name) for rule in rules), default=0)
    rows = [
        f"{rule.code}  {rule.name:<{width}}  {'on ' if rule.on_by_default else 'off'}"
        f"  {_FIX_MARKS[rule.fixable]:<4}  {rule.summary}".rstrip()
        for rule in sorted(rules, key=lambda rule: rule.code)
    ]
    return "".join(row + "\n" for row in rows)
