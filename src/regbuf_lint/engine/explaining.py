"""Why an attribute is reported, or is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.classes.named_attributes import attributes_on, spans_row
from regbuf_lint.engine.screen import Screen
from regbuf_lint.engine.session import Session
from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.evidence import use_in_words
from regbuf_lint.findings.inert import inert
from regbuf_lint.index.parsing import ParseError
from regbuf_lint.infer.class_bodies import tensors_of_body
from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.explanation import Decision, ExplainedUse, Explanation
from regbuf_lint.model.mention import mention
from regbuf_lint.model.value import (
    NOTHING,
    Buffer,
    Distribution,
    Loaded,
    Parameter,
    Submodule,
    Tensor,
    Unknown,
    Value,
    is_only,
    is_tensor,
    join,
    may_be,
    parts_of,
)
from regbuf_lint.model.value_words import in_words
from regbuf_lint.rules import RULES
from regbuf_lint.source.selection import ignored_in_file, names, selected_codes
from regbuf_lint.source.shown_paths import shown_path
from regbuf_lint.source.suggestions import did_you_mean
from regbuf_lint.source.suppression import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Event
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.use import Store, Use
    from regbuf_lint.source.text import SourceText

_MOST_USES = 20
"""How many uses are shown; those in the file of the class come first."""


class NothingToExplainError(Exception):
    """No attribute is meant; the message is one line and does not name the file."""


class _Question(Struct, frozen=True):
    """What is asked: attributes of one class.

    Attributes:
        contexts: the class as its own construction runs it, then as those of subclasses do; at least one.
        attributes: names; None for those that are only known at run time.
        row: the line that was named, if one was.
    """

    contexts: tuple[ClassContext, ...]
    attributes: tuple[str | None, ...]
    row: int | None = None


def with_every_rule(settings: Settings) -> Settings:
    """The settings under which files are checked to explain what is in them."""
    return replace(settings, select=("ALL",), extend_select=(), ignore=(), per_file_ignores=())


def explain(
    path: Path, source: SourceText, where: int | str, settings: Settings, session: Session | None = None
) -> tuple[Explanation, ...]:
    """Explain attributes of a class.

    Args:
        path: where the file lies.
        source: its text.
        where: a row of the text, or ``Class.attr``.
        settings: the run's settings; rules that are not selected are asked too.
        session: what earlier questions left behind, with the settings that ``with_every_rule`` gives.

    Returns:
        One for each attribute that is set or read on that line, or the one that is named; places are those of
        notebooks' cells.

    Raises:
        NothingToExplainError: there is no such class, attribute or line, or the file does not parse.
    """
    if session is None:
        everything = with_every_rule(settings)
        session = Session(everything, Screen(everything))
    findings = session.check(path, source).findings  # first, since a check may give up what contexts are made of
    try:
        contexts = tuple(session.contexts(path, source))
    except ParseError as failure:
        msg = f"{mention(failure.position.row)}: {failure.message}"
        raise NothingToExplainError(msg) from None
    asked = _on_row(contexts, source, where) if isinstance(where, int) else _by_name(contexts, where)
    reporting = _Reporting(path, source, settings)
    return tuple(_explanation(asked, attribute, findings, reporting) for attribute in asked.attributes)


def _on_row(contexts: Sequence[ClassContext], source: SourceText, row: int) -> _Question:
    if row > source.rows:
        msg = f"there is no {mention(row)}"
        raise NothingToExplainError(msg)
    around = [one for one in contexts if spans_row(one.definition, row)]
    if not around:
        msg = f"{mention(row)} is in no class that is known to be an nn.Module"
        raise NothingToExplainError(msg)
    inner = tuple(one for one in around if one.symbol == around[-1].symbol)
    set_here = [event.attribute for context in inner for event in _setting(context) if _is_on(event, row)]
    known = frozenset[str]().union(*(one.construction.attributes for one in inner))
    attributes = tuple(dict.fromkeys([*set_here, *attributes_on(inner[0].definition, row, known)]))
    if not attributes:
        msg = f"{mention(row)} neither sets nor reads an attribute of `{inner[0].name}`"
        raise NothingToExplainError(msg)
    return _Question(inner, attributes, row)


def _by_name(contexts: Sequence[ClassContext], name: str) -> _Question:
    class_name, _, attribute = name.rpartition(".")
    own = tuple(one for one in contexts if one.name == class_name)
    if not own:
        hint = did_you_mean(class_name, {one.name for one in contexts})
        msg = f"no class `{class_name}` that is known to be an nn.Module{hint}"
        raise NothingToExplainError(msg)
    known = frozenset[str]().union(*(one.text.attribute_names for one in own))
    if attribute not in known:
        msg = f"`{class_name}` has no attribute `{attribute}`{did_you_mean(attribute, known)}"
        raise NothingToExplainError(msg)
    return _Question(own, (attribute,))


def _setting(context: ClassContext) -> Iterator[Write | Registration]:
    """What sets attributes in the class's own text: while the object is built, or for all objects in its body."""
    events = context.construction.events
    yield from (event for event in events if isinstance(event, (Write, Registration)) and event.step.own)
    yield from tensors_of_body(context.inference, context.symbol)


