"""Fixes are put together, round after round, and none leaves a text that does not parse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from regbuf_lint.engine import fixing
from regbuf_lint.engine.fixing import MOST_ROUNDS, FixMode, compatible, edited, fix_text
from regbuf_lint.index.parsing import parse
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.span import Span
from regbuf_lint.rules.plain_tensor_attribute import META
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable


def edit(text: str, start: int, end: int, content: str) -> Edit:
    source = SourceText.from_text(text)
    return Edit(Span(source.position(start), source.position(end)), content)


def finding(*edits: Edit, name: str = "x", applicability: Applicability = Applicability.SAFE) -> Finding:
    fix = Fix(applicability, "Mend it", edits) if edits else None
    span = edits[0].span if edits else edit("a", 0, 1, "").span
    return Finding(META, f"{name} is wrong", span, span, attribute=name, fix=fix)


def replacing(pattern: str, content: str, **names: Applicability) -> Callable[[SourceText], tuple[Finding, ...]]:
    """A check that finds each match of a pattern and would write ``content`` instead."""
    applicability = names.get("applicability", Applicability.SAFE)

    def check(source: SourceText) -> tuple[Finding, ...]:
        found = re.finditer(pattern, source.text)
        return tuple(
            finding(
                edit(source.text, match.start(), match.end(), match.expand(content)),
                name=f"{match[0]} at {match.start()}",
                applicability=applicability,
            )
            for match in found
        )

    return check


def test_fixes_of_one_round_are_made_together() -> None:
    fixed = fix_text(SourceText.from_text("bad = 1\ngood = 2\nbad = 3\n"), replacing("bad", "better"), FixMode.SAFE)
    assert fixed.source.text == "better = 1\ngood = 2\nbetter = 3\n"
    assert len(fixed.applied) == 2
    assert fixed.findings == fixed.dropped == ()


def test_nothing_is_fixed_unasked() -> None:
    source = SourceText.from_text("bad = 1\n")
    fixed = fix_text(source, replacing("bad", "better"), FixMode.NONE)
    assert fixed.source is source
    assert len(fixed.findings) == 1


@pytest.mark.parametrize(
    ("applicability", "mode", "applied"),
    [
        (Applicability.SAFE, FixMode.SAFE, 1),
        (Applicability.SAFE, FixMode.UNSAFE, 1),
        (Applicability.UNSAFE, FixMode.SAFE, 0),
        (Applicability.UNSAFE, FixMode.UNSAFE, 1),
        (Applicability.DISPLAY, FixMode.UNSAFE, 0),
    ],
)
def test_modes(applicability: Applicability, mode: FixMode, applied: int) -> None:
    check = replacing("bad", "better", applicability=applicability)
    assert len(fix_text(SourceText.from_text("bad = 1\n"), check, mode).applied) == applied


def test_overlapping_edits_wait_for_another_round() -> None:
    text = "f(g(x))\n"
    outer = finding(edit(text, 0, 7, "h(g(x))"), name="outer")
    inner = finding(edit(text, 2, 6, "k(x)"), name="inner")
    assert compatible([outer, inner]) == [outer]
    assert compatible([inner, outer]) == [inner]

    def check(source: SourceText) -> tuple[Finding, ...]:
        found = []
        if source.text.startswith("f("):
            found.append(finding(edit(source.text, 0, 7, f"h{source.text[1:7]}"), name="outer"))
        if "g(x)" in source.text:
            found.append(finding(edit(source.text, 2, 6, "k(x)"), name="inner"))
        return tuple(found)

    fixed = fix_text(SourceText.from_text(text), check, FixMode.SAFE)
    assert fixed.source.text == "h(k(x))\n"
    assert [one.attribute for one in fixed.applied] == ["outer", "inner"]


def test_neighbouring_edits_do_not_wait() -> None:
    text = "ab\n"
    both = [finding(edit(text, 0, 1, "c")), finding(edit(text, 1, 2, "d"))]
    assert compatible(both) == both
    assert edited(SourceText.from_text(text), both) == "cd\n"


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.sampled_from("ab")), max_size=25))
def test_what_is_made_at_once_touches_different_places(places: list[tuple[int, int, str]]) -> None:
    text = "x" * 40
    findings = [finding(edit(text, start, start + length, content)) for start, length, content in places]
    chosen: list[Finding] = []
    for one in findings:
        assert one.fix is not None
        (mine,) = one.fix.edits
        taken = [other.fix.edits[0] for other in chosen if other.fix is not None]
        inserts = [other for other in taken if other.span == mine.span and mine.span.start == mine.span.end]
        if all(other == mine or other in inserts or not other.span.overlaps(mine.span) for other in taken):
            chosen.append(one)
    assert compatible(findings) == chosen


def test_one_fix_among_many_that_leaves_no_python_is_found_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(fixing, "parse", counted)
    text = "".join("broken = 1\n" if row == 77 else f"bad{row} = 1\n" for row in range(128))
    others = replacing("bad", "better")

    def check(source: SourceText) -> tuple[Finding, ...]:
        start = source.text.index("broken")
        return (*others(source), finding(edit(source.text, start, start + 6, "(("), name="broken"))

    found = fix_text(SourceText.from_text(text), check, FixMode.SAFE)
    assert len(found.applied) == 127
    assert [one.attribute for one in found.dropped] == ["broken"]
    assert len(parsed) < 40


def test_an_edit_that_several_findings_share_is_made_once() -> None:
    text = "a, b = f()\n"
    shared = edit(text, 0, 10, "c = f()")
    both = [finding(shared, name="a"), finding(shared, name="b")]
    assert compatible(both) == both
    assert edited(SourceText.from_text(text), both) == "c = f()\n"


def test_insertions_at_one_place_stand_in_the_order_of_the_findings() -> None:
    text = "class A:\n    def f(self): ...\n"
    both = [finding(edit(text, 9, 9, f"    {name}: int\n\n"), name=name) for name in "ab"]
    assert compatible(both) == both
    assert edited(SourceText.from_text(text), both) == ("class A:\n    a: int\n    b: int\n\n    def f(self): ...\n")


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    text = "a\nb\n"
    first = finding(edit(text, 0, 1, "c"), name="first")
    second = finding(edit(text, 0, 1, "d"), edit(text, 2, 3, "e"), name="second")
    assert compatible([first, second]) == [first]


def test_a_fix_that_leaves_no_python_is_dropped_and_reported() -> None:
    def check(source: SourceText) -> tuple[Finding, ...]:
        good = [(match.start(), "better") for match in re.finditer(r"\bgood\b", source.text)]
        broken = [(match.start(), "((((") for match in re.finditer(r"\bevil\b", source.text)]
        return tuple(finding(edit(source.text, at, at + 4, new), name=new) for at, new in sorted(good + broken))

    fixed = fix_text(SourceText.from_text("good = 1\nevil = 2\ngood = 3\n"), check, FixMode.SAFE)
    assert fixed.source.text == "better = 1\nevil = 2\nbetter = 3\n"
    assert [one.attribute for one in fixed.dropped] == ["(((("]
    assert [one.attribute for one in fixed.applied] == ["better", "better"]
    assert [one.attribute for one in fixed.findings] == ["(((("]
    assert [one.fix for one in fixed.findings] == [None]


def test_a_dropped_fix_is_known_again_where_another_one_has_moved_the_row_that_its_message_names() -> None:
    def check(source: SourceText) -> tuple[Finding, ...]:
        at = source.text.index("evil")
        evil = finding(edit(source.text, at, at + 4, "(((("), name="evil")
        told = replace(evil, message=f"wrong, see line {evil.span.start.row}")
        good = [finding(edit(source.text, 0, 4, "a\nb"), name="good")] if source.text.startswith("good") else []
        return (*good, told)

    fixed = fix_text(SourceText.from_text("good = 1\nevil = 2\n"), check, FixMode.SAFE)
    assert fixed.source.text == "a\nb = 1\nevil = 2\n"
    assert [one.message for one in fixed.findings] == ["wrong, see line 3"]
    assert len(fixed.dropped) == 1


@pytest.mark.parametrize(("content", "is_offered"), [("((((", False), ("(((()))", False), ("better", True)])
def test_a_fix_that_leaves_no_python_is_not_offered(content: str, is_offered: bool) -> None:  # noqa: FBT001
    source = SourceText.from_text("bad = 1\n")
    (found,) = fix_text(source, replacing("bad", content), FixMode.NONE).findings
    assert (found.fix is not None) is is_offered
    assert found.help == ("" if is_offered else "fix withheld: with it the file would no longer parse")


def test_fixes_that_end_with_the_last_round() -> None:
    fixed = fix_text(SourceText.from_text("a" * MOST_ROUNDS + "\n"), replacing(r"a(a*)\n", r"\1\n"), FixMode.SAFE)
    assert (fixed.source.text, fixed.findings, fixed.rounds) == ("\n", (), 0)


def test_fixes_that_never_end_stop_after_ten_rounds() -> None:
    fixed = fix_text(SourceText.from_text("a\n"), replacing(r"a+\n", r"a\g<0>"), FixMode.SAFE)
    assert fixed.source.text == "a" * (MOST_ROUNDS + 1) + "\n"
    assert len(fixed.applied) == fixed.rounds == MOST_ROUNDS == 10
    assert len(fixed.findings) == 1
