"""Binding values to targets: names, attributes, items, and patterns of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.infer.collections import element_of, item_at, items_of, sequence_of, with_item
from regbuf_lint.infer.gradients import asked, unasked
from regbuf_lint.infer.randomness import as_differing, spread, spread_index
from regbuf_lint.infer.references import OfProperty, SelfValue
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.class_view import AttributeState, WriteForm
from regbuf_lint.model.value import (
    UNSET,
    Alternative,
    Buffer,
    Differs,
    Distribution,
    Mapping,
    NoneValue,
    Sequence,
    Tensor,
    Unknown,
    Value,
    held,
    is_only,
    is_refused,
    join,
    map_tensors,
    may_be,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.state import State


def bind(frame: Frame, target: ast.expr, value: Value, state: State, form: WriteForm = WriteForm.TARGET) -> None:
    """Give ``target`` a value; ``form`` says how, should it be an attribute of the object under construction."""
    if isinstance(target, ast.Name):
        state.locals[target.id] = value
    elif isinstance(target, ast.Attribute):
        _bind_attribute(frame, target, value, state, form)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target.elts, value, state, form)
    elif isinstance(target, ast.Starred):
        bind(frame, target.value, value, state, form)
    elif isinstance(target, ast.Subscript):
        _bind_item(frame, target, value, state)


def _unpack(frame: Frame, targets: list[ast.expr], value: Value, state: State, form: WriteForm) -> None:
    inner = WriteForm.UNPACKED if form in {WriteForm.PLAIN, WriteForm.CHAINED, WriteForm.UNPACKED} else form
    star = next((index for index, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    value = _of_fitting_length(value, len(targets)) if star is None else value
    for index, target in enumerate(targets):
        if star is None or index < star:
            bind(frame, target, item_at(value, index), state, inner)
        elif index == star:
            known = items_of(value)
            behind = len(targets) - star - 1
            taken = join(known[star : len(known) - behind]) if known is not None else element_of(value)
            bind(frame, target, sequence_of("list", taken), state, inner)
        else:
            bind(frame, target, item_at(value, index - len(targets)), state, inner)


def _of_fitting_length(value: Value, length: int) -> Value:
    """What is unpacked into so many targets: where a tuple of that length may come, no tensor's rows are meant."""
    fitting = frozenset(one for one in value if isinstance(one, Sequence) and len(one.items or ()) == length)
    return fitting | frozenset(one for one in value if isinstance(one, Unknown)) if fitting else value


def _bind_attribute(frame: Frame, target: ast.Attribute, value: Value, state: State, form: WriteForm) -> None:
    owner = frame.evaluate(target.value, state)
    if any(isinstance(one, SelfValue) for one in owner):
        if _runs_setter(frame, target, value, state):
            return
        write(frame, target, target.attr, value, state, form)
    elif target.attr == "requires_grad":
        if isinstance(target.value, ast.Name):
            state.locals[target.value.id] = asked(unasked(owner), value)
        note_gradient(frame, target.value, value, state)
    elif target.attr == "data":
        note_filled(frame, target.value, state)
    elif any(isinstance(one, Distribution) for one in owner):
        change_in_place(frame, target.value, state, _parameterized)


def _parameterized(value: Value) -> Value:
    """What a value is once somebody has given a distribution other parameters than it has made itself."""
    return frozenset(replace(one, of_numbers=False) if isinstance(one, Distribution) else one for one in value)


def note_gradient(frame: Frame, node: ast.expr, requires_grad: Value, state: State) -> None:
    """Record that ``node``, if it is an attribute of the object under construction, is asked for a gradient.

    Args:
        frame: the function that runs.
        node: what is asked for a gradient.
        requires_grad: whether it is to require one; no alternative where that is not said.
        state: what is known there.
    """
    node = definition_of(frame.scope.node, node)
    if is_refused(requires_grad):
        return
    if frame.recorder is not None and isinstance(node, ast.Attribute) and _is_self(frame, node, state):
        frame.recorder.gradient(node, frame.step(state), node.attr, state.attribute(node.attr).value)
        known = state.attribute(node.attr)
        state.attributes[node.attr] = replace(known, value=asked(known.value, requires_grad))


def note_random(frame: Frame, node: ast.expr, state: State) -> None:
    """The tensor or array of a local or attribute, of which ``node`` may be a part, is filled at random in place."""
    _changed_whole(frame, node, state, lambda value: as_differing(value, Differs.AT_RANDOM))


def note_filled(frame: Frame, node: ast.expr, state: State) -> None:
    """The tensor of a local or attribute is changed in place, and may have other elements than before."""
    _changed_whole(frame, node, state, lambda value: map_tensors(value, lambda one: replace(one, empty=False)))


def _changed_whole(frame: Frame, node: ast.expr, state: State, change: Callable[[Value], Value]) -> None:
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "data"):
        node = node.value
    change_in_place(frame, node, state, change)


def change_in_place(frame: Frame, node: ast.expr, state: State, change: Callable[[Value], Value]) -> None:
    """What a local or an attribute holds becomes another: both, where the one was given what the other still holds."""
    attribute = None
    if isinstance(node, ast.Name) and node.id in state.locals:
        attribute = shared_attribute(frame, node, state)
        state.locals[node.id] = change(state.locals[node.id])
    elif isinstance(node, ast.Attribute) and _is_self(frame, node, state):
        attribute = node.attr
    known = state.attribute(attribute or "")
    if attribute is not None and known.value != UNSET:
        state.attributes[attribute] = replace(known, value=change(known.value))


