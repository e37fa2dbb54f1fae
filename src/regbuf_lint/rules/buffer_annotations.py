"""What becomes of the annotation of an assignment that becomes a call: the class gets a bare one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Span
from regbuf_lint.model.value import NoneValue, may_be
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import type_comment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.class_view import Write
    from regbuf_lint.rules.buffer_plan import Plan
    from regbuf_lint.rules.context import ClassContext


def annotation_edits(context: ClassContext, plans: Sequence[Plan]) -> Iterator[Edit]:
    """The edits that keep the annotations and type comments of attributes which become buffers.

    Raises:
        CannotRewrite: one of them cannot be kept.
    """
    for plan in plans:
        annotation = None
        for write in plan.chosen:
            if stays_assignment(context, write):
                continue
            written = _annotation(context, write)
            comment = type_comment(context.source, write.step.statement)
            if comment is not None and written is None:
                _refuse_several(write)
                written = comment.annotation
                yield Edit(comment.span, "")
            annotation = annotation or written
        if annotation is not None and plan.attribute is not None:
            yield from _bare(context, plan.attribute, annotation)


def stays_assignment(context: ClassContext, write: Write) -> bool:
    """Whether a write becomes the assignment of an ``nn.Buffer``, which keeps what is written about its type."""
    return context.wants_nn_buffer and not may_be(write.value, NoneValue)


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
    if context.makes_fields_of_annotations:
        msg = "the annotation would move to the class, where it becomes an argument of the constructor"
        raise CannotRewrite(msg)
    place, text = context.annotation_place, context.in_class_body(annotation)
    if place is None or text is None:
        msg = "its annotation cannot be moved to the class"
        raise CannotRewrite(msg)
    newline = context.source.newline
    behind = newline if place.blank_line_behind else ""
    yield Edit(Span(place.position, place.position), f"{place.indent}{attribute}: {text}{newline}{behind}")
