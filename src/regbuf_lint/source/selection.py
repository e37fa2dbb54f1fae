"""Which rules run, and which of them are silent in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.source.gitignore import anchored, compile_patterns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from regbuf_lint.model.rule import RuleMeta
    from regbuf_lint.model.settings import Settings

ALL = "ALL"


def selected_codes(settings: Settings, rules: Iterable[RuleMeta]) -> frozenset[str]:
    """Return the codes of the rules that run.

    A code is on where the longest selector naming it stands in ``select`` (or ``extend_select``), off where it stands
    in ``ignore``; of two selectors of one length ``ignore`` wins. ``ALL`` is the shortest selector. Without ``select``
    the rules that are on by default are selected as if by ``ALL``.
    """
    return frozenset(rule.code for rule in rules if _is_selected(rule, settings))


def _is_selected(rule: RuleMeta, settings: Settings) -> bool:
    chosen = _weight(rule.code, (*(settings.select or ()), *settings.extend_select))
    if chosen is None:
        if settings.select is not None or not rule.on_by_default:
            return False
        chosen = 0
    refused = _weight(rule.code, settings.ignore)
    return refused is None or chosen > refused


def is_fixable(settings: Settings, code: str) -> bool:
    """Whether the fixes of a rule may be made: ``fixable`` and ``unfixable`` are as ``select`` and ``ignore``."""
    allowed, refused = _weight(code, settings.fixable), _weight(code, settings.unfixable)
    return allowed is not None and (refused is None or allowed > refused)


def _weight(code: str, selectors: Iterable[str]) -> int | None:
    """Return the length of the longest selector that names a code, 0 for ``ALL``, None where none does."""
    weights = [0 if selector == ALL else len(selector) for selector in selectors if names(selector, code)]
    return max(weights, default=None)


def names(selector: str, code: str) -> bool:
    """Whether a selector (a code, a prefix of one, or ``ALL``) names a code."""
    return selector == ALL or code.startswith(selector)


def ignored_in_file(settings: Settings, path: Path) -> tuple[str, ...]:
    """Return the selectors that ``per_file_ignores`` silences in a file; see ``names`` for what they cover.

    A pattern is relative to ``settings.root``, or to a root of its own; one that starts with ``!`` speaks of the files
    that do not match.
    """
    if not settings.per_file_ignores:
        return ()
    found: dict[str, None] = {}
    for entry in settings.per_file_ignores:
        inverted = entry.pattern.startswith("!")
        patterns = compile_patterns((anchored(entry.pattern.removeprefix("!")),))
        relative = _relative(path, settings.root if entry.root is None else entry.root)
        if bool(patterns.verdict(relative)) is not inverted:
            found.update(dict.fromkeys(entry.codes))
    return tuple(found)


def _relative(path: Path, root: Path) -> str:
    """Return a path as patterns see it; outside of the root it is seen from the top of the file system."""
    absolute = path.parent.resolve() / path.name
    base = root.resolve()
    if absolute.is_relative_to(base):
        return absolute.relative_to(base).as_posix()
    return absolute.relative_to(absolute.anchor).as_posix()
