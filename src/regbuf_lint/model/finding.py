"""What a rule reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.model.rule import RuleMeta
    from regbuf_lint.model.span import Span


class Related(Struct, frozen=True):
    """Another place that belongs to a finding, with a note on what it is."""

    span: Span
    message: str


class Evidence(Struct, frozen=True):
    """A place where a defect hurts, with a note on what happens there.

    Attributes:
        message: one line: what happens, and to whom.
        span: where; in the file of ``path``, if that is given.
        path: the file, where it is not the finding's own.
    """

    message: str
    span: Span
    path: str | None = None


class Finding(Struct, frozen=True):
    """One defect at one place.

    Attributes:
        rule: the rule that reports it.
        message: one line: what is wrong and what happens because of it.
        span: where.
        statement: the whole statement around ``span``; a ``noqa`` comment on any of its rows suppresses the finding.
        help: what to write instead, or why a fix was withheld; may be empty.
        class_name: dotted qualified name of the nn.Module class within its file, if any.
        attribute: name of the attribute, if any.
        method: name of the method, if any.
        fix: the fix, if there is one.
        related: further places.
        evidence: where it hurts; rows that messages name are written by ``model.mention``.
    """

    rule: RuleMeta
    message: str
    span: Span
    statement: Span
    help: str = ""
    class_name: str | None = None
    attribute: str | None = None
    method: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def code(self) -> str:
        """The rule's code."""
        return self.rule.code

    @property
    def noqa_row(self) -> int:
        """The row on which a new ``noqa`` comment takes effect and cannot land inside a string."""
        return self.statement.end.row
