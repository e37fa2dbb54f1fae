"""The page of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.rule import FixAvailability

if TYPE_CHECKING:
    from regbuf_lint.model.rule import FixSafety, RuleDocs, RuleMeta

_FIX_WORDS = {
    FixAvailability.ALWAYS: "Fix is always available.",
    FixAvailability.SOMETIMES: "Fix is sometimes available.",
    FixAvailability.NEVER: "There is no fix.",
}

_FIX_CASES = {
    "safe": "Safe (`--fix`)",
    "unsafe": "Unsafe (`--fix --unsafe-fixes`)",
    "shown": "Shown, never applied",
    "withheld": "No fix",
}
"""For each degree of trust the title of its list."""


def rule_page(meta: RuleMeta, docs: RuleDocs) -> str:
    """Return the page of a rule as Markdown."""
    default = "On by default." if meta.on_by_default else "Off by default."
    sections = [
        f"# {meta.name} ({meta.code})\n\n{_sentence(meta.summary)}\n\n{default} {_FIX_WORDS[meta.fixable]}",
        f"## What it does\n\n{docs.what}",
        f"## Why is this bad?\n\n{docs.why}",
        f"## Example\n\n```python\n{docs.example.strip()}\n```",
        f"## Use instead\n\n```python\n{docs.use_instead.strip()}\n```" if docs.use_instead.strip() else "",
        _fix_safety(docs.fix_safety),
        f"## Checkpoint impact\n\n{docs.checkpoint_impact}" if docs.checkpoint_impact else "",
        "## References\n\n" + "\n".join(f"- {address}" for address in docs.references) if docs.references else "",
    ]
    return "\n\n".join(section.rstrip() for section in sections if section) + "\n"


def _fix_safety(safety: FixSafety) -> str:
    """The section on fixes: what they do, and for each degree of trust a list of cases."""
    given = ((title, getattr(safety, degree)) for degree, title in _FIX_CASES.items())
    lists = [f"### {title}\n\n{_cases(cases)}" for title, cases in given if cases]
    return "\n\n".join(part for part in ("## Fix safety", safety.does, *lists) if part)


def _cases(cases: tuple[str, ...]) -> str:
    """A list of clauses; a single case is a sentence."""
    if len(cases) == 1:
        return _sentence(cases[0])
    return "Where\n\n" + ";\n".join(f"- {case}" for case in cases) + "."


def _sentence(clause: str) -> str:
    """A clause with a capital, where it begins with a word and not with code, and a period."""
    starts_with_word = clause.partition(" ")[0].rstrip(":").isalpha()
    return f"{clause[0].upper() if starts_with_word else clause[0]}{clause[1:]}."
