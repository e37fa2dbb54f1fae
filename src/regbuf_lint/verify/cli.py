"""The command line ``regbuf-verify``; it needs neither torch nor any library itself."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from regbuf_lint import __version__
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.declared import SEPARATOR, declared_in
from regbuf_lint.verify.isolation.client import WorkerError
from regbuf_lint.verify.isolation.supervision import Limits, adopt_orphans
from regbuf_lint.verify.leaving_out import leaving_out
from regbuf_lint.verify.model import CaseError
from regbuf_lint.verify.report import as_json, as_markdown, as_table, check_list, is_verified
from regbuf_lint.verify.runner import run_cases, started
from regbuf_lint.verify.user_cases import replacements, user_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.verify.declared import Declaring
    from regbuf_lint.verify.model import Case, CaseReport, Machine

VERIFIED, FAILED, MISTAKE, INTERRUPTED = 0, 1, 2, 130
FORMATS = ("table", "json", "markdown")
AUTO = "auto"
_CUDA = "cuda"
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Requests to end: of whoever watches the run, and of a terminal that is closed."""


class _Parser(argparse.ArgumentParser):
    """Tells mistakes as an exception, so that there is one place that prints them."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        raise CaseError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Verify what the command line names and return the exit code.

    Args:
        argv: arguments without the program's name; those of the process where None.

    Raises:
        SystemExit: after ``--help``.
    """
    before = {
        number: signal.signal(number, _interrupted)
        for number in _ENDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        arguments = build_parser().parse_intermixed_args(argv)
        if arguments.version or arguments.list_checks:
            _write(f"regbuf-verify {__version__}\n" if arguments.version else check_list())
            return VERIFIED
        return _run(arguments, adopts=argv is None and adopt_orphans())
    except (CaseError, WorkerError) as error:
        _tell(str(error))
        return MISTAKE
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupted(_signal: int, _frame: object) -> NoReturn:
    """Let a request to end be an interruption, after which everything is put away."""
    raise KeyboardInterrupt


def _run(arguments: argparse.Namespace, *, adopts: bool) -> int:
    limits = Limits(arguments.timeout, arguments.memory_limit)
    declared = declared_in(arguments.findings)
    cases = list(_cases(arguments, declared))
    jobs = min(arguments.jobs or processors(), len(cases))
    devices, preload = _devices(arguments.device), _preload(arguments.preload)
    with started(devices, limits, jobs, adopts=adopts, preload=preload) as (seen, workers):
        if arguments.require_cuda:
            check_cuda(seen)
        progress = _Progress(quiet=arguments.quiet)

        def run(some: Sequence[Case]) -> list[CaseReport]:
            progress.expect(len(some))
            return run_cases(some, seen, workers, on_done=progress.done)

        reports = leaving_out(cases, declared, run) if arguments.leave_out else run(cases)
        progress.end()
    text = _report(reports, seen, arguments)
    if arguments.output_file is None:
        _write(text)
    else:
        _write_file(Path(arguments.output_file), text)
    return VERIFIED if is_verified(reports, seen) else FAILED


def check_cuda(seen: Machine) -> None:
    """Make sure that there is CUDA.

    Raises:
        CaseError: there is none.
    """
    if not any(name.startswith(_CUDA) for name in seen.devices):
        reason = next((said for name, said in seen.absent.items() if name.startswith(_CUDA)), "none is there")
        msg = f"CUDA is required: {reason}"
        raise CaseError(msg)


def _cases(arguments: argparse.Namespace, declared: Declaring) -> Iterator[Case]:
    targets = [path for path in arguments.paths if SEPARATOR in path]
    others = [path for path in arguments.paths if SEPARATOR not in path]
    if not arguments.paths:
        msg = "name a directory of fixtures, or a class as FILE::NAME"
        raise CaseError(msg)
    if targets:
        yield from user_cases(
            targets,
            factories=arguments.factory,
            init=arguments.init,
            inputs=arguments.inputs,
            fixed=replacements(arguments.fixed),
            declared=declared,
        )
    if arguments.leave_out and (others or not arguments.fixed):
        msg = "--leave-out needs classes and --fixed"
        raise CaseError(msg)
    if not targets and (arguments.factory or arguments.init or arguments.fixed):
        msg = "--factory, --init and --fixed need a class: FILE::NAME"
        raise CaseError(msg)
    for path in others:
        if not Path(path).exists():
            msg = f"{path}: no such file or directory"
            raise CaseError(msg)
        yield from pairs(Path(path), declared)


def _listed(given: Sequence[str]) -> list[str]:
    return [name.strip() for value in given for name in value.split(",") if name.strip()]


def _preload(given: Sequence[str]) -> list[str]:
    names = _listed(given)
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            msg = f"--preload: `{name}` is no name of a module"
            raise CaseError(msg)
    return names


def _devices(given: Sequence[str]) -> list[str]:
    names = _listed(given)
    if AUTO in names and len(set(names)) > 1:
        msg = "--device: `auto` stands alone"
        raise CaseError(msg)
    for name in names:
        kind, _, number = name.partition(":")
        if kind not in {AUTO, _CUDA, "mps", "xpu", "meta", "cpu"} or (number and not number.isdigit()):
            msg = f"--device: `{name}` is none of auto, cuda, cuda:N, mps, xpu, meta, cpu"
            raise CaseError(msg)
    return list(dict.fromkeys(names)) or [AUTO]


def _report(reports: Sequence[CaseReport], seen: Machine, arguments: argparse.Namespace) -> str:
    if arguments.output_format == "json":
        return as_json(reports, seen)
    if arguments.output_format == "markdown":
        return as_markdown(reports, seen)
    rich = arguments.output_file is None and sys.stdout is not None and sys.stdout.isatty() and _has_rich()
    return as_table(reports, seen, verbose=arguments.verbose, rich=rich)


def _has_rich() -> bool:
    try:
        import rich  # noqa: F401, PLC0415
    except ImportError:
        return False
    return True


class _Progress:
    """A line on the terminal that counts the cases."""

    def __init__(self, *, quiet: bool) -> None:
        self._cases = 0
        self._done = 0
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def expect(self, cases: int) -> None:
        """Note that some more will be done."""
        self._cases += cases

    def done(self, report: CaseReport) -> None:
        """Count one."""
        self._done += 1
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{self._done}/{self._cases} {report.case.name}")
            sys.stderr.flush()

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")


def _tell(message: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"regbuf-verify: error: {message}\n")


def _write(text: str) -> None:
    """Write to standard output; a reader that has gone wanted no more.

    Raises:
        CaseError: it is closed, or what it leads to takes nothing.
    """
    if sys.stdout is None:
        msg = "standard output: closed"
        raise CaseError(msg)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            msg = f"standard output: {error.strerror}"
            raise CaseError(msg) from error


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"--output-file: {path}: {error.strerror}"
        raise CaseError(msg) from error


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _positive(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        msg = f"`{value}` is no positive number"
        raise argparse.ArgumentTypeError(msg)
    return number


def _positive_int(value: str) -> int:
    number = int(_positive(value))
    if number < 1:
        msg = f"`{value}` is no positive whole number"
        raise argparse.ArgumentTypeError(msg)
    return number


def build_parser() -> _Parser:
    """Return the parser of the command."""
    parser = _Parser(
        prog="regbuf-verify",
        description="Let torch itself confirm that plain tensors are defects, and that fixes mend them.",
        epilog="Exit codes: 0 verified; 1 a check failed, nothing was verified, or a class or device that was asked "
        "for is absent; 2 a mistake in usage, no torch, or no CUDA in spite of --require-cuda.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="directory with pairs NAME.py and NAME.fixed.py, or FILE::CLASS"
    )
    _add_building(parser.add_argument_group("how to build a class"))
    _add_running(parser.add_argument_group("where and how to run"))
    _add_output(parser.add_argument_group("output"))
    return parser


def _add_building(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--factory",
        action="append",
        default=[],
        metavar="FILE::FUNCTION",
        help="returns the module, or (module, inputs)",
    )
    group.add_argument("--init", default="", metavar="EXPRESSION", help='such as "Net(d=8)", among the names of FILE')
    group.add_argument(
        "--inputs", default="", metavar="EXPRESSION", help='such as "torch.randn(2, 8)"; a dict has names'
    )
    group.add_argument(
        "--fixed", action="append", default=[], metavar="FILE=FIXED", help="compare with FILE as FIXED has it"
    )
    group.add_argument(
        "--leave-out", action="store_true", help="with --fixed: leave out files that fail, for the others' sake"
    )
    group.add_argument(
        "--findings", default="", metavar="FILE", help="JSON of regbuf-lint: the findings that were fixed"
    )


def _add_running(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="NAMES",
        help="auto (CUDA, else meta), cuda, cuda:N, mps, xpu, meta, cpu; several with commas",
    )
    group.add_argument("--require-cuda", action="store_true", help="fail where there is no CUDA")
    group.add_argument("--timeout", type=_positive, default=120.0, metavar="SECONDS", help="for each version (120)")
    group.add_argument(
        "--memory-limit", "--memory", type=_positive_int, default=8192, metavar="MIB", help="for each version (8192)"
    )
    group.add_argument(
        "--preload",
        action="append",
        default=[],
        metavar="NAMES",
        help="import these once, not for each version: packages that take long; they must not touch an accelerator",
    )
    group.add_argument("-j", "--jobs", type=_positive_int, default=0, metavar="N", help="cases at a time (processors)")


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--output-format", choices=FORMATS, default=FORMATS[0], help="how to report")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the report to a file")
    group.add_argument("-v", "--verbose", action="store_true", help="show every check of every case")
    group.add_argument("-q", "--quiet", action="store_true", help="count no cases on the terminal")
    group.add_argument("--list-checks", action="store_true", help="list what is checked")
    group.add_argument("--version", action="store_true", help="show the version")


if __name__ == "__main__":
    raise SystemExit(main())
