"""Paths as the server of a CI job reads them: relative to its checkout, whatever the working directory is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileError, FileResult, RunResult

VARIABLES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""What GitHub Actions and GitLab CI call the directory of the checkout."""


def from_checkout(result: RunResult) -> RunResult:
    """Return a result with paths relative to the checkout of the job; as it is outside of jobs."""
    checkouts = tuple(_checkouts())
    if not checkouts:
        return result
    files = (_file(one, checkouts) for one in result.files)
    return replace(
        result,
        files=tuple(sorted(files, key=lambda one: one.path.split("/"))),
        errors=tuple(_error(one, checkouts) for one in result.errors),
    )


def _checkouts() -> Iterator[str]:
    for name in VARIABLES:
        directory = os.environ.get(name)
        if directory:
            yield from dict.fromkeys((os.path.abspath(directory), os.path.realpath(directory)))  # noqa: PTH100


def _relative(path: str, checkouts: tuple[str, ...]) -> str:
    whole = Path(os.path.abspath(path))  # noqa: PTH100  links stay
    return next((whole.relative_to(one).as_posix() for one in checkouts if whole.is_relative_to(one)), path)


def _file(file: FileResult, checkouts: tuple[str, ...]) -> FileResult:
    return replace(
        file,
        path=_relative(file.path, checkouts),
        findings=tuple(_finding(one, checkouts) for one in file.findings),
        errors=tuple(_error(one, checkouts) for one in file.errors),
    )


def _error(error: FileError, checkouts: tuple[str, ...]) -> FileError:
    return replace(error, path=_relative(error.path, checkouts))


def _finding(finding: Finding, checkouts: tuple[str, ...]) -> Finding:
    evidence = (replace(one, path=one.path and _relative(one.path, checkouts)) for one in finding.evidence)
    return replace(finding, evidence=tuple(evidence))
