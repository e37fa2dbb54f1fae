"""Types of attributes that are registered by a call: annotations move to the class, or new ones are put there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.torchscript import may_be_scripted, may_be_scripted_elsewhere
from regbuf_lint.fixes.buffer_plan import becomes_assignment
from regbuf_lint.fixes.buffer_types import buffer_type
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Span
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import type_comment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_plan import Plan
    from regbuf_lint.placement.annotations import AnnotationPlace
    from regbuf_lint.placement.class_none import ClassNone


def annotation_edits(context: ClassContext, plans: Sequence[Plan]) -> Iterator[Edit]:
    """The edits that keep the annotations and type comments of attributes which become buffers, or add annotations.

    Raises:
        CannotRewrite: one of them cannot be kept.
    """
    for plan in plans:
        annotation = None
        for write in plan.chosen:
            if becomes_assignment(context, write):
                continue
            written = _annotation(context, write)
            comment = type_comment(context.source, write.step.statement)
            if comment is not None and written is None:
                _refuse_several(write)
                written = comment.annotation
                yield Edit(comment.span, "")
            annotation = annotation or written
        none = context.places.class_none(plan.attribute) if plan.attribute is not None else None
        if none is not None and plan.attribute is not None:
            yield from _without_value(context, plan.attribute, none, annotation)
        elif annotation is not None and plan.attribute is not None:
            yield from _bare(context, plan.attribute, annotation)
        elif plan.attribute is not None and not _declares_itself(context, plan):
            yield from new_annotation(context, plan.attribute)


def _declares_itself(context: ClassContext, plan: Plan) -> bool:
    """Whether type checkers take the type from assignments of ``nn.Buffer``, and nothing else is assigned."""
    return (
        all(becomes_assignment(context, write) for write in plan.chosen)
        and len(plan.chosen) == len(plan.writes)
        and not context.later_events(plan.attribute or "")
    )


def _without_value(context: ClassContext, attribute: str, none: ClassNone, annotation: str | None) -> Iterator[Edit]:
    """``x = None`` of the class as ``x: Tensor``, which gives it no attribute.

    Raises:
        CannotRewrite: the file has no name for the type.
    """
    written = none.annotation or (context.text.in_class_body(annotation) if annotation is not None else None)
    found = buffer_type(context, attribute) if not written else None
    if found is not None:
        written = found.text
        yield from found.imports
    if not written:
        msg = "`None` in the class cannot become an annotation, since the file has no name for its type"
        raise CannotRewrite(msg)
    yield Edit(none.statement, f"{attribute}: {written}")


def new_annotation(context: ClassContext, attribute: str, dropped: Span | None = None) -> Iterator[Edit]:
    """``attribute: Tensor`` in the body of the class, where that is asked for and the class has no such annotation.

    Type checkers do not see what ``register_buffer`` stores.

    Args:
        context: the class.
        attribute: name of the buffer.
        dropped: an assignment that the fix takes away.
    """
    if not context.settings.annotate or not attribute.isidentifier() or context.text.annotates(attribute):
        return
    found, place = buffer_type(context, attribute, dropped), context.text.annotation_place
    if found is None or place is None or context.text.makes_fields_of_annotations:
        return
    if not found.suits_torchscript and (may_be_scripted(context) or may_be_scripted_elsewhere(context)):
        return
    yield from found.imports
    yield _in_class(context, place, attribute, found.text)


def _annotation(context: ClassContext, write: Write) -> str | None:
    if write.form is not WriteForm.ANNOTATED:
        return None
    from regbuf_lint.rewrite.annotations import annotation_of  # noqa: PLC0415  libcst is slow to load

    return annotation_of(context.source, write.step.statement)


def _refuse_several(write: Write) -> None:
    if write.form is not WriteForm.PLAIN:
        msg = "its type comment speaks of several targets"
        raise CannotRewrite(msg)


def _bare(context: ClassContext, attribute: str, annotation: str) -> Iterator[Edit]:
    """``attribute: annotation`` in the body of the class, unless it is there."""
    if attribute in context.definition.annotations:
        return
    if context.text.makes_fields_of_annotations:
        msg = "the annotation would move to the class, where it becomes an argument of the constructor"
        raise CannotRewrite(msg)
    place, text = context.text.annotation_place, context.text.in_class_body(annotation)
    is_plain = annotation == text == context.text.spelling("torch.Tensor")
    suits_torchscript = is_plain and not context.text.postpones_annotations
    if not suits_torchscript and (may_be_scripted(context) or may_be_scripted_elsewhere(context)):
        msg = "its annotation would move to the class, where TorchScript takes it at its word"
        raise CannotRewrite(msg)
    if place is None or text is None:
        msg = "its annotation cannot be moved to the class"
        raise CannotRewrite(msg)
    yield _in_class(context, place, attribute, text)


def _in_class(context: ClassContext, place: AnnotationPlace, attribute: str, text: str) -> Edit:
    newline = context.source.newline
    behind = newline if place.blank_line_behind else ""
    return Edit(Span(place.position, place.position), f"{place.indent}{attribute}: {text}{newline}{behind}")
