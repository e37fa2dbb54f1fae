"""The class that flake8 makes for each file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from regbuf_lint import __version__
from regbuf_lint.engine.known_codes import known_codes
from regbuf_lint.flake8_plugin import options as plugin_options

if TYPE_CHECKING:
    import ast
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from regbuf_lint.flake8_plugin.remembered import Remembered
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings

FAILURE_CODE = "RBF999"
SYNTAX_ERROR_CODE = "RBF900"

Problem = tuple[int, int, str, type["Plugin"]]


class Plugin:
    """Checks one file with the engine of the command line.

    flake8 parses the file before (and reports ``E999`` itself), filters by code, and hides what a ``# noqa`` comment on
    the line of a finding hides. What is left to the plugin are the findings, and the comments that flake8 does not see:
    on other lines of a statement in brackets, and ``# regbuf-lint: noqa`` for the whole file.

    It never raises, since that would take the results of all other plugins with it: whatever goes wrong, an unusable
    configuration included, becomes one finding ``RBF999`` on the first line of the file.
    """

    name: ClassVar[str] = "regbuf-lint"
    version: ClassVar[str] = __version__

    _lookup: ClassVar[plugin_options.Lookup | None] = None
    _remembered: ClassVar[dict[Settings, Remembered]] = {}
    _failure: ClassVar[str | None] = None
    _disable_noqa: ClassVar[bool] = False

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:  # noqa: ARG002  flake8 asks for it
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(option_manager: plugin_options.OptionManager) -> None:
        """Declare the plugin's options to flake8."""
        plugin_options.add_options(option_manager)

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Take over what flake8 parsed."""
        cls._lookup, cls._remembered, cls._failure = None, {}, None
        cls._disable_noqa = options.disable_noqa
        try:
            cls._lookup = plugin_options.Lookup(options, known_codes)
        except Exception as error:  # noqa: BLE001  see the class
            cls._failure = f"configuration error: {_one_line(error)}"

    def run(self) -> Iterator[Problem]:
        """Yield row (from 1), column (from 0), text and origin of each finding."""
        try:
            problems = list(self._problems())
        except Exception as error:  # noqa: BLE001  see the class
            problems = [self._failed(f"internal error: {type(error).__name__}: {_one_line(error)}")]
        yield from problems

    def _problems(self) -> Iterator[Problem]:
        if self._failure is not None or self._lookup is None:
            yield self._failed(self._failure or "flake8 passed no options")
            return
        from regbuf_lint.source.errors import SettingsError  # noqa: PLC0415  flake8 loads plugins that it may not run

        path = Path(self._filename)
        try:
            remembered = self._remembered_with(self._lookup.of(path))
        except SettingsError as error:
            yield self._failed(f"configuration error: {_one_line(error)}")
            return
        from regbuf_lint.source.suppression import Suppressions  # noqa: PLC0415
        from regbuf_lint.source.text import SourceText  # noqa: PLC0415

        source = SourceText.from_text("".join(self._lines), self._filename)
        findings = remembered.findings(path, source)
        suppressions = Suppressions.parse(source)
        for finding in findings:
            is_hidden = not self._disable_noqa and suppressions.hides(finding)
            if finding.code != SYNTAX_ERROR_CODE and not is_hidden:
                yield self._problem(finding)

    @classmethod
    def _remembered_with(cls, settings: Settings) -> Remembered:
        from regbuf_lint.flake8_plugin.remembered import Remembered  # noqa: PLC0415

        if settings not in Plugin._remembered:
            Plugin._remembered[settings] = Remembered(settings)
        return Plugin._remembered[settings]

    def _problem(self, finding: Finding) -> Problem:
        start = finding.span.start
        return start.row, start.column - 1, f"{finding.code} {_one_line(finding.message)}", type(self)

    def _failed(self, message: str) -> Problem:
        return 1, 0, f"{FAILURE_CODE} not checked: {message}", type(self)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
