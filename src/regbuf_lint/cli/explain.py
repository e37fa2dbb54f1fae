"""Pages and list of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.rule import FixAvailability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.model.rule import RuleDocs, RuleMeta

_FIX_WORDS = {
    FixAvailability.ALWAYS: "Fix is always available.",
    FixAvailability.SOMETIMES: "Fix is sometimes available.",
    FixAvailability.NEVER: "There is no fix.",
}
_FIX_MARKS = {FixAvailability.ALWAYS: "fix", FixAvailability.SOMETIMES: "some", FixAvailability.NEVER: "-"}


def find_rule(code: str, codes: Sequence[str]) -> int:
    """Return the place of a code among the codes, whatever its case.

    Raises:
        UsageError: there is no such code.
    """
    wanted = code.strip().upper()
    if wanted in codes:
        return codes.index(wanted)
    from difflib import get_close_matches  # noqa: PLC0415  start-up time

    close = get_close_matches(wanted, codes, n=1)
    msg = f"--explain: unknown rule code `{code}`" + (f"; did you mean `{close[0]}`?" if close else "")
    raise UsageError(msg)


def rule_page(meta: RuleMeta, docs: RuleDocs) -> str:
    """Return the page of a rule as Markdown."""
    default = "On by default." if meta.on_by_default else "Off by default."
    sections = [
        f"# {meta.name} ({meta.code})\n\n{meta.summary}\n\n{default} {_FIX_WORDS[meta.fixable]}",
        f"## What it does\n\n{docs.what}",
        f"## Why is this bad?\n\n{docs.why}",
        f"## Example\n\n```python\n{docs.example.strip()}\n```",
        f"## Use instead\n\n```python\n{docs.use_instead.strip()}\n```" if docs.use_instead.strip() else "",
        f"## Fix safety\n\n{docs.fix_safety}" if docs.fix_safety else "",
        f"## Checkpoint impact\n\n{docs.checkpoint_impact}" if docs.checkpoint_impact else "",
        "## References\n\n" + "\n".join(f"- {address}" for address in docs.references) if docs.references else "",
    ]
    return "\n\n".join(section.rstrip() for section in sections if section) + "\n"


def rule_list(rules: Sequence[RuleMeta]) -> str:
    """Return a table of rules: code, name, whether it is on, whether it has a fix, summary."""
    width = max((len(rule.name) for rule in rules), default=0)
    rows = [
        f"{rule.code}  {rule.name:<{width}}  {'on ' if rule.on_by_default else 'off'}"
        f"  {_FIX_MARKS[rule.fixable]:<4}  {rule.summary}".rstrip()
        for rule in sorted(rules, key=lambda rule: rule.code)
    ]
    return "".join(row + "\n" for row in rows)
