"""Which new names, functions and classes belong to a fix."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from regbuf_lint.verify.statements import gone_texts, unrelated_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regbuf_lint.verify.code_changes import Added, CodeChanges
    from regbuf_lint.verify.statements import Statement

_DECORATORS = re.compile(r"staticmethod|classmethod|property|\w+\.(?:setter|deleter)|(?:\w+\.)?no_grad\(\)")
_PRIVATE = re.compile(r"_\w*[^\W_]")
"""What no tool looks for by its name, as those of notebooks do for ``_repr_html_``."""


def is_named_after(name: str, attribute: str) -> bool:
    """Whether a name is one that fixes derive from an attribute's: of a part, ``masks_0``, or how many there are.

    Args:
        name: the name, in which ``*`` may stand for what is not known of it.
        attribute: the attribute.
    """
    core = re.escape(attribute.strip("_"))
    if name.startswith("__") and attribute.endswith(name):  # as Python makes ``_Net__scale`` of ``__scale``
        return True
    return re.fullmatch(rf"_*{core}(?:_+(?:\d+|\*|count))?", name) is not None


def _speaks_of(statement: Statement, about: Iterable[str]) -> bool:
    """Whether a statement names one of some attributes, computes its name, or names what is named after one."""
    return any(
        is_named_after(name, one) or ("*" in name and name.strip("*_") and fnmatchcase(one, name))
        for one in about
        for name in statement.speaks
    )


def telling(code: CodeChanges, about: set[str]) -> Callable[[Statement], bool]:
    """Return what tells whether a statement speaks of some attributes, or names a new function that does."""
    helpers = {
        one.name
        for one in code.added.values()
        if one.is_function and any(_speaks_of(part, about) for statement in one.body for part in statement.every())
    }
    return lambda one: _speaks_of(one, about) or not helpers.isdisjoint(one.names | one.speaks)


def not_needed(code: CodeChanges, about: set[str]) -> Iterator[str]:
    """Yield the new functions and classes that no fix needs, and where others have statements that none needs."""
    gone = {text for before, after in code.stated.values() for text in gone_texts(before, after)}
    is_about = telling(code, about)
    for place, one in code.added.items():
        if not _may_be_new(one, about):
            yield place
            continue
        other = next(unrelated_in(one.body, one.arguments, gone, is_about), None)
        if other is not None:
            yield f"{place}, line {other.line}"


def _may_be_new(added: Added, about: set[str]) -> bool:
    """Whether it is a function that gives what was fixed, or that nobody but the fixed code calls."""
    is_own = added.is_inner or added.name in about or _PRIVATE.fullmatch(added.name) is not None
    return added.is_function and is_own and all(_DECORATORS.fullmatch(one) for one in added.decorators)
