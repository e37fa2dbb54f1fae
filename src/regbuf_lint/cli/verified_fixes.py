"""``--fix --verify``: a file is written only when torch confirms its fixed classes.

torch and the code itself run in other processes, ``python -m regbuf_lint.verify``; the linter imports neither.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from regbuf_lint.model.file_settings import FileSettings

_VERIFIER = "regbuf_lint.verify"
_MISTAKE = 2
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_ENDED_BY_SIGNAL = 128
_LONGEST_STOPPING = 30.0
_PASSED = "passed"
_FINDINGS = "findings.json"


class Unverified(Struct, frozen=True):
    """A fixed class that is not verified, with the reason; its file was not written."""

    path: str
    class_name: str
    reason: str


def verifier_options(arguments: Namespace) -> list[str]:
    """Return what the command line has the verifier do, as options of that."""
    options = [option for factory in arguments.factory for option in ("--factory", factory)]
    options += [option for names in arguments.device for option in ("--device", names)]
    for name in ("inputs", "timeout", "memory"):
        value = getattr(arguments, name)
        options += [] if value is None else [f"--{name}={value}"]
    return options


def write_verified(
    result: RunResult, settings: FileSettings, options: Sequence[str], jobs: int
) -> tuple[RunResult, tuple[Unverified, ...]]:
    """Write those files of a fix run whose fixed classes verify.

    Args:
        result: what a fix run found that wrote nothing.
        settings: the settings of each file.
        options: the verifier's options (see ``verifier_options``).
        jobs: number of processes that check files.

    Returns:
        The result as it is on the disk, files that were not written with all their findings; and why not.

    Raises:
        UsageError: nothing can be verified.
    """
    from regbuf_lint.engine.writing import as_on_disk, write_fixed  # noqa: PLC0415  start-up time

    with tempfile.TemporaryDirectory(prefix="regbuf-lint-") as directory:
        refused = _Verification(Path(directory), options).refused(result.files)
    files = [replace(file, fixed=None) if file.path in refused else write_fixed(file) for file in result.files]
    if refused or any(file.errors for file in files):
        files = as_on_disk(files, settings, jobs)
    return replace(result, files=tuple(files)), tuple(one for against in refused.values() for one in against)


class _Verification:
    """Verifies the files that a run has fixed."""

    def __init__(self, directory: Path, options: Sequence[str]) -> None:
        self._directory = directory
        self._options = options

    def refused(self, files: Sequence[FileResult]) -> dict[str, tuple[Unverified, ...]]:
        """The files that are not verified, by path, with why not.

        One process verifies all files together, and leaves out those that fail until the others verify.

        Raises:
            UsageError: the verifier cannot run.
        """
        fixed = [file for file in files if file.fixed is not None and file.fixed.after != file.fixed.before]
        waiting = [file for file in fixed if _classes(file)]
        against = {file.path: one for file in waiting if (one := tuple(_not_importable(file)))}
        waiting = [file for file in waiting if file.path not in against]
        return against | self._against(waiting) if waiting else against

    def _against(self, files: Sequence[FileResult]) -> dict[str, tuple[Unverified, ...]]:
        """Return the fixed classes of some files that are not verified.

        Raises:
            UsageError: the verifier cannot run.
        """
        targets = {f"{_place(file)}::{name}": (file.path, name) for file in files for name in _classes(file)}
        replacing = [
            option
            for number, file in enumerate(files)
            for option in ("--fixed", f"{_place(file)}={_fixed_text(file, self._directory / f'{number}.py')}")
        ]
        found = self._run([*targets, *replacing, "--leave-out", "--findings", _findings(files, self._directory)])
        for name, reason in found["absent_devices"].items():
            msg = f"--verify: there is no device {name}: {reason}"
            raise UsageError(msg)
        against: dict[str, tuple[Unverified, ...]] = {}
        for one in found["targets"]:
            if one["outcome"] != _PASSED:
                path, name = targets[one["target"]]
                against[path] = (*against.get(path, ()), Unverified(path, name, one["reason"]))
        return against

    def _run(self, arguments: list[str]) -> dict[str, Any]:
        command = [sys.executable, "-m", _VERIFIER, *arguments, *self._options, "--output-format", "json"]
        done = run_program(command)
        if done.returncode >= _MISTAKE or not done.stdout:
            said = done.stderr.strip().splitlines() or [f"the verifier ended with {done.returncode}"]
            msg = f"--verify: {said[-1].removeprefix('regbuf-verify: error: ')}"
            raise UsageError(msg)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def run_program(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program; where this one is interrupted or ended meanwhile, it is given the time to put all away."""

    def leave(number: int, _frame: object) -> NoReturn:
        raise SystemExit(_ENDED_BY_SIGNAL + number)

    before = {number: signal.signal(number, leave) for number in _ENDING}
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:  # noqa: S603
            try:
                out, err = process.communicate()
            except BaseException:
                process.terminate()
                process.wait(_LONGEST_STOPPING)
                raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _classes(file: FileResult) -> list[str]:
    """Return the classes that the fixes of a file change."""
    applied = file.fixed.applied if file.fixed is not None else ()
    return sorted({finding.class_name for finding in applied if finding.class_name})


def _place(file: FileResult) -> str:
    return str(Path(file.fixed.path if file.fixed is not None else file.path).resolve())


def _not_importable(file: FileResult) -> Iterator[Unverified]:
    if Path(_place(file)).suffix != ".py":
        yield from (Unverified(file.path, name, "only .py files can be imported") for name in _classes(file))


def _fixed_text(file: FileResult, path: Path) -> str:
    """Write a file as fixed to another place and return that.

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
    path.write_bytes(data)
    return str(path)


def _findings(files: Sequence[FileResult], directory: Path) -> str:
    """Write what was fixed, as JSON, and return where; findings that are left say nothing of the new text."""
    from regbuf_lint.report.registry import render  # noqa: PLC0415  start-up time

    applied = tuple(replace(file, findings=file.fixed.applied if file.fixed else ()) for file in files)
    path = directory / _FINDINGS
    path.write_text(render(RunResult(applied), "json"), encoding="utf-8")
    return str(path)
