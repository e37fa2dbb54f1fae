"""What is known of a rule without running it."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from regbuf_lint.model.addresses import RULE_PAGE


class Severity(str, Enum):
    """How loud a report is about a finding."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FixAvailability(str, Enum):
    """Whether a rule's findings carry a fix."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    NEVER = "never"


class RuleMeta(Struct, frozen=True):
    """The identity of a rule, small enough to travel with each finding.

    Attributes:
        code: ``RBF001``; never reused.
        name: kebab-case name.
        summary: one line for listings.
        severity: how loud reports are.
        on_by_default: whether it runs when nothing is selected.
        fixable: whether its findings carry a fix.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    on_by_default: bool
    fixable: FixAvailability

    @property
    def url(self) -> str:
        """Address of the rule's page."""
        return RULE_PAGE.format(code=self.code)


class FixSafety(Struct, frozen=True):
    """How far the fix of a rule can be trusted, for its page; each case is a clause without a period at its end.

    Attributes:
        does: what the fix writes, in sentences; empty where there is none.
        safe: where it is safe.
        unsafe: where somebody has to look at it.
        shown: where it is half of what has to be written, and never applied.
        withheld: where there is none, since it would raise or change what the code means.
    """

    does: str = ""
    safe: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


class RuleDocs(Struct, frozen=True):
    """The page of a rule; ``--explain`` and ``docs/rules`` are made from it.

    Attributes:
        what: what the rule reports.
        why: what goes wrong in the code that it reports.
        example: Python code that it reports.
        use_instead: the same code as it should be.
        fix_safety: when the fix is safe, unsafe, only shown, withheld.
        checkpoint_impact: what happens to the keys of ``state_dict()``.
        references: addresses of torch's documentation and issues.
    """

    what: str
    why: str
    example: str
    use_instead: str
    fix_safety: FixSafety
    checkpoint_impact: str
    references: tuple[str, ...]
