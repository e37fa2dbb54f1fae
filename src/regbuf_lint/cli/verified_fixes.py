"""``--fix --verify``: a file is written only when torch confirms its fixed classes.

torch and the code itself run in other processes, ``python -m regbuf_lint.verify``; the linter imports neither.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.settings import Settings

_VERIFIER = "regbuf_lint.verify"
_MISTAKE = 2
_PASSED = "passed"
_FIXED = "fixed.py"
_FINDINGS = "findings.json"


@dataclass(frozen=True, slots=True)
class Unverified:
    """A fixed class that is not verified, with the reason; its file was not written."""

    path: str
    class_name: str
    reason: str


def write_verified(
    result: RunResult, settings: Settings, factories: Sequence[str], jobs: int
) -> tuple[RunResult, tuple[Unverified, ...]]:
    """Write those files of a fix run whose fixed classes verify.

    Args:
        result: what a fix run found that wrote nothing.
        settings: the run's settings.
        factories: functions that build modules, as ``FILE::FUNCTION``.
        jobs: number of processes that check files.

    Returns:
        The result as it is on the disk, files that were not written with all their findings; and why not.

    Raises:
        UsageError: nothing can be verified.
    """
    from regbuf_lint.engine.writing import write_fixed  # noqa: PLC0415  start-up time

    with tempfile.TemporaryDirectory(prefix="regbuf-lint-") as directory:
        refused = _Verification(Path(directory), factories).refused(result.files)
    files = [replace(file, fixed=None) if file.path in refused else write_fixed(file) for file in result.files]
    if refused:
        files = _as_on_disk(files, settings, jobs)
    return replace(result, files=tuple(files)), tuple(one for against in refused.values() for one in against)


def _as_on_disk(files: Sequence[FileResult], settings: Settings, jobs: int) -> list[FileResult]:
    """Check all files again: what was found in one may rest on the fixed text of one that was not written."""
    from regbuf_lint.engine.fixing import FixMode  # noqa: PLC0415  start-up time
    from regbuf_lint.engine.many_files import check_files  # noqa: PLC0415

    paths = [Path(file.path) for file in files]
    checked = check_files(paths, settings, jobs=jobs, fix=FixMode.NONE, write=False)
    now = {file.path: file for file in checked.files}
    return [
        replace(now[file.path], fixed=file.fixed, errors=tuple(dict.fromkeys((*file.errors, *now[file.path].errors))))
        for file in files
    ]


class _Verification:
    """Verifies file by file; what has passed stays in place of its original."""

    def __init__(self, directory: Path, factories: Sequence[str]) -> None:
        self._directory = directory
        self._options = [option for factory in factories for option in ("--factory", factory)]
        self._passed: list[str] = []

    def refused(self, files: Sequence[FileResult]) -> dict[str, tuple[Unverified, ...]]:
        """The files that are not verified, by path, with why not.

        Files are verified one after the other, each together with those that have passed. What a fix makes of a file
        may rest on what another one makes of a later file, so those that fail are tried again beside the others.

        Raises:
            UsageError: the verifier cannot run.
        """
        waiting = [file for file in files if file.fixed is not None and file.fixed.after != file.fixed.before]
        while True:
            found = {file.path: tuple(self._against(file)) for file in waiting}
            refused = {path: against for path, against in found.items() if against}
            if len(refused) in {0, len(waiting)}:
                return refused
            waiting = [file for file in waiting if file.path in refused]

    def _against(self, file: FileResult) -> Iterator[Unverified]:
        """Yield the fixed classes of a file that are not verified.

        Raises:
            UsageError: the verifier cannot run.
        """
        fixed = file.fixed
        if fixed is None:
            return
        names = sorted({finding.class_name for finding in fixed.applied if finding.class_name})
        if not names:
            return
        if Path(fixed.path).suffix != ".py":
            yield from (Unverified(file.path, name, "only .py files can be imported") for name in names)
            return
        place = self._directory / str(len(self._passed))
        place.mkdir(exist_ok=True)
        pair = f"{fixed.path}={_fixed_text(file, place)}"
        targets = {f"{Path(fixed.path).resolve()}::{name}": name for name in names}
        found = self._run([*targets, *self._replacing([*self._passed, pair]), "--findings", _findings(file, place)])
        wrong = [one for one in found["targets"] if one["outcome"] != _PASSED]
        yield from (Unverified(file.path, targets[one["target"]], one["reason"]) for one in wrong)
        if not wrong:
            self._passed.append(pair)

    @staticmethod
    def _replacing(pairs: Sequence[str]) -> list[str]:
        return [option for pair in pairs for option in ("--fixed", pair)]

    def _run(self, arguments: list[str]) -> dict[str, Any]:
        command = [sys.executable, "-m", _VERIFIER, *arguments, *self._options, "--output-format", "json"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8")  # noqa: S603
        if done.returncode >= _MISTAKE or not done.stdout:
            said = done.stderr.strip().splitlines() or [f"the verifier ended with {done.returncode}"]
            msg = f"--verify: {said[-1].removeprefix('regbuf-verify: error: ')}"
            raise UsageError(msg)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def _fixed_text(file: FileResult, place: Path) -> str:
    """Write the file as fixed to another place and return that.

    Raises:
        UsageError: the file is not what it was, or cannot be read any longer.
    """
    fixed = file.fixed
    try:
        source = read_source(Path(fixed.path if fixed else file.path))
        data = source.encode(fixed.after if fixed else source.text)
    except SourceError as error:
        msg = f"--verify: {file.path}: {error}"
        raise UsageError(msg) from error
    path = place / _FIXED
    path.write_bytes(data)
    return str(path)


def _findings(file: FileResult, place: Path) -> str:
    """Write what was fixed, as JSON, and return where; findings that are left say nothing of the new text."""
    from regbuf_lint.report.registry import render  # noqa: PLC0415  start-up time

    applied = file.fixed.applied if file.fixed else ()
    path = place / _FINDINGS
    path.write_text(render(RunResult((replace(file, findings=applied),)), "json"), encoding="utf-8")
    return str(path)
