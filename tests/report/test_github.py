"""Annotations of GitHub Actions: escapes, places, and the limit of ten of each type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from report_examples import GRAD, PLAIN, RBF001, RISKY, span

from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.model.rule import Severity
from regbuf_lint.report.registry import render

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding

INFO = replace(RISKY, rule=replace(RBF001, severity=Severity.INFO))


def rows_of(*findings: Finding, path: str = "a.py", errors: tuple[FileError, ...] = ()) -> list[str]:
    return render(RunResult((FileResult(path, findings, errors=errors),)), "github").splitlines()


def types(rows: list[str]) -> list[str]:
    return [row.split(" ")[0].removeprefix("::") for row in rows if row.startswith("::")]


def test_messages_escape_percent_signs_and_line_ends_alone() -> None:
    (row,) = rows_of(replace(GRAD, message="100% of `a::b`, c=d\r\n[*] é"))
    assert row.rpartition("::error")[2].split("::", 1)[1] == "100%25 of `a::b`, c=d%0D%0A[*] é"


def test_properties_escape_colons_and_commas_too() -> None:
    (row,) = rows_of(GRAD, path="a,b:c%.py")
    assert ",file=a%2Cb%3Ac%25.py," in row


def test_columns_are_for_one_line_alone() -> None:
    one, several = rows_of(replace(GRAD, span=span(3, 5, 3, 9)), replace(GRAD, span=span(3, 5, 4, 2)))
    assert ",line=3,endLine=3,col=5,endColumn=9::" in one
    assert ",line=3,endLine=4::" in several


def test_ten_of_each_type_are_all_annotations() -> None:
    rows = rows_of(*[GRAD] * 10, *[RISKY] * 10, *[INFO] * 10)
    assert types(rows) == ["error"] * 10 + ["warning"] * 10 + ["notice"] * 10


def test_more_stand_in_the_log_and_a_notice_says_so() -> None:
    rows = rows_of(*[GRAD] * 11, *[PLAIN] * 13)
    assert types(rows) == ["error"] * 10 + ["warning"] * 10 + ["notice"]
    assert rows[20] == (
        "::notice title=regbuf-lint::left out: 1 error, 3 warnings. GitHub shows 10 annotations of each type;"
        " this step's log has all."
    )
    assert rows[21:] == [
        "a.py:6: RBF101 buffer-requires-grad: never trained",
        *["a.py:3: RBF001 plain-tensor-attribute: `m` stays behind"] * 3,
    ]


def test_the_notice_has_its_place_among_ten() -> None:
    rows = rows_of(*[INFO] * 11)
    assert types(rows) == ["notice"] * 10
    assert rows[9].startswith("::notice title=regbuf-lint::left out: 2 notices")
    assert len(rows) == 12, "nine annotations, the notice, two lines"


def test_errors_of_files_come_first() -> None:
    failed = FileError("a.py", "not written")
    rows = rows_of(*[GRAD] * 10, errors=(failed,))
    assert rows[0] == "::error title=file-error,file=a.py::not written"
    assert types(rows) == ["error"] * 10 + ["notice"]


def test_lines_for_the_log_hold_no_line_ends() -> None:
    rows = rows_of(*[replace(GRAD, message="a\n::error::b")] * 11)
    assert rows[-1] == "a.py:6: RBF101 buffer-requires-grad: a ::error::b"
