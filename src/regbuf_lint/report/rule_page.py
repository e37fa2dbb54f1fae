"""The page of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.rule import FixAvailability

if TYPE_CHECKING:
    from regbuf_lint.model.rule import RuleDocs, RuleMeta

_FIX_WORDS = {
    FixAvailability.ALWAYS: "Fix is always available.",
    FixAvailability.SOMETIMES: "Fix is sometimes available.",
    FixAvailability.NEVER: "There is no fix.",
}


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
