"""The fix that turns a list or tuple of tensors into numbered buffers and a property."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.class_context.torchscript import may_be_scripted
from regbuf_lint.fixes.buffer_annotations import new_annotation
from regbuf_lint.fixes.buffer_doubts import judged
from regbuf_lint.fixes.buffer_fix import BufferFix, text_style, withheld
from regbuf_lint.fixes.buffer_plan import Plan, Withheld, by, calls_on, plan_for
from regbuf_lint.infer.outside_writes import assigned_from_outside
from regbuf_lint.model.class_view import Registration, Write, WriteForm
from regbuf_lint.model.fix import Edit, Fix
from regbuf_lint.model.span import Position, Span
from regbuf_lint.model.value import Mapping, Sequence, Tensor, Unset, is_only, join, tensors, tensors_inside, without
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import type_comment

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Value
    from regbuf_lint.placement.method_place import MethodPlace
    from regbuf_lint.rewrite.numbered_buffers import Numbered

_BUILT_IN = frozenset({"enumerate", "getattr", "len", "property", "range", "tuple"})

_TAKE_LATER = "take the parts where they are used: chunk or index the Parameter in `forward`"

_OF_VARIABLES = re.compile(r"\b(?:Final|ClassVar)\b")
"""Annotations that a variable may have and a result may not."""


def container_fix(context: ClassContext, attribute: str, writes: list[Write]) -> BufferFix:
    """The fix of a container of tensors, or why there is none.

    Args:
        context: the class.
        attribute: its name.
        writes: every write to it during construction.
    """
    if are_parts_of_parameters(context.value_of(attribute)):
        return BufferFix(None, "", _TAKE_LATER)
    try:
        write, container = _only_write(writes)
        place = _place(context, attribute, write)
        _refuse_uses(context, attribute, write)
        _refuse_class(context, attribute)
        plan = plan_for(context, attribute, [replace(write, value=container.element)])
        return _fix(context, write, container, plan, place)
    except (CannotRewrite, Withheld) as reason:
        return withheld(reason)


def are_parts_of_parameters(value: Value) -> bool:
    """Whether all tensors inside are parts of Parameters, which nothing but the Parameter itself can follow."""
    return all(tensor.view_of_parameter for tensor in tensors_inside(value))


def _only_write(writes: list[Write]) -> tuple[Write, Sequence]:
    """The one statement that stores the container, and the list or tuple that it stores."""
    if len(writes) > 1:
        msg = "several statements assign it: " + ", ".join(map(by, writes))
        raise Withheld(msg)
    write = writes[0]
    if any(isinstance(one, Mapping) for one in write.value):
        msg = "it is a dict, and the fix cannot keep its keys"
        raise Withheld(msg)
    lists = [one for one in write.value if isinstance(one, Sequence)]
    kinds = {one.kind for one in lists}
    if len(lists) < len(write.value) or len(kinds) > 1 or not kinds <= {"list", "tuple"}:
        msg = "it may be something else than a list, or than a tuple"
        raise Withheld(msg)
    if any(one.fields for one in lists):
        msg = "it is a named tuple, and other code may read its fields by name"
        raise Withheld(msg)
    container = lists[0] if len(lists) == 1 else Sequence(kinds.pop(), None, join(one.element for one in lists))
    if not container.element:
        msg = "it is stored empty and filled afterwards"
        raise Withheld(msg)
    if not is_only(container.element, Tensor):
        msg = "it holds more than plain tensors"
        raise Withheld(msg)
    attributes = {tensor.alias for tensor in tensors(container.element)} - {""}
    if attributes:
        names = ", ".join(f"`self.{name}`" for name in sorted(attributes))
        msg = f"other attributes hold its tensors ({names}); register those, and return them in a property"
        raise Withheld(msg)
    if write.form not in {WriteForm.PLAIN, WriteForm.ANNOTATED}:
        msg = "it is no plain assignment"
        raise Withheld(msg)
    return write, container


def _place(context: ClassContext, attribute: str, write: Write) -> MethodPlace:
    place = context.places.method_place(write.step.method, write.step.statement)
    if place is None or not place.runs_once:
        msg = "it is assigned in a loop or in a function within a method"
        raise Withheld(msg)
    if context.source.slice(write.target) != f"{place.receiver}.{attribute}":
        msg = "it is no plain assignment"
        raise Withheld(msg)
    hidden = _BUILT_IN & (place.bound | context.symbol.scope.file.scope.bindings.names)
    if hidden:
        msg = f"`{min(hidden)}` means something else in this file"
        raise Withheld(msg)
    if type_comment(context.source, write.step.statement) is not None:
        msg = "the assignment has a type comment"
        raise Withheld(msg)
    return place


def _refuse_class(context: ClassContext, attribute: str) -> None:
    """Raise where a property of that name, or the names of the buffers, would meet something else."""
    if attribute.startswith("__"):
        msg = "its name starts with two underscores"
        raise Withheld(msg)
    if may_be_scripted(context):
        msg = "the file mentions TorchScript, which cannot compile the property that the fix would write"
        raise Withheld(msg)
    if context.text.named_in_class(attribute):
        msg = f"a class body defines `{attribute}`, too"
        raise Withheld(msg)
    taken = _taken_name(context, attribute)
    if taken is not None:
        msg = f"the fix needs the name `{taken}`, which is another attribute"
        raise Withheld(msg)


def _taken_name(context: ClassContext, attribute: str) -> str | None:
    """An attribute under one of the names that the fix wants."""
    wanted = re.compile(rf"{re.escape(attribute)}_\d+|{re.escape(_counter(attribute))}")
    for name in sorted(context.text.attribute_names):
        if wanted.fullmatch(name) or ("*" in name and fnmatchcase(f"{attribute}_0", name)):
            return name
    return next((name for name in (f"{attribute}_0", _counter(attribute)) if context.collision(name)), None)


def _counter(attribute: str) -> str:
    return f"_{attribute.lstrip('_')}_count"


def _refuse_uses(context: ClassContext, attribute: str, write: Write) -> None:
    reason = context.places.container_obstacle(attribute, write.step.statement)
    if reason is not None:
        raise Withheld(reason)
    outside = assigned_from_outside(context.inference, context.symbol, attribute)
    if outside is not None:
        msg = f"code outside of the class ({context.mention(outside[0], outside[1].path)}) assigns it, too"
        raise Withheld(msg)
    registering = {one.step.method for one in context.construction.events if isinstance(one, Registration)}
    if registering & context.uses.read.get(attribute, set()):
        msg = "the method that reads it registers buffers, perhaps these tensors"
        raise Withheld(msg)
    if without(context.construction.attributes[attribute].value, Unset) != write.value:
        msg = "it is changed after it is stored"
        raise Withheld(msg)


def _fix(context: ClassContext, write: Write, container: Sequence, plan: Plan, place: MethodPlace) -> BufferFix:
    from regbuf_lint.rewrite.numbered_buffers import numbered  # noqa: PLC0415  libcst is slow to load

    statement = write.step.statement
    style = text_style(context, write)
    wanted = _numbered(context, write, container, plan, place)
    made = numbered(context.source, statement, wanted, style)
    names = made.keys if made.is_named else ()
    types = dict.fromkeys(edit for name in names for edit in new_annotation(context, name))
    more = [f"each read of it makes a new {container.kind}"]
    if context.hooks.names_attributes_at_run_time:
        more = ["the class sets attributes by names known only at run time, and a property cannot be set"]
    applicability, reason = judged(context, [plan], more)
    fix = Fix(
        applicability,
        _message(plan, container.kind),
        style.with_import([*types, made.assignment, _insertion(context, place, made.prop)]),
        adds=made.keys if plan.persistent else (),
    )
    return BufferFix(fix, reason)


def _insertion(context: ClassContext, place: MethodPlace, text: str) -> Edit:
    """Puts a method behind another one, with an empty line between it and each of its neighbours."""
    newline = context.source.newline
    if place.is_followed:
        start = Position(place.end.row + 1, 1)
        return Edit(Span(start, start), f"{newline}{text}{newline}{newline}")
    return Edit(Span(place.end, place.end), f"{newline}{newline}{text}")


def _numbered(context: ClassContext, write: Write, container: Sequence, plan: Plan, place: MethodPlace) -> Numbered:
    from regbuf_lint.rewrite.numbered_buffers import Numbered  # noqa: PLC0415  libcst is slow to load
    from regbuf_lint.rewrite.registration import Registered  # noqa: PLC0415

    attribute = write.attribute or ""
    return Numbered(
        attribute,
        container.kind,
        context.text.generic(container.kind),
        tuple(Registered(plan.persistent, calls_on(replace(write, value=value))) for value in container.items or ()),
        Registered(plan.persistent, calls_on(replace(write, value=container.element))),
        context.text.in_class_body(context.text.spelling("torch.Tensor") or "") or "",
        _annotation(context, write),
        _counter(attribute),
        place.indent,
        context.text.functions_at_hand,
    )


def _annotation(context: ClassContext, write: Write) -> str:
    """The annotation of the assignment, as the property can have it; empty where there is none."""
    if write.form is not WriteForm.ANNOTATED:
        return ""
    from regbuf_lint.rewrite.annotations import annotation_of  # noqa: PLC0415  libcst is slow to load

    annotation = annotation_of(context.source, write.step.statement)
    return "" if _OF_VARIABLES.search(annotation) else context.text.in_class_body(annotation) or ""


def _message(plan: Plan, kind: str) -> str:
    what = "persistent" if plan.persistent else "non-persistent"
    name = f"`{plan.attribute}`"
    return f"Register the tensors of {name} as {what} buffers, and make {name} a property that gives a {kind}"
