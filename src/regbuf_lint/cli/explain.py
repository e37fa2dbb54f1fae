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


def find_rule(code: str, codes: Sequence[str]) -> int:
    """Return the place of a code among the codes, whatever its case.

    Raises:
        UsageError: there is no such code.
    """
    wanted = code.strip().upper()
    if wanted in codes:
        return codes.index(wanted)
    msg = f"--explain: unknown rule code `{code}`{did_you_mean(wanted, codes)}"
    raise UsageError(msg)


def rule_list(rules: Sequence[RuleMeta]) -> str:
    """Return a table of rules: code, name, whether it is on, whether it has a fix, summary."""
    width = max((len(rule.name) for rule in rules), default=0)
    rows = [
        f"{rule.code}  {rule.name:<{width}}  {'on ' if rule.on_by_default else 'off'}"
        f"  {_FIX_MARKS[rule.fixable]:<4}  {rule.summary}".rstrip()
        for rule in sorted(rules, key=lambda rule: rule.code)
    ]
    return "".join(row + "\n" for row in rows)
