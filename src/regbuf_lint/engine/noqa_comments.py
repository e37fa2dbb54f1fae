"""Writing ``# noqa`` comments for findings that are to stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.engine.writing import write_fixed
from regbuf_lint.index.parsing import ParseError, parse
from regbuf_lint.model.result import FileError, FileResult, FixedFile
from regbuf_lint.model.span import Position
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.suppression import Suppressions
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.source.text import SourceText


def add_noqa(file: FileResult, reason: str) -> FileResult:
    """Write a comment for each finding of a file.

    Args:
        file: what was found.
        reason: what to write behind the codes; may be empty.

    Returns:
        The result with those findings that no comment can suppress, and what went wrong.
    """
    if not file.findings:
        return file
    try:
        source = read_source(Path(file.path))
        after, left = with_comments(source, file.findings, reason)
    except SourceError as error:
        return replace(file, errors=(*file.errors, FileError(file.path, str(error))))
    if after == source.text:
        return file
    written = write_fixed(FileResult(file.path, fixed=FixedFile(file.path, source.text, after, ())))
    if written.errors:
        return replace(file, errors=(*file.errors, *written.errors))
    return replace(file, findings=left)


def with_comments(source: SourceText, findings: tuple[Finding, ...], reason: str) -> tuple[str, tuple[Finding, ...]]:
    """Return a text with comments for findings, and the findings that none can suppress.

    A comment that would not be one (behind it on its row a string may begin) is not written.
    """
    wanted: dict[int, set[str]] = {}
    for finding in findings:
        row = _row(source, finding)
        if row is not None:
            wanted.setdefault(row, set()).add(finding.code)
    text = _commented(source, wanted, reason)
    good = _taking_effect(source, text, wanted)
    if good.keys() != wanted.keys():
        text = _commented(source, good, reason)
    left = tuple(finding for finding in findings if _row(source, finding) not in good)
    return text, left


def _row(source: SourceText, finding: Finding) -> int | None:
    return source.row_of(finding.span.start.cell, finding.noqa_row)


def _commented(source: SourceText, wanted: Mapping[int, Collection[str]], reason: str) -> str:
    """The text with codes added to rows."""
    existing = {one.row: one for one in Suppressions.parse(source).comments if not one.whole_file and one.codes}
    behind = f"  # {reason}" if reason else ""
    parts: list[str] = []
    at = 0
    for row in sorted(wanted):
        line, start = source.line(row), source.offset(Position(row, 1))
        codes = ", ".join(sorted(wanted[row]))
        comment = existing.get(row)
        if comment is None:
            kept = line.rstrip()
            parts += (source.text[at:start], kept, f"  # noqa: {codes}{behind}")
            at = start + len(line)
        else:
            end = start + comment.end_column - 1
            rest = line[comment.end_column - 1 :].rstrip()
            parts += (source.text[at:end], f", {codes}{rest}", "" if reason in rest else behind)
            at = start + len(line)
    return "".join([*parts, source.text[at:]])


def _taking_effect(source: SourceText, text: str, wanted: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """The rows whose comments suppress what they are to suppress; none where the text no longer parses."""
    after = source.with_text(text)
    try:
        parse(after.text)
    except ParseError:
        return {}
    by_row: dict[int, set[str]] = {row: set() for row in wanted}
    for comment in Suppressions.parse(after).comments:
        for code in wanted.get(comment.row, ()):
            if not comment.whole_file and comment.covers(code):
                by_row[comment.row].add(code)
    return {row: codes for row, codes in by_row.items() if codes == wanted[row]}
