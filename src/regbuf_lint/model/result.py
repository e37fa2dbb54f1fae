"""What a run found and did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.span import Position


class FileError(Struct, frozen=True):
    """A file that could not be read, decoded, parsed or written: one clear line.

    Attributes:
        path: the file as the user named it or as it was found.
        message: what went wrong, without the path.
    """

    path: str
    message: str


class FixedFile(Struct, frozen=True):
    """What a fix run changed in one file.

    Attributes:
        path: the file.
        before: text before, newlines as in the file.
        after: text after.
        applied: findings whose fixes were applied.
        dropped: findings whose fix was dropped because the result would not parse.
        written: whether ``after`` stands on the disk.
        rounds: number of rounds after which fixes were still left; 0 where none was.
    """

    path: str
    before: str
    after: str
    applied: tuple[Finding, ...]
    dropped: tuple[Finding, ...] = ()
    written: bool = False
    rounds: int = 0


class FileResult(Struct, frozen=True):
    """Outcome of one file.

    Attributes:
        path: path relative to the working directory where it lies below it, with ``/`` between the parts.
        findings: what is left after suppression (and after fixing), sorted by place.
        suppressed: number of findings that a ``noqa`` comment hid.
        errors: what went wrong; the findings are then incomplete.
        unresolved_bases: names of bases that could not be resolved, as written for ``module-classes``, of classes that
            look like nn.Module classes.
        unfollowed: classes that take more steps to follow than are taken, by their dotted names in the file; what is
            found in them may not be all.
        slip: place of the first comment that is meant to hide findings of the whole file, and hides none as it is
            written; None where there is no such comment, or nothing to hide.
        modules: number of nn.Module classes.
        is_parsed: whether the file was parsed; it need not be where no class in it can matter and nobody names it.
        fixed: what was changed, if fixes were asked for and something changed.
        text: text of the file as the findings see it, for source frames.
        cells: of a notebook, the texts of its code cells by the numbers that places in it have.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    errors: tuple[FileError, ...] = ()
    unresolved_bases: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    slip: Position | None = None
    modules: int = 0
    is_parsed: bool = True
    fixed: FixedFile | None = None
    text: str = ""
    cells: dict[int, str] = field(default_factory=dict)


class RunResult(Struct, frozen=True):
    """Outcome of a whole run, files in the order of their paths.

    Attributes:
        files: what was found in each file.
        errors: paths that failed before a file was read.
        shard: which part of a run it is, as in ``2/4``; empty where it is all of it.
    """

    files: tuple[FileResult, ...]
    errors: tuple[FileError, ...] = field(default=())
    shard: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of all files."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def all_errors(self) -> tuple[FileError, ...]:
        """Errors of the run and of its files."""
        return self.errors + tuple(error for file in self.files for error in file.errors)
