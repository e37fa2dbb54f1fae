"""Suppressing comments."""

from __future__ import annotations

import pytest

from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, RuleMeta, Severity
from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.suppression import Suppressions
from regbuf_lint.source.text import SourceText


def finding(first: int, last: int | None = None, code: str = "RBF001") -> Finding:
    meta = RuleMeta(code, "some-rule", "A rule.", Severity.WARNING, on_by_default=True, fixable=FixAvailability.NEVER)
    span = Span(Position(first, 1), Position(first, 2))
    return Finding(meta, "message", span, Span(Position(first, 1), Position(last or first, 2)))


def hides(text: str, found: Finding) -> bool:
    return Suppressions.parse(SourceText.from_text(text)).hides(found)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NoQA",
        "# noqa: RBF001",
        "# noqa:RBF001",
        "# noqa: rbf001",
        "# noqa: RBF0",
        "# noqa: RBF00",
        "# noqa: E501,RBF001",
        "# noqa: E501 RBF001",
        "# noqa: E501, RBF001 because it is constant",
        "# type: ignore  # noqa: RBF001",
        "# noqa: E501  # noqa: RBF001",
        "# noqa because",
    ],
)
def test_comment_hides(comment: str) -> None:
    assert hides(f"x = 1  {comment}\n", finding(1))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: RBF002",
        "# noqa: RBF0011",
        "# noqaa",
        "# no qa",
        "# see flake8: noqa",
        "",
        "# flake8 noqa",
    ],
)
def test_comment_does_not_hide(comment: str) -> None:
    assert not hides(f"x = 1  {comment}\n", finding(1))


def test_comment_on_any_row_of_the_statement_hides() -> None:
    text = "y = 1  # noqa\nx = f(\n    1,  # noqa: RBF001\n)\nz = 2  # noqa\n"
    assert hides(text, finding(2, 4))
    assert not hides(text, finding(2, 2))
    assert not hides(text, finding(4, 4))


def test_strings_do_not_hide() -> None:
    text = 'x = "# noqa"\ny = """\n# noqa\n# flake8: noqa\n"""\n'
    assert not hides(text, finding(1))
    assert not hides(text, finding(2, 5))


def test_comment_behind_a_string_that_looks_like_one_hides() -> None:
    assert hides('x = "# noqa: E501"  # noqa: RBF001\n', finding(1))
    assert not hides('x = "# noqa: RBF001"  # noqa: E501\n', finding(1))


@pytest.mark.parametrize("tool", ["flake8", "regbuf-lint", "FLAKE8"])
def test_file_level_comment(tool: str) -> None:
    assert hides(f"import a\n# {tool}: noqa\nx = 1\n", finding(3))
    assert hides(f"x = 1\n# {tool}: noqa: RBF0\n", finding(1))
    assert not hides(f"x = 1\n# {tool}: noqa: RBF1\n", finding(1))
    assert hides(f"x = 1\n# {tool}: noqa: E5, RBF1\n", finding(1, code="RBF101"))


def test_file_level_comment_needs_a_line_of_its_own() -> None:
    assert not hides("import a  # flake8: noqa\nx = 1\n", finding(2))


@pytest.mark.parametrize(
    "text", ["", ": RBF001", ": RBF001, RBF101", ": RBF001,RBF101 ,", ":rbf0  # kept", " - all kept"]
)
def test_file_level_comment_as_it_may_be_written(text: str) -> None:
    source = SourceText.from_text(f"# regbuf-lint: noqa{text}\nx = 1\n")
    assert Suppressions.parse(source).hides(finding(2))
    assert not Suppressions.parse(source).slips


@pytest.mark.parametrize(
    "comment",
    [
        "# regbuf-lint: noqa RBF002",
        "# regbuf-lint: noqa: xyz",
        "# regbuf-lint: noqa:",
        "# regbuf-lint: noqa for RBF002 only",
        "# regbuf-lint: noqa: RBF001 is wrong here",
        "# regbuf-lint noqa",
        "import a  # regbuf-lint: noqa: RBF001",
    ],
)
def test_file_level_comment_with_a_slip_hides_nothing(comment: str) -> None:
    suppressions = Suppressions.parse(SourceText.from_text(f"{comment}\nx = 1\n"))
    assert not suppressions.hides(finding(2))
    assert not suppressions.comments
    assert [(one.row, one.column) for one in suppressions.slips] == [(1, comment.index("#") + 1)]


@pytest.mark.parametrize(
    "comment", ["# flake8: noqa for E501", "# flake8: noqa RBF001", "x = '# regbuf-lint: noqa no'"]
)
def test_what_hides_nothing_and_is_no_slip(comment: str) -> None:
    suppressions = Suppressions.parse(SourceText.from_text(f"{comment}\nx = 1\n"))
    assert not suppressions.hides(finding(2))
    assert not suppressions.slips


def test_rows_are_those_of_python() -> None:
    assert hides("a = 1\ra\x0c = 2\r\nx = '\u2028'  # noqa\n", finding(3))
    assert not hides("a = '\u2028\x0b'\nx = 1  # noqa\n", finding(3))


def test_text_that_cannot_be_tokenized_falls_back_to_lines() -> None:
    assert hides("x = (  # noqa\n", finding(1))
    assert hides("def f():\n    a\n  b\nx = 1  # noqa\n", finding(4))
    assert hides("x = '''\n# noqa\n", finding(2))


def test_comments_say_where_they_stand() -> None:
    text = "é = 1  # type: ignore # noqa: rbf001,E5 reason\n  # flake8: noqa\n"
    line, whole = Suppressions.parse(SourceText.from_text(text)).comments
    assert (line.row, line.column, line.end_column, line.codes) == (
        1,
        23,
        40,
        ("RBF001", "E5"),
    )
    assert text[line.column - 1 : line.end_column - 1] == "# noqa: rbf001,E5"
    assert (whole.row, whole.column, whole.codes, whole.whole_file) == (
        2,
        3,
        None,
        True,
    )


def test_matching_names_the_comments_used() -> None:
    suppressions = Suppressions.parse(SourceText.from_text("x = 1  # noqa: RBF001\ny = 2  # noqa: RBF001\n"))
    assert [comment.row for comment in suppressions.matching(finding(2))] == [2]
