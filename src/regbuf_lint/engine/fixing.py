"""Composing the edits of many fixes, round after round, until nothing is left to fix."""

from __future__ import annotations

from bisect import bisect_left, insort
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.index.parsing import ParseError, parse
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.mention import without_rows
from regbuf_lint.source.selection import is_fixable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.fix import Edit, Fix
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

MOST_ROUNDS = 10
_UNFIXABLE = "the fix is shown and not applied, since the settings leave those of this rule out"
_BROKEN = "fix withheld: with it the file would no longer parse"


class FixMode(Enum):
    """Which fixes are applied."""

    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"

    def allows(self, fix: Fix | None) -> bool:
        """Whether a fix may be applied."""
        if fix is None or fix.applicability is Applicability.DISPLAY:
            return False
        return self is FixMode.UNSAFE or (self is FixMode.SAFE and fix.applicability is Applicability.SAFE)


class Fixed(Struct, frozen=True):
    """Outcome of fixing one text.

    Attributes:
        source: the text as it is in the end.
        findings: what the last check of it found, located as users count, without fixes that leave no Python.
        applied: findings whose fix was made, located likewise.
        dropped: findings whose fix would have left a text that does not parse.
        rounds: number of rounds after which fixes were still left; 0 where none was.
    """

    source: SourceText
    findings: tuple[Finding, ...]
    applied: tuple[Finding, ...] = ()
    dropped: tuple[Finding, ...] = ()
    rounds: int = 0


def fix_text(source: SourceText, check: Callable[[SourceText], tuple[Finding, ...]], mode: FixMode) -> Fixed:
    """Check and fix a text until no fix is left.

    Args:
        source: the text.
        check: finds what is wrong with a text.
        mode: which fixes are applied.

    Raises:
        SourceError: the file's encoding cannot express the new text.
    """
    findings = check(source)
    applied: list[Finding] = []
    dropped: dict[tuple[object, ...], Finding] = {}
    for done in range(MOST_ROUNDS + 1):
        wanted = [one for one in findings if is_wanted(one, source, mode) and _identity(one) not in dropped]
        chosen = compatible(wanted)
        if not chosen or done == MOST_ROUNDS:
            break
        text, made = _apply(source, chosen)
        dropped.update({_identity(one): source.located(one) for one in chosen if one not in made})
        if not made:
            continue
        applied.extend(map(source.located, made))
        source = source.with_text(text)
        findings = check(source)
    located = tuple(map(source.located, _without_broken_fixes(source, findings)))
    return Fixed(source, located, tuple(applied), tuple(dropped.values()), done if chosen else 0)


