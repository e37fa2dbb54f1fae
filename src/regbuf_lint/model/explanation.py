"""What ``--why`` says of an attribute: what it holds, where it is used, and what decided about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span


class ExplainedUse(Struct, frozen=True):
    """A place where an attribute is set or used.

    Attributes:
        place: where; in the file of ``path``, if that is given.
        method: name of the method.
        text: what happens there, without the method: ``combines it with `x```.
        path: the file, where it is not that of the class.
    """

    place: Span
    method: str
    text: str
    path: str | None = None


class Decision(Struct, frozen=True):
    """What decided whether an attribute is reported.

    Attributes:
        by: a rule's code, an exemption's name, or a word or two where neither has a say.
        reason: one sentence.
    """

    by: str
    reason: str


class Explanation(Struct, frozen=True):
    """What is known of one attribute of one class.

    Attributes:
        class_name: dotted qualified name of the class within its file.
        attribute: name of the attribute, None where it is only known at run time.
        holds: what it holds once the object is built, in words.
        stores: where it is set while the object is built.
        uses: where it is used after that; None where nothing has looked for uses.
        decisions: what decided, the weightiest first; at least one.
    """

    class_name: str
    attribute: str | None
    holds: str
    stores: tuple[ExplainedUse, ...]
    uses: tuple[ExplainedUse, ...] | None
    decisions: tuple[Decision, ...]
