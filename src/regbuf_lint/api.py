"""What other programs call; ``regbuf_lint`` offers it under its own name and imports it with the first use."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from regbuf_lint.engine.deep_stack import with_deep_stack
from regbuf_lint.engine.explaining import NothingToExplainError, explain, with_every_rule
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.known_codes import known_codes
from regbuf_lint.engine.many_files import check_files
from regbuf_lint.engine.run import check_source as check_text
from regbuf_lint.engine.screen import Screen
from regbuf_lint.engine.session import Session
from regbuf_lint.model.explanation import Decision, ExplainedUse, Explanation
from regbuf_lint.model.finding import Evidence, Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.model.span import Position, Span
from regbuf_lint.report.json_format import SCHEMA_VERSION, records
from regbuf_lint.source.discovery import discover, is_excluded
from regbuf_lint.source.errors import SettingsError, SourceError
from regbuf_lint.source.nearest_settings import NearestSettings
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.text import SourceText, decode_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from regbuf_lint.model.settings import Settings

__all__ = (
    "SCHEMA_VERSION",
    "Applicability",
    "Checker",
    "Decision",
    "Edit",
    "Evidence",
    "ExplainedUse",
    "Explanation",
    "FileError",
    "FileResult",
    "Finding",
    "Fix",
    "FixedSource",
    "Position",
    "RunResult",
    "SettingsError",
    "Span",
    "check_paths",
    "check_source",
    "explain_source",
    "fix_source",
    "to_records",
)
_NOTEBOOK = ".ipynb"
_OPTION = "options: `{}`"
"""How messages name a key of ``options``."""


class FixedSource(Struct, frozen=True):
    """What fixes make of a text.

    Attributes:
        text: the text as fixed, of a notebook that of its file; as it was given where nothing was fixed.
        data: the same as the bytes of a file, in the encoding that the text declares.
        applied: findings whose fixes were made; places are those in the text as it was then.
        left: what is found in the new text, and what went wrong.
    """

    text: str
    data: bytes
    applied: tuple[Finding, ...]
    left: FileResult


class Checker:
    """Checks one text after the other, and remembers what it has read of other files: for editors.

    Args:
        options: settings by their keys in the configuration (``{"select": ["RBF001"]}``), which win over it.
        config: configuration file to read instead of the nearest one.
        isolated: read no configuration file.

    Raises:
        ValueError: a configuration file is named, and none is to be read.
    """

    def __init__(
        self,
        *,
        options: Mapping[str, object] | None = None,
        config: str | PathLike[str] | None = None,
        isolated: bool = False,
    ) -> None:
        _refuse_both(config, isolated=isolated)
        self._options = options
        self._config = config
        self._isolated = isolated
        self._named: set[Path] = set()
        self._overlay = Overlay()
        self._screen: Screen | None = None

    def see(self, texts: Mapping[Path, str]) -> None:
        """From now on, take some files for these texts, and all others for what the disk holds."""
        self._overlay = Overlay().with_files({path: text.encode() for path, text in texts.items()})

    def forget(self) -> None:
        """Read other files anew when they are needed again: some have changed on the disk."""
        self._screen = None

    def check(self, source: str | bytes, filename: str | PathLike[str] = "<string>") -> FileResult:
        """Check one text, as ``check_source`` does.

        Raises:
            SettingsError: the configuration or an option is wrong.
            TypeError: the text is none.
        """
        _refuse_other_than_text(source)
        path = Path(filename)
        settings = self._settings(path)
        if settings.force_exclude and is_excluded(path, settings):
            return FileResult(path.as_posix())
        try:
            text = _source(source, path)
        except SourceError as error:
            return _failed(path, error)
        with self._screened(path, settings) as screen:
            return check_text(text, path, settings, session=Session(settings, screen))

    def fix(
        self, source: str | bytes, filename: str | PathLike[str] = "<string>", *, unsafe: bool = False
    ) -> FixedSource:
        """Check one text and fix it, as ``fix_source`` does; nothing is written.

        Raises:
            SettingsError: the configuration or an option is wrong.
            TypeError: the text is none.
        """
        _refuse_other_than_text(source)
        path = Path(filename)
        settings = self._settings(path)
        data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        given = source if isinstance(source, str) else source.decode("utf-8", "replace")
        try:
            text = _source(source, path)
        except SourceError as error:
            return FixedSource(given, data, (), _failed(path, error))
        mode = FixMode.UNSAFE if unsafe else FixMode.SAFE
        with self._screened(path, settings) as screen:
            file = check_text(text, path, settings, fix=mode, session=Session(settings, screen))
        if file.fixed is None or not file.fixed.applied:
            return FixedSource(given, data, (), file)
        fixed = text.with_text(file.fixed.after)
        shown = fixed.data.decode("utf-8") if fixed.cells else fixed.text
        return FixedSource(shown, fixed.data, file.fixed.applied, file)

    def explain(self, source: str | bytes, filename: str | PathLike[str], where: int | str) -> tuple[Explanation, ...]:
        """Say what attributes hold, as ``explain_source`` does.

        Raises:
            SettingsError: the configuration or an option is wrong.
            TypeError: the text is none.
        """
        _refuse_other_than_text(source)
        path = Path(filename)
        settings = self._settings(path)
        try:
            text = _source(source, path)
        except SourceError:
            return ()
        with self._screened(path, settings) as screen:
            session = Session(with_every_rule(settings), screen)
            try:
                return with_deep_stack(partial(explain, path, text, where, settings, session))
            except NothingToExplainError:
                return ()

    def _settings(self, path: Path) -> Settings:
        return _nearest(self._options, self._config, isolated=self._isolated).of_file(path)

    @contextmanager
    def _screened(self, path: Path, settings: Settings) -> Iterator[Screen]:
        """What is known of other files under these settings; the text that is checked does not stay."""
        known, self._screen = self._screen, None  # what fails leaves nothing behind
        screen = known if known is not None and known.settings == settings else Screen(settings, named=self._named)
        self._named.add(path)
        screen.see(self._overlay)
        yield screen
        screen.forget(path)
        self._screen = screen


def check_source(
    source: str | bytes,
    filename: str | PathLike[str] = "<string>",
    *,
    options: Mapping[str, object] | None = None,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
) -> FileResult:
    """Check one text.

    Args:
        source: the text, or the bytes of a file; those of a notebook where ``filename`` ends in ``.ipynb``.
        filename: where the text lies or would lie; imports are resolved from there, and no such file need exist.
        options: settings by their keys in the configuration (``{"select": ["RBF001"]}``), which win over it.
        config: configuration file to read instead of the nearest one.
        isolated: read no configuration file.

    Returns:
        The findings that no comment suppresses, and what went wrong: text that cannot be decoded is an error of the
        result, text that does not parse a finding of ``RBF900``. With the setting ``force-exclude``, none for a file
        that is excluded.

    Raises:
        SettingsError: the configuration or an option is wrong.
        TypeError: the text is none.
        ValueError: ``config`` and ``isolated`` are both given.
    """
    checker = Checker(options=options, config=config, isolated=isolated)
    return checker.check(source, filename)


def fix_source(
    source: str | bytes,
    filename: str | PathLike[str] = "<string>",
    *,
    unsafe: bool = False,
    options: Mapping[str, object] | None = None,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
) -> FixedSource:
    """Check one text and fix it; nothing is written.

    Args:
        source: as for ``check_source``; of a notebook the text of the result is that of its file.
        filename: as for ``check_source``.
        unsafe: make unsafe fixes as well.
        options: as for ``check_source``.
        config: as for ``check_source``.
        isolated: as for ``check_source``.

    Raises:
        SettingsError: the configuration or an option is wrong.
        TypeError: the text is none.
        ValueError: ``config`` and ``isolated`` are both given.
    """
    checker = Checker(options=options, config=config, isolated=isolated)
    return checker.fix(source, filename, unsafe=unsafe)


def explain_source(
    source: str | bytes,
    filename: str | PathLike[str],
    where: int | str,
    *,
    options: Mapping[str, object] | None = None,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
) -> tuple[Explanation, ...]:
    """Say what attributes hold and what decided whether they are reported, as ``--why`` does.

    Args:
        source: as for ``check_source``.
        filename: as for ``check_source``.
        where: a row of the text, or ``Class.attr``.
        options: as for ``check_source``.
        config: as for ``check_source``.
        isolated: as for ``check_source``.

    Returns:
        One for each attribute that is set or read there; none where there is no such attribute, or the text is no
        Python.

    Raises:
        SettingsError: the configuration or an option is wrong.
        TypeError: the text is none.
        ValueError: ``config`` and ``isolated`` are both given.
    """
    checker = Checker(options=options, config=config, isolated=isolated)
    return checker.explain(source, filename, where)


def check_paths(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    options: Mapping[str, object] | None = None,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
    jobs: int = 1,
) -> RunResult:
    """Check files and directories, as ``regbuf-lint PATH...`` does; nothing is written, and no cache is used.

    Args:
        paths: files, and directories to search for Python files and notebooks; one of them, or several.
        options: settings by their keys in the configuration, which win over it.
        config: configuration file to read instead of the nearest one.
        isolated: read no configuration file.
        jobs: number of processes.

    Returns:
        A result for each file, in the order of their paths; its ``errors`` name paths that are missing or unreadable.

    Raises:
        SettingsError: the configuration or an option is wrong.
        ValueError: ``config`` and ``isolated`` are both given, or ``jobs`` is less than 1.
    """
    _refuse_both(config, isolated=isolated)
    if jobs < 1:
        msg = f"`jobs` must be 1 or more, not {jobs}"
        raise ValueError(msg)
    named = [Path(paths)] if isinstance(paths, (str, PathLike)) else [Path(path) for path in paths]
    found = discover(named, _nearest(options, config, isolated=isolated).of)
    result = check_files(found.files, found.settings, jobs=jobs, fix=FixMode.NONE, named=frozenset(named))
    return RunResult(result.files, (*found.errors, *result.errors))


def to_records(result: FileResult | RunResult) -> list[dict[str, Any]]:
    """Return errors and findings as the objects of the JSON format, whose schema has the version ``SCHEMA_VERSION``."""
    return list(records(result if isinstance(result, RunResult) else RunResult((result,))))


def _source(source: str | bytes, path: Path) -> SourceText:
    """The text to check; a string is one whatever encoding it declares.

    Raises:
        SourceError: bytes are no valid text, or a notebook is none.
    """
    name = path.as_posix()
    if isinstance(source, bytes):
        return decode_source(source, name)
    return decode_source(source.encode(), name) if path.suffix == _NOTEBOOK else SourceText.from_text(source, name)


def _failed(path: Path, error: SourceError) -> FileResult:
    return FileResult(path.as_posix(), errors=(FileError(path.as_posix(), str(error)),))


def _nearest(
    options: Mapping[str, object] | None, config: str | PathLike[str] | None, *, isolated: bool
) -> NearestSettings:
    return NearestSettings(
        options or {},
        config=None if config is None else Path(config),
        isolated=isolated,
        known_codes=known_codes,
        option=_OPTION,
    )


def _refuse_both(config: object, *, isolated: bool) -> None:
    """Refuse to read a configuration file and none.

    Raises:
        ValueError: both are asked for.
    """
    if isolated and config is not None:
        msg = "`isolated` and `config` exclude each other"
        raise ValueError(msg)


def _refuse_other_than_text(source: object) -> None:
    """Refuse what is neither a text nor the bytes of a file.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(source, (str, bytes)):
        msg = f"`source` must be str or bytes, not {type(source).__name__}"
        raise TypeError(msg)