def _without_broken_fixes(source: SourceText, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings without fixes that leave a text which does not parse; of several in conflict only the first is tried."""
    offered = compatible(findings)
    made = _apply(source, offered)[1] if offered else []
    broken = {id(one) for one in offered} - {id(one) for one in made}
    return tuple(_without_fix(one) if id(one) in broken else one for one in findings)


def _without_fix(finding: Finding) -> Finding:
    return replace(finding, fix=None, help="; ".join(filter(None, (finding.help, _BROKEN))))


def is_wanted(finding: Finding, source: SourceText, mode: FixMode) -> bool:
    """Whether a finding has a fix that is to be made and can be."""
    return finding.fix is not None and mode.allows(finding.fix) and source.can_make(finding.fix)


def _identity(finding: Finding) -> tuple[object, ...]:
    about = finding.class_name, finding.attribute, finding.method
    return (finding.code, *about, without_rows(finding.message))


def compatible(findings: Iterable[Finding]) -> list[Finding]:
    """Those findings, first come first served, whose fixes can be made at once; the others wait for another round.

    Fixes may share an edit, which is then made once (several attributes that one statement assigns), and may insert
    at one place. Otherwise they must touch different places.
    """
    chosen: list[Finding] = []
    taken: list[Edit] = []  # in the order of their places, no two of which overlap
    for finding in findings:
        if finding.fix is None or any(_conflicts(edit, taken) for edit in finding.fix.edits):
            continue
        chosen.append(finding)
        for edit in finding.fix.edits:
            insort(taken, edit, key=_place)
    return chosen


def _place(edit: Edit) -> Span:
    return edit.span


def _conflicts(edit: Edit, taken: list[Edit]) -> bool:
    """Whether another edit touches the same place; two insertions at one place stand side by side."""
    behind = bisect_left(taken, edit.span.end, key=lambda one: one.span.start)
    while behind and taken[behind - 1].span.end > edit.span.start:
        behind -= 1
        if taken[behind] != edit:
            return True
    return False


def _apply(source: SourceText, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text with all fixes made; those that leave a text which does not parse are left out."""
    made = _sound(source, [], findings)
    return edited(source, made), made


def _sound(source: SourceText, made: list[Finding], more: list[Finding]) -> list[Finding]:
    """Some findings, and those of ``more`` whose fixes leave a text that parses beside theirs.

    Halves are tried where the whole does not parse, so that one bad fix among many is found soon.
    """
    if _parses(edited(source, [*made, *more])):
        return [*made, *more]
    if len(more) == 1:
        return made
    half = len(more) // 2
    return _sound(source, _sound(source, made, more[:half]), more[half:])


def without_fixes_of(left: Iterable[Finding], findings: Iterable[Finding], why: str) -> tuple[Finding, ...]:
    """Findings, of which each whose fix would make that of one that is left alone has it shown only.

    Args:
        left: findings that are not to be fixed.
        findings: those that are.
        why: why the others are left alone, as the end of a sentence about one.
    """
    untouched: dict[Edit, list[Finding]] = {}
    for one in left:
        if one.fix is not None and one.fix.edits:
            untouched.setdefault(one.fix.edits[0], []).append(one)
    return tuple(_kept_from(finding, untouched, why) for finding in findings)


def with_fixable(findings: tuple[Finding, ...], settings: Settings) -> tuple[Finding, ...]:
    """Findings, of which each that is not to be fixed has its fix shown only, and so has one that would make it too."""
    if all(is_fixable(settings, code) for code in {one.code for one in findings}):
        return findings
    left = {id(one) for one in findings if not is_fixable(settings, one.code)}
    shown = (_shown_only(one, _UNFIXABLE) if id(one) in left else one for one in findings)
    return without_fixes_of((one for one in findings if id(one) in left), shown, "whose rule is `unfixable`")


def _kept_from(finding: Finding, untouched: Mapping[Edit, list[Finding]], why: str) -> Finding:
    """A finding; shown only where its fix makes all edits of one that is left alone, which are found by their first."""
    edits = dict.fromkeys(finding.fix.edits if finding.fix is not None else ())
    near = (one for edit in edits for one in untouched.get(edit, ()))
    made = (one for one in near if one.fix is not None and edits.keys() >= set(one.fix.edits))
    other = next((one for one in made if _about(one) != _about(finding)), None)
    if finding.fix is None or other is None or finding.fix.applicability is Applicability.DISPLAY:
        return finding
    return _shown_only(finding, f"the fix is shown and not applied, since it registers `{other.attribute}`, too, {why}")


def _shown_only(finding: Finding, reason: str) -> Finding:
    if finding.fix is None or finding.fix.applicability is Applicability.DISPLAY:
        return finding
    shown = replace(finding.fix, applicability=Applicability.DISPLAY)
    return replace(finding, fix=shown, help="; ".join(filter(None, (finding.help, reason))))


def _about(finding: Finding) -> tuple[str | None, str | None]:
    return finding.class_name, finding.attribute


def edited(source: SourceText, findings: Iterable[Finding]) -> str:
    """The text with the edits of all findings made, an edit that several share once."""
    edits = [edit for finding in findings if finding.fix is not None for edit in finding.fix.edits]
    contents: dict[Span, list[str]] = {}
    for edit in dict.fromkeys(edits):
        contents.setdefault(edit.span, []).append(edit.content)
    parts: list[str] = []
    end = 0
    for span in sorted(contents):
        parts += (source.text[end : source.offset(span.start)], _joined(contents[span], source))
        end = source.offset(span.end)
    return "".join([*parts, source.text[end:]])


def _joined(contents: list[str], source: SourceText) -> str:
    """What is inserted at one place, in the order of the findings; they share the empty line behind them."""
    empty_line = source.newline * 2
    *before, last = contents
    if all(content.endswith(empty_line) for content in contents):
        before = [content.removesuffix(source.newline) for content in before]
    return "".join([*before, last])


def _parses(text: str) -> bool:
    try:
        parse(text)
    except ParseError:
        return False
    return True
