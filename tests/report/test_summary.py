"""What stands beside the findings."""

from __future__ import annotations

from msgspec.structs import replace
from report_examples import EMPTY, FIXED, GRAD, NOTEBOOK, PLAIN, RESULT, RISKY

from regbuf_lint.model.result import FileError, FileResult, FixedFile, RunResult
from regbuf_lint.model.span import Position
from regbuf_lint.report.summary import applied_fixes, hints, state_dict_changes, statistics, summary_line

WHERE = " in 1 file with 0 nn.Module classes"


def line(result: RunResult, *, fixing: bool = False, unsafe: bool = False) -> str:
    return summary_line(result, fixing=fixing, unsafe=unsafe)


def test_summary_counts_what_can_be_fixed() -> None:
    assert line(RESULT) == f"Found 3 findings (1 fixable with --fix, 1 more with --unsafe-fixes){WHERE}."
    assert line(RESULT, unsafe=True) == f"Found 3 findings (2 fixable with --fix --unsafe-fixes){WHERE}."
    assert (
        line(RunResult((FileResult("a.py", (RISKY,)),)))
        == f"Found 1 finding (1 fixable with --fix --unsafe-fixes){WHERE}."
    )
    assert line(RunResult((FileResult("a.py", (GRAD,)),))) == f"Found 1 finding{WHERE}."
    assert line(RESULT, fixing=True) == f"Found 3 findings (1 fixable with --fix --unsafe-fixes){WHERE}."


def test_summary_counts_what_was_fixed() -> None:
    assert line(FIXED, fixing=True) == f"Found 2 findings (1 fixed, 1 remaining){WHERE}."


def test_summary_of_nothing() -> None:
    assert line(EMPTY) == f"No findings{WHERE}."
    assert line(replace(RESULT, files=())) == "No findings, but 1 path could not be checked."


def test_summary_says_how_much_was_looked_at() -> None:
    result = RunResult((FileResult("a.py", modules=2), FileResult("b.py", modules=1)))
    assert line(result) == "No findings in 2 files with 3 nn.Module classes."
    timed = summary_line(result, fixing=False, unsafe=False, seconds=0.125)
    assert timed == "No findings in 2 files with 3 nn.Module classes (0.12 s)."
    failed = FileResult("c.py", modules=1, errors=(FileError("c.py", "cannot be written"),))
    missed = line(replace(result, files=(*result.files, failed)))
    assert missed == "No findings in 2 files with 3 nn.Module classes, but 1 path could not be checked."
    assert line(RunResult((failed,))) == "No findings, but 1 path could not be checked."


def test_statistics() -> None:
    assert statistics(RESULT) == "2  RBF001  [*]  plain-tensor-attribute\n1  RBF101  [ ]  buffer-requires-grad\n"
    many = RunResult((FileResult("a.py", (GRAD,) * 12 + (PLAIN,)),))
    assert statistics(many).splitlines() == [
        "12  RBF101  [ ]  buffer-requires-grad",
        " 1  RBF001  [*]  plain-tensor-attribute",
    ]
    assert statistics(EMPTY) == ""


def test_applied_fixes() -> None:
    assert applied_fixes(FIXED) == "Applied 1 fix:\n  a/m.py:3:3: RBF001 Register `m` as a buffer\n"
    assert applied_fixes(FIXED, would=True).startswith("Would apply 1 fix:\n")
    assert applied_fixes(RESULT) == ""
    assert applied_fixes(NOTEBOOK) == "Applied 1 fix:\n  nb.ipynb:cell 4:2:1: RBF001 Register `m`\n"


def test_state_dict_changes() -> None:
    assert state_dict_changes(FIXED) == (
        "state_dict() gains keys that older checkpoints lack:\n  a/m.py: M: m\n"
        "state_dict() loses keys that older checkpoints have:\n  a/m.py: M: old\n"
    )
    assert state_dict_changes(RESULT) == "", "nothing was applied"


def test_hints() -> None:
    assert list(hints(EMPTY)) == []
    assert list(hints(FIXED)) == ["a/m.py:6:3: the fix of RBF001 was dropped, since the file would no longer parse"]
    unfinished = FileResult("a.py", fixed=FixedFile("a.py", "a", "b", (PLAIN,), rounds=10))
    assert list(hints(RunResult((unfinished,)))) == [
        "a.py: fixes are still left after 10 rounds, and more may come of them"
    ]
    files = (FileResult("a.py", unresolved_bases=("x.A", "x.B")), FileResult("b.py", unresolved_bases=("x.A",)))
    (hint,) = hints(NOTEBOOK)
    assert hint.startswith("nb.ipynb:cell 4:2:1: the fix of RBF001 was dropped")
    (hint,) = hints(RunResult(files))
    assert hint == (
        "2 base classes could not be resolved (x.A, x.B), so classes built on them were not checked; "
        "list those that are nn.Module classes in `module-classes`"
    )
    names = tuple(f"x.A{i}" for i in range(7))
    (hint,) = hints(RunResult((FileResult("a.py", unresolved_bases=names),)))
    assert "7 base classes could not be resolved (x.A0, x.A1, x.A2, x.A3, x.A4 and 2 more)" in hint


def test_a_comment_that_hides_nothing() -> None:
    files = (FileResult("a.py", slip=Position(3, 1)), FileResult("b.ipynb", slip=Position(1, 5, cell=2)))
    told = (
        "this comment hides nothing; for the whole file write `# regbuf-lint: noqa` or"
        " `# regbuf-lint: noqa: RBF001, RBF002` on a line of its own"
    )
    assert list(hints(RunResult(files))) == [f"a.py:3:1: {told}", f"b.ipynb:cell 2:1:5: {told}"]


def test_hint_about_classes_that_are_too_large() -> None:
    (hint,) = hints(RunResult((FileResult("a.py", unfollowed=("M",)), FileResult("b.py"))))
    assert hint == "1 class is too large to be followed to the end (a.py: M), so what was found there may not be all"
    several = FileResult("a.py", unfollowed=tuple(f"M{i}" for i in range(6))), FileResult("b.py", unfollowed=("N",))
    (hint,) = hints(RunResult(several))
    assert hint.startswith("7 classes are too large to be followed to the end (a.py: M0, ")
    assert "a.py: M4 and 2 more)" in hint
