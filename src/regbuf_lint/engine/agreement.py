"""What is found in a class through several classes that inherit from it: only what all of them agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.model.class_view import GradientRequest
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.value import NoneValue, is_empty_container

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value

_TRUST = (Applicability.DISPLAY, Applicability.UNSAFE, Applicability.SAFE)


class View(Struct, frozen=True):
    """A class as one of its subclasses runs it.

    Attributes:
        construction: that of the subclass, with the steps in the class as its own.
        findings: what the rules find there.
    """

    construction: Construction
    findings: tuple[Finding, ...]


def agreed(views: Sequence[View], known: Sequence[Finding], run_already: frozenset[Span]) -> Iterator[Finding]:
    """Findings in statements that some subclass runs and the class alone does not, and that no subclass speaks against.

    The fix is trusted as far as it is for the subclass for which it is trusted least. A method that sets attributes
    whose names come from outside may only ever be given those of buffers, so names that are not known are left alone.

    Args:
        views: the class as its subclasses run it.
        known: what is found in the class alone; an attribute is not reported twice.
        run_already: statements about which the construction of the class alone tells.
    """
    reported = {_about(finding) for finding in known}
    for view in views:
        told = set(reported)
        for finding in view.findings:
            if finding.attribute is None or _about(finding) in told or finding.statement in run_already:
                continue
            versions = [version for other in views for version in other.findings if _is_same(version, finding)]
            if not any(_speaks_against(other, finding, view) for other in views):
                reported.add(_about(finding))
                yield min(versions, key=_trust)


def agreed_for(views: Sequence[View], own: Sequence[Finding]) -> Iterator[Finding]:
    """Findings in a class of which nobody makes objects itself: what its subclasses run counts as they run it.

    Where they all leave an argument out, so that the attribute is None, they do not tell about the tensor that the
    class itself takes.

    Args:
        views: the class as its subclasses run it.
        own: what is found in the class alone.
    """
    kept = [one for one in own if one.attribute is None or not any(_tells(view, one) for view in views)]
    yield from kept
    yield from agreed(views, kept, frozenset())


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


def _trust(finding: Finding) -> tuple[int, int]:
    """How far the fix of a finding can be trusted, least where it has none; of equals, what registers most comes first.

    What is a partner for one subclass need not be for another, and does no harm there.
    """
    return (-1, 0) if finding.fix is None else (_TRUST.index(finding.fix.applicability), -len(finding.fix.edits))


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.rule.code, finding.attribute


def _speaks_against(view: View, finding: Finding, finder: View) -> bool:
    """Whether a subclass that runs a statement gives the attribute something else there than the one that finds it.

    One that gives it the same has another reason for silence: it takes care of the attribute, which does not help
    objects of the others.
    """
    if not _runs(view, finding) or any(_is_same(one, finding) for one in view.findings):
        return False
    return _kinds(view, finding) != _kinds(finder, finding)


def _runs(view: View, finding: Finding) -> bool:
    """Whether the construction that a view shows runs the statement of a finding."""
    steps = (event.step for event in view.construction.events)
    return any(step.own and step.statement == finding.statement for step in steps)


def _tells(view: View, finding: Finding) -> bool:
    return _runs(view, finding) and _kinds(view, finding) != {NoneValue}


def _kinds(view: View, finding: Finding) -> frozenset[type]:
    """What the statement of a finding makes of the attribute, by its kinds."""
    events = (event for event in view.construction.events if event.attribute == finding.attribute and event.step.own)
    given = (event for event in events if event.step.statement == finding.statement)
    return frozenset(type(one) for event in given if not isinstance(event, GradientRequest) for one in event.value)


def _is_same(one: Finding, other: Finding) -> bool:
    return one.rule is other.rule and one.span == other.span and one.attribute == other.attribute
