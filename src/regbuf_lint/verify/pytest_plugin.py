"""pytest plugin: ``pytest --regbuf-audit`` reports the lines that stored plain tensors on modules during the tests.

Without the option nothing happens; in particular torch is not imported. With it, lines of the project below pytest's
root directory are reported, in a section of the terminal and, with ``--regbuf-audit-json FILE``, as JSON.
``--regbuf-audit=error`` makes the run fail when a line stored a tensor while a module was being built, and no method of
the class moves it. What is stored later may well be a temporary: it is reported, and never fails the run. Lines with
``# noqa: RBF001``, attributes that the project's configuration ignores, and what ``--regbuf-audit-exempt`` names do not
count. No test's own result changes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from regbuf_lint.verify.constructions import MOST_COUNTED
from regbuf_lint.verify.exempted import Exemptions, has_form

if TYPE_CHECKING:
    from regbuf_lint.verify.recorder import Line, Recorder

OPTION = "--regbuf-audit"
JSON_OPTION = f"{OPTION}-json"
EXEMPT_OPTION = f"{OPTION}-exempt"
REPORT, ERROR = "report", "error"
SCHEMA = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("regbuf-audit", "tensors that nn.Module does not know")
    for names, how, said in (
        ((OPTION, f"{OPTION}={REPORT}"), REPORT, "report the lines that store plain tensors on nn.Module objects"),
        ((f"{OPTION}={ERROR}",), ERROR, "the same, and fail the run for those that store them while building"),
    ):
        # Options of their own, since one with an optional value would take a path behind it for the value.
        group.addoption(*names, action="store_const", const=how, dest="regbuf_audit", help=said)
    group.addoption(JSON_OPTION, metavar="FILE", help=f"with {OPTION}: write the lines to a file as JSON")
    group.addoption(
        EXEMPT_OPTION,
        action="append",
        default=[],
        metavar="PATTERN",
        help=f"with {OPTION}: what does not count: FILE, FILE:LINE, an attribute or Class.attribute",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start to record, before any module of the tests is imported.

    Raises:
        UsageError: torch is not installed, an option lacks the other, or its value is wrong.
    """
    how = config.getoption(OPTION)
    if how is None:
        for option in (JSON_OPTION, EXEMPT_OPTION):
            if config.getoption(option):
                msg = f"{option} needs {OPTION}"
                raise pytest.UsageError(msg)
        return
    if not hasattr(config, "workerinput"):
        _check_file(config)
        for pattern in config.getoption(EXEMPT_OPTION):
            if not has_form(pattern):
                told = "names neither FILE, FILE:LINE, an attribute nor Class.attribute; give it once for each"
                msg = f"{EXEMPT_OPTION}: {pattern}: {told}"
                raise pytest.UsageError(msg)
    try:
        from regbuf_lint.verify.recorder import Recorder  # noqa: PLC0415  imports torch
    except ImportError as error:
        msg = f"{OPTION} needs torch: {error}"
        raise pytest.UsageError(msg) from error
    config.pluginmanager.register(Audit(config, Recorder(config.rootpath), how), "regbuf-audit-run")


def _check_file(config: pytest.Config) -> None:
    """Make sure that the file can be written, and that pytest has not taken its name for a path of tests.

    Raises:
        UsageError: it cannot, or pytest has.
    """
    given = config.getoption(JSON_OPTION)
    if given is None:
        return
    path = Path(given)
    wrong = (
        "is a directory" if path.is_dir() else "" if path.parent.is_dir() else f"there is no directory {path.parent}"
    )
    if wrong:
        msg = f"{JSON_OPTION}: {given}: {wrong}"
        raise pytest.UsageError(msg)
    arguments = [str(one) for one in config.invocation_params.args]
    directory = path.resolve().parent
    invoked = Path(config.invocation_params.dir).resolve()
    if JSON_OPTION in arguments and path.exists() and not directory.is_relative_to(invoked):
        msg = f"write {JSON_OPTION}={given}: without the sign pytest looks for its root beside that file"
        raise pytest.UsageError(msg)


