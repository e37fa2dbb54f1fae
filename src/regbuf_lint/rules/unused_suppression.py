"""RBF901: a ``noqa`` comment that names a rule and suppresses nothing of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.source.suppression import NoqaComment
    from regbuf_lint.source.text import SourceText

META = RuleMeta(
    code="RBF901",
    name="unused-suppression",
    summary="a noqa comment that names a rule of this linter and suppresses nothing",
    severity=Severity.INFO,
    on_by_default=False,
    fixable=FixAvailability.ALWAYS,
)

DOCS = RuleDocs(
    what=(
        "Reports a `# noqa: RBF...` comment (and one for the whole file) whose code has no finding there, or is no "
        "rule's code. Codes of other tools, comments without codes, and codes of rules that did not run are left "
        "alone, so select it beside the others: `--extend-select RBF901`."
    ),
    why="A comment that suppresses nothing misleads its reader, and hides the next finding on its line.",
    example="self.size = 8  # noqa: RBF001\n",
    use_instead="self.size = 8\n",
    fix_safety=FixSafety(
        does="Removes the codes, or the comment. Codes of other tools and other text in it stay.",
        safe=("always: only the comment changes",),
    ),
    checkpoint_impact="None.",
    references=("https://flake8.pycqa.org/en/latest/user/violations.html#in-line-ignoring-errors",),
)

_OWN = "RBF"

_DASH = re.compile(r"^[-\N{EN DASH}\N{EM DASH}:;,]+(?:\s+|$)")
"""What parts a directive from the words that explain it."""


def unused_suppressions(
    source: SourceText,
    comments: Iterable[NoqaComment],
    findings: Iterable[Finding],
    ran: frozenset[str],
    all_codes: frozenset[str],
) -> Iterator[Finding]:
    """Findings about the comments of one file.

    Args:
        source: the file.
        comments: its suppressing comments.
        findings: everything that was found there, suppressed or not.
        ran: codes of the rules that looked at the file.
        all_codes: codes of all rules.
    """
    every = tuple(findings)
    for comment in comments:
        if comment.codes is None or META.code in comment.codes:
            continue
        unused = [
            code for code in comment.codes if code.startswith(_OWN) and _is_unused(code, comment, every, ran, all_codes)
        ]
        if unused:
            yield _finding(source, comment, unused)


def _is_unused(
    code: str, comment: NoqaComment, findings: tuple[Finding, ...], ran: frozenset[str], all_codes: frozenset[str]
) -> bool:
    if not all(known in ran for known in all_codes if known.startswith(code)):
        return False
    return not any(one.code.startswith(code) and _reaches(comment, one) for one in findings)


def _reaches(comment: NoqaComment, finding: Finding) -> bool:
    return comment.whole_file or finding.statement.start.row <= comment.row <= finding.statement.end.row


def _finding(source: SourceText, comment: NoqaComment, unused: list[str]) -> Finding:
    span = Span(Position(comment.row, comment.column), Position(comment.row, comment.end_column))
    names = ", ".join(unused)
    return Finding(
        rule=META,
        message=f"the suppression of {names} suppresses nothing here",
        span=span,
        statement=span,
        help=f"take {names} out of the comment",
        fix=Fix(Applicability.SAFE, f"Take {names} out of the comment", (_edit(source, comment, span, unused),)),
    )


def _edit(source: SourceText, comment: NoqaComment, span: Span, unused: list[str]) -> Edit:
    directive = source.slice(span)
    head, _, written = directive.rpartition(":")
    codes = re.split(r"[,\s]+", written.strip())
    kept = [code for code in codes if code.upper() not in unused]
    if kept:
        space = written[: len(written) - len(written.lstrip())]
        separator = ", " if ", " in written else "," if "," in written else " "
        return Edit(span, f"{head}:{space}{separator.join(kept)}")
    return _without(source, comment, span)


def _without(source: SourceText, comment: NoqaComment, span: Span) -> Edit:
    """The line without the directive: other comments on it stay, and so does what explains it."""
    line = source.line(comment.row)
    before, behind = line[: comment.column - 1], line[comment.end_column - 1 :]
    rest = behind.lstrip()
    if rest.startswith("#"):
        return Edit(Span(span.start, Position(comment.row, comment.end_column + len(behind) - len(rest))), "")
    words = _DASH.sub("", rest)
    if words:
        return Edit(Span(span.start, Position(comment.row, len(line) - len(words) + 1)), "# ")
    end = Position(comment.row, len(line) + 1)
    if before.strip():
        return Edit(Span(Position(comment.row, len(before.rstrip()) + 1), end), "")
    if comment.row < source.rows:
        return Edit(Span(Position(comment.row, 1), Position(comment.row + 1, 1)), "")
    return Edit(Span(Position(comment.row, 1), end), "")