def shared_attribute(frame: Frame, node: ast.Name, state: State) -> str | None:
    """The attribute of the object that a local was given, where both still hold the same."""
    given = definition_of(frame.scope.node, node) if frame.owner is not None else node
    if not isinstance(given, ast.Attribute) or not _is_self(frame, given, state):
        return None
    shared = held(state.attribute(given.attr).value, alias=given.attr)
    return given.attr if state.locals.get(node.id, UNSET) <= shared else None


def _runs_setter(frame: Frame, target: ast.Attribute, value: Value, state: State) -> bool:
    """Whether a property's setter takes the value; it then runs, since it may store it elsewhere."""
    if may_be(state.attribute(target.attr).value, OfProperty):
        return True
    if frame.symbol is None:
        return False
    found = frame.inference.members(frame.symbol).setters.get(target.attr)
    if found is None:
        return False
    owner, setter = found
    frame.call_method(owner, setter, (value,), state)
    return True


def write(
    frame: Frame,
    node: ast.expr,
    attribute: str | None,
    value: Value,
    state: State,
    form: WriteForm,
    side: ast.expr | None = None,
) -> None:
    """Assign an attribute of the object under construction, as ``nn.Module.__setattr__`` does.

    Args:
        frame: where the assignment stands.
        node: its target.
        attribute: name of the attribute; None where it is only known at run time.
        value: what is assigned.
        state: what is known there; changed.
        form: how it is written.
        side: what is assigned, where it is one of the two sides of a choice.
    """
    if attribute is None:
        if frame.recorder is not None:
            span = frame.scope.file.span(node)
            frame.recorder.write(node, frame.step(state), None, value, UNSET, form, (span, None))
        return
    prior = state.attribute(attribute)
    if _registers_itself(value) and isinstance(frame.statement, (ast.Assign, ast.AnnAssign)):
        _assign_buffer(frame, node, attribute, value, state)
        return
    number = -1
    if frame.recorder is not None:
        places = frame.scope.file.span(node), None if side is None else frame.scope.file.span(side)
        number = frame.recorder.write(side or node, frame.step(state), attribute, value, prior.value, form, places)
    trail = prior.trail if form is WriteForm.AUGMENTED else None
    state.attributes[attribute] = AttributeState(stored(value, prior.value), frozenset({number}), trail)


def _registers_itself(value: Value) -> bool:
    return is_only(value, Buffer) and all(one.registers_itself for one in value if isinstance(one, Buffer))


def _assign_buffer(frame: Frame, node: ast.expr, attribute: str, value: Value, state: State) -> None:
    """``self.x = nn.Buffer(...)`` registers."""
    call = frame.statement.value if isinstance(frame.statement, (ast.Assign, ast.AnnAssign)) else None
    number = -1
    if frame.recorder is not None and isinstance(call, ast.Call) and call in frame.buffers:
        inner = frozenset(one.tensor if isinstance(one, Buffer) else one for one in value)
        span = frame.scope.file.span
        places = (span(call), span(call.args[0]) if call.args else None)
        prior = state.attribute(attribute).value
        number = frame.recorder.registration(node, frame.step(state), attribute, inner, prior, places, "nn.Buffer")
    state.attributes[attribute] = AttributeState(value, frozenset({number}))


def stored(value: Value, prior: Value) -> Value:
    """What an attribute is after ``value`` was assigned to it while it was ``prior``.

    A tensor (or None) assigned to the name of a registered buffer becomes that buffer's value; a buffer assigned to
    any other name is a plain tensor there.
    """
    was_buffer = is_only(prior, Buffer) or (may_be(prior, Buffer) and is_only(prior, Buffer, NoneValue))
    if was_buffer:
        inside: Value = frozenset(Buffer(one) if isinstance(one, Tensor) else one for one in value)
        return inside | {Buffer()} if is_only(inside, NoneValue) else inside
    return frozenset(_as_second_name(one) for one in value)


def _as_second_name(one: Alternative) -> Alternative:
    if isinstance(one, Buffer) and not one.registers_itself:
        return replace(one.tensor, fresh=False)
    return one


def _bind_item(frame: Frame, target: ast.Subscript, value: Value, state: State) -> None:
    owner = frame.evaluate(target.value, state)
    key = frame.evaluate(target.slice, state)
    changed = frozenset(_with_item(one, key, value) for one in owner)
    if not isinstance(target.value, ast.Subscript):
        change_in_place(frame, target.value, state, lambda _: changed)
    elif is_only(owner, Sequence, Mapping):
        _bind_item(frame, target.value, changed, state)


def _is_self(frame: Frame, node: ast.Attribute, state: State) -> bool:
    return any(isinstance(one, SelfValue) for one in frame.evaluate(node.value, state))


def _with_item(one: Alternative, key: Value, value: Value) -> Alternative:
    if isinstance(one, (Sequence, Mapping)):
        return with_item(one, key, value)
    whole = mixed(one, result_tensor([value])) if isinstance(one, Tensor) else one
    (changed,) = spread_index(key, spread(value, frozenset({whole})))
    return changed


def mixed(one: Tensor, written: Tensor) -> Tensor:
    """A tensor into which another one is written in place."""
    return replace(one, differs=max(one.differs, written.differs), derived=one.derived or written.derived)
