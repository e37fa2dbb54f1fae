"""The fix that turns attributes into buffers: what it edits, how far to trust it, what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.fixes.buffer_annotations import annotation_edits
from regbuf_lint.fixes.buffer_doubts import judged
from regbuf_lint.fixes.buffer_plan import Plan, Withheld, becomes_assignment, calls_on, plan_for
from regbuf_lint.fixes.buffer_refill import refill
from regbuf_lint.fixes.dead_placeholder import dead_placeholder
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import without_statement
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.style import NO_BUFFER_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.span import Span
    from regbuf_lint.rewrite.style import TextStyle


class BufferFix(Struct, frozen=True):
    """A fix, or the reason why there is none.

    Attributes:
        fix: the fix, if there is one.
        reason: why it was withheld, is not applied or needs a look; empty for a safe fix.
        advice: what to write instead, where that is no registration; else empty.
    """

    fix: Fix | None
    reason: str
    advice: str = ""

    @property
    def note(self) -> str:
        """What a finding says of the fix: how far it can be trusted, and why; empty for a safe one."""
        if not self.reason:
            return ""
        if self.fix is None:
            return f"fix withheld: {self.reason}"
        return f"{_TRUST[self.fix.applicability]} {self.reason}"

    @property
    def is_applied(self) -> bool:
        """Whether the fix is one that is made where that is asked for."""
        return self.fix is not None and self.fix.applicability is not Applicability.DISPLAY

    def trusted(self, applicability: Applicability, reason: str) -> BufferFix:
        """The fix as one that is trusted less, and why."""
        return replace(self, fix=self.fix and replace(self.fix, applicability=applicability), reason=reason)


_TRUST = {
    Applicability.UNSAFE: "the fix needs a look:",
    Applicability.DISPLAY: "the fix is shown and not applied, since",
}

NO_FIX = BufferFix(None, "")
"""Nothing to offer, and nothing to say about it."""


def computed_name_fix(context: ClassContext, write: Write) -> BufferFix:
    """The fix that registers what one statement stores under a name known only at run time."""
    try:
        plan = plan_for(context, None, [write])
    except Withheld as reason:
        return withheld(reason)
    return _fix(context, [plan])


def buffer_fixes(context: ClassContext, attributes: Iterable[str]) -> Mapping[str, BufferFix]:
    """The fixes that register attributes; those which one statement assigns share one fix.

    Args:
        context: the class.
        attributes: what is to be registered, in the order in which it is first assigned.
    """
    outcomes = {attribute: _plan(context, attribute) for attribute in attributes}
    found = {attribute: one for attribute, one in outcomes.items() if isinstance(one, BufferFix)}
    for group in _groups([one for one in outcomes.values() if isinstance(one, Plan)]):
        fix = _fix(context, group)
        found.update({plan.attribute: fix for plan in group if plan.attribute is not None})
    return found


def _plan(context: ClassContext, attribute: str) -> Plan | BufferFix:
    try:
        return plan_for(context, attribute, context.writes(attribute))
    except Withheld as reason:
        return withheld(reason)


def withheld(reason: Exception) -> BufferFix:
    """No fix, for a reason that ends a sentence."""
    return BufferFix(None, str(reason))


def _groups(plans: Sequence[Plan]) -> list[list[Plan]]:
    """Plans that edit a common statement, directly or through others, belong to one fix."""
    groups: dict[int, tuple[list[Plan], set[Span]]] = {}
    group_of: dict[Span, int] = {}
    for number, plan in enumerate(plans):
        statements = {write.step.statement for write in plan.chosen}
        met = sorted({group_of[one] for one in statements if one in group_of}, reverse=True)
        joined = [groups.pop(one) for one in met]
        statements = statements.union(*(one for _, one in joined))
        groups[number] = [*(one for several, _ in joined for one in several), plan], statements
        group_of.update(dict.fromkeys(statements, number))
    return [several for several, _ in groups.values()]


def _fix(context: ClassContext, plans: Sequence[Plan]) -> BufferFix:
    try:
        edits = [*_registrations(context, plans), *annotation_edits(context, plans)]
    except (CannotRewrite, Withheld) as reason:
        return withheld(reason)
    behind = refill(context, plans)
    edits += [behind] if behind is not None else []
    return judged_fix(context, plans, message(plans), edits, refilled=behind is not None)


def judged_fix(
    context: ClassContext,
    plans: Sequence[Plan],
    what: str,
    edits: Iterable[Edit],
    more: Sequence[str] = (),
    *,
    refilled: bool = False,
) -> BufferFix:
    """The fix that makes some edits, with how far to trust it.

    Args:
        context: the class.
        plans: the attributes that the edits register.
        what: what the fix does, in the imperative.
        edits: what it writes.
        more: further reasons to look at it.
        refilled: whether the edits let ``_init_weights`` fill the buffers that need it.
    """
    applicability, reason = judged(context, plans, more, refilled=refilled)
    fix = Fix(
        applicability,
        what,
        tuple(sorted(edits, key=lambda edit: edit.span)),
        adds=tuple(_key(context, plan) for plan in plans if plan.persistent),
    )
    return BufferFix(fix, reason)


def _key(context: ClassContext, plan: Plan) -> str:
    """The key that ``state_dict()`` gains; a pattern where the attribute's name is computed."""
    if plan.attribute is not None:
        return attribute_key(plan.attribute, context.name)
    from regbuf_lint.rewrite.calls import pattern_of_name  # noqa: PLC0415  libcst is slow to load

    return pattern_of_name(context.source, plan.chosen[0].step.statement)


