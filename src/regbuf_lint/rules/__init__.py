"""The rules, one file each: a file put here is a rule.

Each file holds ``META`` (code, name, defaults), ``DOCS`` (its page) and ``check``, which yields the findings of one
nn.Module class; a rule about whole files has no ``check``, and `engine/` asks it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.rule import RuleDocs, RuleMeta


class Rule(Struct, frozen=True):
    """A rule: what is known of it, and the function that finds.

    Attributes:
        meta: code, name, defaults.
        docs: its page.
        check: yields the findings of one nn.Module class; rules about whole files have none of their own.
    """

    meta: RuleMeta
    docs: RuleDocs
    check: Callable[[ClassContext], Iterator[Finding]]


def _no_class_findings(_context: ClassContext) -> Iterator[Finding]:
    """The check of a rule that is about files, not classes."""
    return iter(())


def _found() -> tuple[Rule, ...]:
    modules = [import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__)]
    rules = [Rule(one.META, one.DOCS, getattr(one, "check", _no_class_findings)) for one in modules]
    return tuple(sorted(rules, key=lambda rule: rule.meta.code))


RULES: tuple[Rule, ...] = _found()
"""All rules, in the order of their codes."""