class Audit:
    """One run of the tests under the recorder."""

    def __init__(self, config: pytest.Config, recorder: Recorder, how: str) -> None:
        self._config = config
        self._recorder = recorder
        self._how = how
        self._exemptions = Exemptions(config.rootpath, config.getoption(EXEMPT_OPTION))
        self._from_workers: list[dict[str, Any]] = []
        self._failing = 0
        self._unwritten = ""
        recorder.start()

    def pytest_collection_finish(self) -> None:
        """Note what importing the tests has stored, which each process of pytest-xdist does."""
        self._recorder.collected()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file, and fail the run where that is asked for or the file cannot be written.

        A process of pytest-xdist hands its lines to the first one.
        """
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["regbuf_audit"] = self._own()
            return
        self._unwritten = self._write()
        if self._unwritten and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        if self._how == ERROR and session.exitstatus == pytest.ExitCode.OK:
            self._failing = sum(map(is_defect, self._all()))
            if self._failing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the lines of a process of pytest-xdist."""
        self._from_workers += getattr(node, "workeroutput", {}).get("regbuf_audit", [])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the section."""
        lines = self._all()
        if self._unwritten:
            terminalreporter.line(self._unwritten, red=True)
        terminalreporter.section("regbuf-audit: tensors that nn.Module does not know")
        for line in lines:
            terminalreporter.line(described(line))
        terminalreporter.line(_counted(lines))
        if self._failing:
            said = f"{OPTION}={ERROR}: the run fails, though its tests pass, for {_number(self._failing)} above"
            terminalreporter.line(said, red=True)

    def pytest_unconfigure(self) -> None:
        """Stop recording."""
        self._recorder.stop()

    def _write(self) -> str:
        """Write the file, where one is wanted, and return what went wrong."""
        path = self._config.getoption(JSON_OPTION)
        if path is None:
            return ""
        data = {"schema": SCHEMA, "lines": [{**line, "defect": is_defect(line)} for line in self._all()]}
        try:
            Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            return f"{JSON_OPTION}: {path}: {error.strerror}"
        return ""

    def _own(self) -> list[dict[str, Any]]:
        return [_as_json(line) for line in self._recorder.lines()]

    def _all(self) -> list[dict[str, Any]]:
        """Return the lines of this process and of all others that count, those of one place put together.

        What the tests' modules store when they are imported is stored once, in however many processes.
        """
        found: dict[tuple[str, int, str], dict[str, Any]] = {}
        for line in [*self._own(), *self._from_workers]:
            known = found.setdefault((line["file"], line["line"], line["attribute"]), line)
            if known is not line:
                once = max(known["collecting"], line["collecting"])
                known["building"] += line["building"] - known["collecting"] - line["collecting"] + once
                known["collecting"] = once
                known["later"] += line["later"]
                known["moves_itself"] &= line["moves_itself"]
                known["classes"] = sorted({*known["classes"], *line["classes"]})
        return [line for _, line in sorted(found.items()) if not self._exemptions.cover(line)]


def _as_json(line: Line) -> dict[str, Any]:
    return {**asdict(line), "classes": sorted(line.classes)}


def is_defect(line: dict[str, Any]) -> bool:
    """Whether a line stored what stays behind: while a module was built, of a class that does not move it itself."""
    return bool(line["building"]) and not line["moves_itself"]


def described(line: dict[str, Any]) -> str:
    """Return what the terminal says of a line."""
    when = "while it was built" if line["building"] else "after it was built"
    moved = "; the class has its own _apply or to" if line["moves_itself"] else ""
    names = ", ".join(line["classes"])
    times = f"{line['building'] or line['later']}x"
    if line["building"] >= MOST_COUNTED:
        times = f"{MOST_COUNTED}x or more"
    return f"{line['file']}:{line['line']}: {names}.{line['attribute']}: {line['kind']}, {when} ({times}){moved}"


def _counted(lines: list[dict[str, Any]]) -> str:
    defects = sum(map(is_defect, lines))
    rest = len(lines) - defects
    return f"{_number(defects)} stored tensors while a module was built; {rest} others may be right"


def _number(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"
