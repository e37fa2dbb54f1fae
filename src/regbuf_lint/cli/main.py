"""The entry point ``regbuf-lint``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.arguments import STDIN, overrides, parse_arguments
from regbuf_lint.cli.console import Console
from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.explain import find_rule, rule_list, rule_page
from regbuf_lint.cli.outcome import CLEAN, FAILURE, INTERRUPTED
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.settings import load_settings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from regbuf_lint.model.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the linter and return its exit code.

    Args:
        argv: arguments without the program's name; those of the process where None.

    Raises:
        SystemExit: after ``--help`` and ``--version``.
    """
    console = Console()
    try:
        arguments = parse_arguments(argv)
        if arguments.explain is not None or arguments.list_rules:
            return _inform(arguments, console)
        return _run(arguments, console)
    except (UsageError, SettingsError) as error:
        console.note("error", str(error))
        return FAILURE
    except KeyboardInterrupt:
        console.note("error", "interrupted")
        return INTERRUPTED


def _inform(arguments: Namespace, console: Console) -> int:
    """Print the page of a rule or the list of all."""
    from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time

    if arguments.list_rules:
        console.out(rule_list([rule.meta for rule in RULES]))
    else:
        rule = RULES[find_rule(arguments.explain, [rule.meta.code for rule in RULES])]
        console.out(rule_page(rule.meta, rule.docs))
    return CLEAN


def _run(arguments: Namespace, console: Console) -> int:
    """Check files or standard input, or explain an attribute."""
    settings = _settings(arguments)
    if arguments.clean_cache:
        return _clean(arguments, settings, console)
    if arguments.why is not None:
        from regbuf_lint.cli.why import run_why  # noqa: PLC0415  start-up time

        return run_why(arguments, settings, console)
    if arguments.paths == [STDIN]:
        from regbuf_lint.cli.stdin_run import run_stdin  # noqa: PLC0415  start-up time

        return run_stdin(arguments, settings, console)
    from regbuf_lint.cli.files_run import run_files  # noqa: PLC0415  start-up time

    return run_files(arguments, settings, console)


def _clean(arguments: Namespace, settings: Settings, console: Console) -> int:
    """Remove the results of earlier runs.

    Raises:
        SettingsError: what is there is no cache, or cannot be removed.
    """
    from regbuf_lint.cache.folder import clean, folder_of  # noqa: PLC0415  start-up time

    folder = folder_of(settings, arguments.cache_dir)
    if clean(folder) and not arguments.quiet:
        console.note("note", f"removed {folder.as_posix()}")
    return CLEAN


def _settings(arguments: Namespace) -> Settings:
    """Return the settings of the command line and of the configuration file nearest to the paths."""
    config = Path(arguments.config) if arguments.config is not None else None
    start = _start(arguments)
    return load_settings(start, config, arguments.isolated, overrides(arguments), _known_codes, _base(arguments, start))


def _known_codes() -> list[str]:
    from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time

    return [rule.meta.code for rule in RULES]


def _start(arguments: Namespace) -> Path:
    """Return the innermost directory that holds everything named: from there configuration files are looked for."""
    from os.path import commonpath  # noqa: PLC0415

    names = [arguments.stdin_filename or "stdin.py"] if arguments.paths == [STDIN] else arguments.paths
    places = [Path.cwd() / name for name in names]
    try:
        return Path(commonpath([place if place.is_dir() else place.parent for place in places]))
    except ValueError:  # different drives
        return Path.cwd()


def _base(arguments: Namespace, start: Path) -> Path:
    """Return the directory that the user's names start from: files are named from where they are imported."""
    names = [Path(name) for name in arguments.paths]
    inside = all(not name.is_absolute() and ".." not in name.parts and name.is_file() for name in names)
    return Path.cwd() if inside else start


if __name__ == "__main__":
    raise SystemExit(main())
