"""Checking and fixing one text."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.engine.deep_stack import with_deep_stack
from regbuf_lint.engine.fixing import FixMode, fix_text, is_wanted, with_fixable, without_fixes_of
from regbuf_lint.engine.screen import Screen
from regbuf_lint.engine.session import Checked, Session
from regbuf_lint.index.parsing import ParseError, parse
from regbuf_lint.model.result import FileError, FileResult, FixedFile
from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.notebook import NotebookText
from regbuf_lint.source.shown_paths import shown_path
from regbuf_lint.source.suppression import Suppressions

if TYPE_CHECKING:
    from regbuf_lint.engine.fixing import Fixed
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText


def check_source(
    source: SourceText,
    path: Path,
    settings: Settings,
    *,
    fix: FixMode = FixMode.NONE,
    session: Session | None = None,
) -> FileResult:
    """Check one text, and fix it in memory where asked to.

    Args:
        source: the text.
        path: where it lies or would lie; imports are resolved from there.
        settings: the run's settings.
        fix: which fixes are made; the new text is in the result's ``fixed``.
        session: what checks of other files with the same settings left behind.
    """
    session = session or Session(settings, Screen(settings, named=(path,)))
    return SourceCheck(source, path, session).result(fix)


class SourceCheck:
    """What is found in one text, and what its fixes make of it; it is checked once for both.

    Args:
        source: the text.
        path: where it lies or would lie; imports are resolved from there.
        session: what checks of other files left behind.
    """

    def __init__(self, source: SourceText, path: Path, session: Session) -> None:
        self.path = path
        self._source = source
        self._session = session
        self._sound = source
        self._found: tuple[Finding, ...] | None = None
        self._hidden = 0
        self._checked_last = Checked(())

    def result(self, mode: FixMode) -> FileResult:
        """Check the text, and fix it in memory as far as ``mode`` says; what fails there costs no finding."""
        shown = shown_path(self.path)
        try:
            return with_deep_stack(partial(self._result, shown, mode))
        except SourceError as error:
            message = str(error)
        except RecursionError:
            message = "nests too deeply to be checked"
        except Exception as error:  # noqa: BLE001  one file's failure must not end the run
            message = f"internal error, please report it: {type(error).__name__}: {error}".splitlines()[0]
        found = FileResult(shown) if mode is FixMode.NONE else self.result(FixMode.NONE)
        return replace(found, errors=tuple(dict.fromkeys((*found.errors, FileError(shown, message)))))

    def wants(self, mode: FixMode) -> bool:
        """Whether something was found that ``mode`` fixes."""
        return any(is_wanted(one, self._sound, mode) for one in self._found or ())

    def _result(self, shown: str, mode: FixMode) -> FileResult:
        source, path = self._source, self.path
        self._sound, broken = _without_broken_cells(source, path, self._session)
        outcome = fix_text(self._sound, self._findings, mode)
        findings = tuple(sorted((*broken, *outcome.findings), key=lambda one: (one.span, one.code)))
        return FileResult(
            shown,
            findings=findings,
            suppressed=self._hidden,
            unresolved_bases=self._checked_last.unresolved_bases,
            unfollowed=self._checked_last.unfollowed,
            slip=_slip(source) if findings or outcome.applied else None,
            modules=self._checked_last.modules,
            is_parsed=self._checked_last.is_parsed,
            fixed=_fixed_file(source, path, outcome),
            text=outcome.source.text if findings else "",
            cells={**source.cells, **outcome.source.cells} if findings else {},
        )

    def _findings(self, text: SourceText) -> tuple[Finding, ...]:
        """What is found in the text as it is now; comments have their say."""
        if text is not self._sound:
            return self._checked(text)
        if self._found is None:
            self._found = self._checked(text)
        return self._found

    def _checked(self, text: SourceText) -> tuple[Finding, ...]:
        session, path = self._session, self.path
        checked = session.check(path, text)
        self._checked_last = checked
        if not checked.findings and not session.wants_unused_suppressions:
            self._hidden = 0
            return ()
        suppressions = Suppressions.parse(text)
        hidden: list[Finding] = []
        seen: list[Finding] = []
        for one in checked.findings:
            (hidden if suppressions.hides(one) else seen).append(one)
        kept = without_fixes_of(hidden, map(_with_shown_paths, seen), "which a comment leaves as it is")
        self._hidden = len(hidden)
        unused = session.unused_suppressions(path, text, suppressions, checked)
        found = tuple(sorted((*kept, *unused), key=lambda one: (one.span, one.code))) if unused else kept
        return with_fixable(found, session.settings)


def _with_shown_paths(finding: Finding) -> Finding:
    """A finding whose evidence names other files as reports name files."""
    if all(one.path is None for one in finding.evidence):
        return finding
    shown = (one if one.path is None else replace(one, path=shown_path(Path(one.path))) for one in finding.evidence)
    return replace(finding, evidence=tuple(shown))


def _without_broken_cells(source: SourceText, path: Path, session: Session) -> tuple[SourceText, tuple[Finding, ...]]:
    """The source without the cells of a notebook that do not parse, and findings about those."""
    if not isinstance(source, NotebookText):
        return source, ()
    broken = {number: failure for number, text in source.alone() if (failure := _failure(text)) is not None}
    if not broken:
        return source, ()
    found = [one for failure in broken.values() for one in session.syntax_errors(path, failure)]
    suppressions = Suppressions.parse(source)
    kept = (source.located(one) for one in found if not suppressions.hides(one))
    return source.without(broken), tuple(kept)


def _slip(source: SourceText) -> Position | None:
    """The place of the first comment that is meant for the whole file and hides nothing."""
    for one in Suppressions.parse(source).slips:
        start = Position(one.row, one.column)
        return source.located_span(Span(start, start)).start
    return None


def _failure(text: str) -> ParseError | None:
    try:
        parse(text)
    except ParseError as failure:
        return failure
    return None


def _fixed_file(source: SourceText, path: Path, outcome: Fixed) -> FixedFile | None:
    if not outcome.applied and not outcome.dropped:
        return None
    after = source.merged(outcome.source)
    return FixedFile(str(path), source.text, after, outcome.applied, outcome.dropped, rounds=outcome.rounds)
