"""Comments that suppress findings: ``# noqa`` on a line, ``# flake8: noqa`` and ``# regbuf-lint: noqa`` for a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.source.text import SourceText

_CODES = r"(?::\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?"
_WORD = re.compile("noqa", re.IGNORECASE)
_LINE = re.compile(r"#\s*noqa\b" + _CODES, re.IGNORECASE)
_FILE = re.compile(
    r"#\s*(?:flake8|regbuf-lint)[:=]\s*noqa\b" + _CODES + r"(?=[,\s]*(?:#|$)|\s+[-\u2013\u2014])", re.IGNORECASE
)
"""What flake8 takes, and an explanation behind a dash or in a comment of its own."""
_SLIP = re.compile(r"#\s*regbuf-lint\s*[:=]?\s*noqa\b.*", re.IGNORECASE)
"""What is written to hide findings of a whole file, wherever it stands and however it goes on."""
_SEPARATORS = re.compile(r"[,\s]+")


class NoqaComment(Struct, frozen=True):
    """One comment that suppresses findings.

    Attributes:
        row: row of the comment.
        column: column of the ``#`` that starts its directive.
        end_column: column behind the directive; what follows in the comment is no part of it.
        codes: upper-case codes or prefixes of codes; None hides everything.
        whole_file: whether it counts for the whole file.
        is_slip: whether it is meant for the whole file, and written so that it hides nothing.
    """

    row: int
    column: int
    end_column: int
    codes: tuple[str, ...] | None
    whole_file: bool
    is_slip: bool = False

    def covers(self, code: str) -> bool:
        """Whether the comment names ``code``, or names no code at all."""
        return self.codes is None or code.startswith(self.codes)


class Suppressions:
    """The suppressing comments of one file.

    Lines that only look like comments (inside strings) are told apart when the first answer is asked for, so that
    files without findings cost no tokenizing.
    """

    __slots__ = ("_candidates", "_source", "_told_apart")

    def __init__(self, source: SourceText, candidates: tuple[NoqaComment, ...]):
        self._source = source
        self._candidates = candidates
        self._told_apart: tuple[NoqaComment, ...] | None = None

    @classmethod
    def parse(cls, source: SourceText) -> Suppressions:
        """Return the suppressions of a source; one without the word ``noqa`` costs one search."""
        rows = sorted({source.position(match.start()).row for match in _WORD.finditer(source.text)})
        return cls(
            source,
            tuple(comment for row in rows for comment in _candidates(row, source.line(row))),
        )

    @property
    def comments(self) -> tuple[NoqaComment, ...]:
        """All suppressing comments, in the order of the file."""
        return tuple(one for one in self._written() if not one.is_slip)

    @property
    def slips(self) -> tuple[NoqaComment, ...]:
        """Comments that are meant for the whole file, and hide nothing as they are written."""
        return tuple(one for one in self._written() if one.is_slip)

    def hides(self, finding: Finding) -> bool:
        """Whether a comment on any row of the finding's statement, or one for the whole file, suppresses it."""
        return any(self.matching(finding))

    def matching(self, finding: Finding) -> Iterator[NoqaComment]:
        """Yield the comments that suppress a finding."""
        first, last = finding.statement.start.row, finding.statement.end.row
        for comment in self.comments:
            if (comment.whole_file or first <= comment.row <= last) and comment.covers(finding.code):
                yield comment

    def _written(self) -> tuple[NoqaComment, ...]:
        """What is a comment, and does not only look like one, in the order of the file."""
        if self._told_apart is None:
            starts = _comment_starts(self._source) if self._candidates else {}
            self._told_apart = tuple(
                one for one in self._candidates if starts is None or starts.get(one.row, one.column + 1) <= one.column
            )
        return self._told_apart


def _candidates(row: int, line: str) -> Iterator[NoqaComment]:
    """Yield what looks like a suppressing comment, found by text alone."""
    indent = len(line) - len(line.lstrip())
    whole_file = _FILE.match(line, indent)
    if whole_file is not None:
        yield _comment(row, whole_file, whole_file=True)
        return
    slip = _SLIP.search(line)
    if slip is not None:
        yield NoqaComment(row, slip.start() + 1, slip.end() + 1, (), whole_file=False, is_slip=True)
    for match in _LINE.finditer(line):
        yield _comment(row, match, whole_file=False)


def _comment(row: int, match: re.Match[str], *, whole_file: bool) -> NoqaComment:
    codes = match["codes"]
    return NoqaComment(
        row=row,
        column=match.start() + 1,
        end_column=match.end() + 1,
        codes=None if codes is None else tuple(_SEPARATORS.split(codes.upper())),
        whole_file=whole_file,
    )


def _comment_starts(source: SourceText) -> dict[int, int] | None:
    """Return the column of the comment on each row that has one; None where the text cannot be tokenized."""
    import tokenize  # noqa: PLC0415  needed only for files with suppressions and findings

    lines = (source.line(row) + "\n" for row in range(1, source.rows + 1))
    starts: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                starts[token.start[0]] = token.start[1] + 1
    except (tokenize.TokenError, SyntaxError):
        return None
    return starts