def message(plans: Sequence[Plan]) -> str:
    """What a fix does, in the imperative."""
    names = [f"`{plan.attribute}`" if plan.attribute else "it" for plan in plans]
    kinds = {"persistent" if plan.persistent else "non-persistent" for plan in plans}
    if len(plans) == 1:
        return f"Register {names[0]} as a {kinds.pop()} buffer"
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Register {listed} as {kinds.pop() + ' ' if len(kinds) == 1 else ''}buffers"


def _registrations(context: ClassContext, plans: Sequence[Plan]) -> list[Edit]:
    """One edit for each statement that assigns any of the attributes."""
    from regbuf_lint.rewrite.registration import Registered  # noqa: PLC0415  libcst is slow to load
    from regbuf_lint.rewrite.statements import register  # noqa: PLC0415

    wanted: dict[Span, dict[str, Registered]] = {}
    styles: dict[Span, TextStyle] = {}
    dead = [one for plan in plans if (one := dead_placeholder(context, plan)) is not None]
    for plan in plans:
        for write in (one for one in plan.chosen if one not in dead):
            span = write.step.statement
            here = wanted.setdefault(span, {})
            key = context.source.slice(write.side or write.target)
            styles[span] = text_style(context, write)
            if write.form is WriteForm.SETATTR:
                _refuse_others(context, write, plans)
            persistent = plan.persistent or (key in here and here[key].persistent)
            here[key] = Registered(persistent, calls_on(write), by_call=not becomes_assignment(context, write))
    made = [(register(context.source, span, targets, styles[span]), styles[span]) for span, targets in wanted.items()]
    dropped = [Edit(without_statement(context.source, one.step.statement), "") for one in dead]
    return list(dict.fromkeys([*dropped, *(edit for one, style in made for edit in style.with_import([one]))]))


def _refuse_others(context: ClassContext, write: Write, plans: Sequence[Plan]) -> None:
    """A ``setattr`` that sets several attributes can only be rewritten for all of them."""
    planned = {plan.attribute for plan in plans}
    for event in context.construction.events:
        same = isinstance(event, Write) and event.step.statement == write.step.statement
        if same and isinstance(event, Write) and event.attribute not in planned:
            other = f"`{event.attribute}`" if event.attribute else "another attribute"
            msg = f"the same statement sets {other}, which must not be registered"
            raise Withheld(msg)


def text_style(context: ClassContext, write: Write) -> TextStyle:
    """What new text in the place of a write looks like.

    Raises:
        Withheld: the file has no name for ``nn.Buffer``, and that is asked for.
    """
    style = context.text.style(write.step.method)
    if style.buffer_style is BufferStyle.NN_BUFFER and not style.buffer_name:
        raise Withheld(NO_BUFFER_NAME)
    return style
