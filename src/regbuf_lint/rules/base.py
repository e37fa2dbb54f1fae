"""What a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.rule import RuleDocs, RuleMeta


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what is known of it, and the function that finds.

    Attributes:
        meta: code, name, defaults.
        docs: its page.
        check: yields the findings of one nn.Module class; rules about whole files have none of their own.
    """

    meta: RuleMeta
    docs: RuleDocs
    check: Callable[[ClassContext], Iterator[Finding]]


def no_class_findings(_context: ClassContext) -> Iterator[Finding]:
    """The check of a rule that is about files, not classes."""
    return iter(())
