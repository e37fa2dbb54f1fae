"""Where a plain tensor hurts, in words: the uses that the trace shows, the weightiest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.finding import Evidence
from regbuf_lint.model.trail import Flow, Source
from regbuf_lint.model.use import MEETING, SAVING, Sink

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.trail import Origin
    from regbuf_lint.model.use import Store, Use

_MOST = 3
_HANDED = {
    Sink.PASSED: "passes {what} to `{callee}`",
    Sink.PART: "passes {what} to `{callee}`",
    Sink.RETURNED: "returns {what}",
    Sink.STORED: "stores {what} in `{callee}` too",
    Sink.INDEX: "uses {what} as an index, which a tensor on another device has to copy each time",
}
"""What a method does with the tensor that may carry it to where tensors of another device are."""


def evidence(context: ClassContext, attribute: str) -> tuple[Evidence, ...]:
    """The places where the tensor in an attribute hurts once the object is moved, saved or cast; at most three.

    Args:
        context: the class.
        attribute: the attribute.
    """
    found: dict[tuple[str, str], Evidence] = {}
    for kind, span, path, method, text in _places(context, attribute):
        key = (kind, method)
        if key not in found:
            here = path == context.symbol.scope.file.path
            message = f"`{method}` ({context.mention(span, path)}) {text}"
            found[key] = Evidence(message, span, None if here else str(path))
    return tuple(found.values())[:_MOST]


def _places(context: ClassContext, attribute: str) -> Iterator[tuple[str, Span, Path, str, str]]:
    """What is certain of the tensor comes before what something that is not followed may have made of it."""
    hurting = (one for one in context.trace(attribute).uses(attribute) if one.entry not in SAVING)
    every = sorted(hurting, key=_weight)
    uses = [one for one in every if not one.guessed]
    yield from _meetings(context, uses)
    for store in context.trace(attribute).stores(attribute):
        if store.only_moves:
            yield "moved", store.span, store.path, store.method, "moves it by hand"
    if not context.saves(attribute):
        yield from _changes(context, attribute, uses)
    yield from _handed_on(uses)
    guessed = [one for one in every if one.guessed]
    yield from _meetings(context, guessed)
    yield from _handed_on(guessed)


def _meetings(context: ClassContext, uses: Iterable[Use]) -> Iterator[tuple[str, Span, Path, str, str]]:
    for use in uses:
        if use.sink in MEETING and use.hurts:
            kind = "moved" if _is_moved(use) else "meets"
            move = context.trace(use.attribute).move_before(use) if use.flow is Flow.MOVED else None
            if move is None:
                yield kind, use.span, use.path, use.method, _meeting(use)
            else:
                yield (
                    kind,
                    move.span,
                    move.path,
                    move.method,
                    f"moves it by hand, to combine it with {_named(use.partners)}",
                )


def _handed_on(uses: Iterable[Use]) -> Iterator[tuple[str, Span, Path, str, str]]:
    for use in uses:
        if use.sink in _HANDED:
            how = ", once it has been moved by hand" if use.flow is Flow.MOVED else ""
            yield "handed on", use.span, use.path, use.method, _filled(_HANDED[use.sink], use) + how


def _filled(words: str, use: Use) -> str:
    return words.format(what=_MADE.get(use.flow, "it"), callee=use.callee)


_MADE = {Flow.COMPUTED: "what it computes from it", Flow.BESIDE: "what it puts on its device"}
"""What a method uses that is not the tensor itself."""


def use_in_words(use: Use) -> str:
    """What a method does with a tensor, without the method's name: ``combines it with `x```."""
    if use.sink in MEETING:
        return _meeting(use) if use.hurts else "computes with it"
    return _filled(_HANDED.get(use.sink) or _OTHER_USES[use.sink], use)


_OTHER_USES = {
    Sink.NUMPY: "gives {what} to NumPy",
    Sink.ON_CPU: "gives {what} to `{callee}`, which wants it on the CPU",
    Sink.HOST: "makes a number, a string or a decision of it",
    Sink.METADATA: "asks for its shape, or whether it is there",
    Sink.EMPTINESS: "asks whether it has elements",
    Sink.PLACE: "asks for its device or dtype",
    Sink.REDUCED: "computes a number without dimensions from it, which goes with tensors of any device",
    Sink.GROWN: "gives the number dimensions",
    Sink.BY_DEVICE: "chooses from it by a device",
    Sink.DRAW: "draws with it, by a generator of the object",
    Sink.MUTATED: "changes it in place",
    Sink.MUTATED_COPY: "moves it by hand, and changes what that gives in place",
    Sink.WEIGHT: "computes with it as the weight of a layer",
}


def _weight(use: Use) -> tuple[bool, bool, bool, int]:
    """Where a move was forgotten comes before where it was not, what always runs before what may not.

    So does the tensor itself before what has been computed from it, and that before what lies beside it.
    """
    made = {Flow.COMPUTED: 1, Flow.BESIDE: 2}.get(use.flow, 0)
    return _is_moved(use), use.entry != "forward", not use.certain, made


def _is_moved(use: Use) -> bool:
    """Whether the method itself gets the tensor to where it needs it."""
    return use.sink is Sink.COPIED or use.flow in {Flow.MOVED, Flow.CHECKED}


def _changes(context: ClassContext, attribute: str, uses: Iterable[Use]) -> Iterator[tuple[str, Span, Path, str, str]]:
    for use in uses:
        if use.sink is Sink.MUTATED and not (use.is_drawn or use.refilled):
            yield "state", use.span, use.path, use.method, "changes it in place, and `state_dict()` does not save it"
    replaced = context.trace(attribute).replacements(attribute) if context.value_of(attribute) else ()
    for store in replaced:
        yield "state", store.span, store.path, store.method, _replacing(store)


def _replacing(store: Store) -> str:
    how = "computes its next value from it" if store.own_flows else "puts another tensor in its place"
    return f"{how}, and `state_dict()` does not save it"


def _meeting(use: Use) -> str:
    partner = _named(use.partners)
    if use.sink is Sink.COPIED:
        return f"copies it to the device of {partner}, each time that it runs"
    how = {Flow.CHECKED: ", once it has compared devices or dtypes", Flow.MOVED: ", to which it is moved by hand"}
    return f"combines it with {partner}{how.get(use.flow, '')}"


def _named(partners: frozenset[Origin]) -> str:
    """The partner that tells most: what is certain before what is guessed, an argument before what moves along."""
    partner = min((one for one in partners if one.follows), key=_distance)
    if partner.source is Source.PARAMETER:
        what = "" if partner.flow in _AS_GIVEN and not partner.guessed else "what is computed from "
        return f"{what}`{partner.name}`, which comes from the caller"
    return f"`{partner.name}`, which moves with the object"


_AS_GIVEN = frozenset({Flow.SAME, Flow.ELEMENT, Flow.CHECKED})


def _distance(partner: Origin) -> tuple[bool, bool, bool, str]:
    is_argument = partner.source is Source.PARAMETER
    return partner.guessed, is_argument and partner.flow not in _AS_GIVEN, not is_argument, partner.name
