"""What is found in a class through several classes that inherit from it: only what all of them agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from regbuf_lint.model.value import is_empty_container

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value


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
        run_already: statements about which the construction of the class alone tells.
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


def settled_by(own: Construction | None) -> frozenset[Span]:
    """Statements that the construction of a class itself runs, and about whose attributes nobody else need be asked.

    Of a list or dict that it leaves empty, those classes tell that fill it.
    """
    if own is None:
        return frozenset()
    filled_later = {name for name, state in own.attributes.items() if _is_empty(state.value)}
    events = (event for event in own.events if event.step.own and event.attribute not in filled_later)
    return frozenset(event.step.statement for event in events)


def _is_empty(value: Value) -> bool:
    return bool(value) and all(map(is_empty_container, value))


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.rule.code, finding.attribute


def _runs(view: View, statement: Span) -> bool:
    return any(event.step.own and event.step.statement == statement for event in view.construction.events)


def _is_same(one: Finding, other: Finding) -> bool:
    return one.rule is other.rule and one.span == other.span
