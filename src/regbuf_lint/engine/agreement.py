"""What is found in a class through several classes that inherit from it: only what all of them agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.span import Span


@dataclass(frozen=True, slots=True)
class View:
    """A class as one of its subclasses runs it.

    Attributes:
        construction: that of the subclass, with the steps in the class as its own.
        findings: what the rules find there.
    """

    construction: Construction
    findings: tuple[Finding, ...]


def agreed(views: Sequence[View], known: Sequence[Finding], run_already: frozenset[Span]) -> Iterator[Finding]:
    """Findings in statements that some subclass runs and the class alone does not, and that no subclass speaks against.

    Where the fix is withheld for one of the subclasses, it is withheld. A method that sets attributes whose names come
    from outside may only ever be given those of buffers, so names that are not known are left alone.

    Args:
        views: the class as its subclasses run it.
        known: what is found in the class alone; an attribute is not reported twice.
        run_already: statements that the construction of the class alone runs.
    """
    reported = {_about(finding) for finding in known}
    for view in views:
        for finding in view.findings:
            if finding.attribute is None or _about(finding) in reported or finding.statement in run_already:
                continue
            running = [other for other in views if _runs(other, finding.statement)]
            versions = [version for other in running for version in other.findings if _is_same(version, finding)]
            if versions and len(versions) == len(running):
                reported.add(_about(finding))
                yield min(versions, key=lambda version: version.fix is not None)


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.rule.code, finding.attribute


def _runs(view: View, statement: Span) -> bool:
    return any(event.step.own and event.step.statement == statement for event in view.construction.events)


def _is_same(one: Finding, other: Finding) -> bool:
    return one.rule is other.rule and one.span == other.span