def _is_on(event: Event, row: int) -> bool:
    return event.step.statement.start.row <= row <= event.step.statement.end.row


class _Reporting:
    """Tells whether a finding is shown, and why not."""

    def __init__(self, path: Path, source: SourceText, settings: Settings) -> None:
        self.source = source
        self._suppressions = Suppressions.parse(source)
        ignored = ignored_in_file(settings, path)
        codes = selected_codes(settings, [rule.meta for rule in RULES])
        self._codes = frozenset(code for code in codes if not any(names(selector, code) for selector in ignored))

    def is_selected(self, finding: Finding) -> bool:
        return finding.code in self._codes

    def is_hidden(self, finding: Finding) -> bool:
        return self._suppressions.hides(finding)


def _explanation(
    asked: _Question, attribute: str | None, findings: Sequence[Finding], reporting: _Reporting
) -> Explanation:
    setting = [
        (context, [event for event in _setting(context) if event.attribute == attribute]) for context in asked.contexts
    ]
    context, events = next((one for one in setting if one[1]), setting[0])
    if attribute is None:
        events = [event for event in events if asked.row is not None and _is_on(event, asked.row)]
    value = context.value_of(attribute) if attribute is not None else NOTHING
    value = value or join(event.value for event in events)
    statements = {event.step.statement for event in events}
    mine = [
        one
        for one in findings
        if (one.class_name, one.attribute) == (context.name, attribute)
        and (attribute is not None or one.statement in statements)
    ]
    return Explanation(
        class_name=context.name,
        attribute=attribute,
        holds=in_words(value),
        stores=tuple(_store(event, reporting.source) for event in events),
        uses=_uses(context, attribute) if attribute is not None else None,
        decisions=tuple(_decisions(context, attribute, value, mine, reporting)),
    )


def _store(event: Write | Registration, source: SourceText) -> ExplainedUse:
    place = source.located_span(event.target if isinstance(event, Write) else event.call)
    done = "registers it" if isinstance(event, Registration) else "assigns it"
    by = event.step.method or event.step.owner.rpartition(".")[2]
    return ExplainedUse(place, by, f"{done}: {in_words(event.value)}")


def _decisions(
    context: ClassContext, attribute: str | None, value: Value, findings: Sequence[Finding], reporting: _Reporting
) -> Iterator[Decision]:
    located = [(one, reporting.source.located(one).message) for one in findings]
    shown = [(one, message) for one, message in located if reporting.is_selected(one)]
    for one, message in shown:
        yield Decision(f"{one.code}, hidden by a comment" if reporting.is_hidden(one) else one.code, message)
    if not shown:
        yield Decision("not reported", _reason_for_silence(context, attribute, value))
    for one, message in located:
        if not reporting.is_selected(one):
            yield Decision(f"{one.code}, which is not selected, would report", message)


def _uses(context: ClassContext, attribute: str) -> tuple[ExplainedUse, ...]:
    """What methods do with the attribute once the object is built, in the order of the text."""
    file = context.symbol.scope.file.path
    trace = context.trace(attribute)
    told: list[tuple[Use | Store, str]] = [(use, use_in_words(use)) for use in trace.uses(attribute)]
    told += [(one, "gives it another value") for one in trace.replacements(attribute)]
    found = (
        ExplainedUse(one.span, one.method, what, None if one.path == file else shown_path(one.path))
        for one, what in told
    )
    ordered = sorted(dict.fromkeys(found), key=lambda one: (one.path or "", one.place))
    return tuple(ordered[:_MOST_USES])


def _reason_for_silence(context: ClassContext, attribute: str | None, value: Value) -> str:
    known = _reason_by_kind(value)
    if known:
        return known
    exemption = exempting(context, attribute) if attribute is not None else None
    if exemption is not None:
        return f"{exemption.reason} ({exemption.name})"
    reason = inert(context, attribute) if attribute is not None else None
    if reason:
        return f"nothing comes of it: {reason}"
    if _holds(value, (Loaded,)):
        return "nothing shows whether what was loaded is a tensor"
    if attribute is not None and not context.value_of(attribute):
        return "it belongs to the class: methods move it where they need it, or objects get one of their own"
    return "it is not what the object holds when it is built" if is_tensor(value) else "it may be no tensor"


def _reason_by_kind(value: Value) -> str:
    """Why no rule speaks, where what an attribute holds says so already; else an empty string."""
    if not value:
        return "nothing sets it while the object is built"
    if is_only(value, Buffer):
        return "it is a registered buffer, which moves with the object"
    if is_only(value, Parameter):
        return "it is a Parameter, which moves with the object and is saved"
    if is_only(value, Submodule):
        return "it is a part of the object, which moves with it and is looked at as a class of its own"
    if not _holds(value, (Tensor, Distribution, Unknown)):
        return "it holds no tensor that could be left behind"
    if _holds(value, (Unknown,)) and not _holds(value, (Loaded,)):
        return "what it may hold is not known, and rules speak only where it is"
    return ""


def _holds(value: Value, kinds: tuple[type[Tensor | Distribution | Unknown], ...]) -> bool:
    """Whether one of some kinds is among the alternatives, or in a container."""
    return may_be(value, *kinds) or any(_holds(part, kinds) for one in value for part in parts_of(one))
