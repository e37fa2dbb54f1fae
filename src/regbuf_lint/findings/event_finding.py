"""The finding about one step of a construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.finding import Finding

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Event
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.model.rule import RuleMeta
    from regbuf_lint.model.span import Span


def event_finding(
    rule: RuleMeta,
    family: ClassContext,
    event: Event,
    span: Span,
    message: str,
    advice: str,
    outcome: tuple[Fix | None, str],
) -> Finding:
    """What a rule finds at an event.

    Args:
        rule: the rule.
        family: the class.
        event: the event.
        span: the place that is shown.
        message: what is wrong.
        advice: what to write instead.
        outcome: the fix, if there is one, and a note on it or on why there is none; the note may be empty.
    """
    fix, note = outcome
    return Finding(
        rule=rule,
        message=message,
        span=span,
        statement=event.step.statement,
        help=f"{advice}; {note}" if note else advice,
        class_name=family.name,
        attribute=event.attribute,
        method=event.step.method,
        fix=fix,
    )
