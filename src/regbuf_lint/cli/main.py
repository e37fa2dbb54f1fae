"""What the command ``regbuf-lint`` does."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.arguments import STDIN, build_parser, parse_arguments
from regbuf_lint.cli.console import Console
from regbuf_lint.cli.errors import STDIN_IS_CLOSED, UsageError
from regbuf_lint.cli.explain import find_rule, rendered, rule_list
from regbuf_lint.cli.given_settings import nearest_settings, overrides
from regbuf_lint.cli.outcome import CLEAN, FAILURE, INTERRUPTED
from regbuf_lint.source.errors import SettingsError, os_error_text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from regbuf_lint.source.nearest_settings import NearestSettings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the linter and return its exit code.

    Args:
        argv: arguments without the program's name; those of the process where None.

    Raises:
        SystemExit: after ``--help``.
    """
    console = Console()
    try:
        code = _main(argv, console)
    except SystemExit:
        console.flush()
        if not console.failure:
            raise
        code = CLEAN
    except (UsageError, SettingsError) as error:
        console.note("error", str(error))
        code = FAILURE
    except KeyboardInterrupt:
        console.note("error", "interrupted")
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001  CI takes a traceback's exit code for findings
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        console.note("error", f"internal error, please report it: {told}")
        code = FAILURE
    return console.exit_code(code)


def _main(argv: Sequence[str] | None, console: Console) -> int:
    arguments = parse_arguments(argv)
    if arguments.version:
        from regbuf_lint.cli.versions import versions  # noqa: PLC0415  start-up time

        console.out(versions())
        return CLEAN
    if arguments.explain is not None or arguments.list_rules or arguments.generate_shell_completion is not None:
        return _inform(arguments, console)
    if arguments.server:
        return _serve(arguments, console)
    if arguments.merge:
        from regbuf_lint.cli.shards import run_merge  # noqa: PLC0415  start-up time

        return run_merge(arguments, console)
    return _run(arguments, console)


def _inform(arguments: Namespace, console: Console) -> int:
    """Print the page of a rule, the list of all, or what completes their codes."""
    from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time

    if arguments.generate_shell_completion is not None:
        from regbuf_lint.cli.completion import completion  # noqa: PLC0415  start-up time

        metas = [rule.meta for rule in RULES]
        console.out(completion(build_parser(), arguments.generate_shell_completion, metas))
    elif arguments.list_rules:
        console.out(rule_list([rule.meta for rule in RULES]))
    else:
        from regbuf_lint.report.rule_page import rule_page  # noqa: PLC0415  start-up time

        rule = RULES[find_rule(arguments.explain, [rule.meta for rule in RULES])]
        page, color = rule_page(rule.meta, rule.docs), console.wants_color(arguments.color)
        console.out(rendered(page, color=color) if color or console.is_terminal() else page)
    return CLEAN


def _serve(arguments: Namespace, console: Console) -> int:
    """Be a language server until the editor ends it.

    Raises:
        UsageError: what it needs is not installed, or no editor is there.
    """
    try:
        from regbuf_lint.server.language_server import serve  # noqa: PLC0415  an extra
        from regbuf_lint.server.linting import Linting  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(__package__.partition(".")[0]):
            raise
        msg = f"the language server needs {error.name}; install it by: pip install 'regbuf-lint[lsp]'"
        raise UsageError(msg) from None
    if sys.stdin is None:
        raise UsageError(STDIN_IS_CLOSED)
    console.flush()
    if not console.failure:
        gc.enable()  # it runs for days
        serve(Linting(overrides(arguments), arguments.config, isolated=arguments.isolated))
    return CLEAN


def _run(arguments: Namespace, console: Console) -> int:
    """Check files or standard input, or explain an attribute.

    Raises:
        UsageError: the working directory is gone.
    """
    try:
        Path.cwd()
    except OSError as error:
        msg = f"the working directory: {os_error_text(error)}"
        raise UsageError(msg) from error
    nearest = nearest_settings(arguments)
    if arguments.clean_cache:
        return _clean(arguments, nearest, console)
    if arguments.show_settings or arguments.show_files:
        from regbuf_lint.cli.showing import show  # noqa: PLC0415  start-up time

        return show(arguments, nearest, console)
    if arguments.why is not None:
        from regbuf_lint.cli.why import run_why  # noqa: PLC0415  start-up time

        return run_why(arguments, nearest, console)
    if arguments.watch:
        from regbuf_lint.cli.watch import run_watch  # noqa: PLC0415  start-up time

        return run_watch(arguments, console)
    if arguments.paths == [STDIN]:
        from regbuf_lint.cli.stdin_run import run_stdin  # noqa: PLC0415  start-up time

        return run_stdin(arguments, nearest, console)
    from regbuf_lint.cli.kept_run import run_and_keep  # noqa: PLC0415  start-up time

    return run_and_keep(arguments, nearest, console)


def _clean(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Remove the results of earlier runs.

    Raises:
        SettingsError: what is there is no cache, or cannot be removed.
    """
    from regbuf_lint.cache.folder import clean, folder_of  # noqa: PLC0415  start-up time
    from regbuf_lint.source.discovery import discover  # noqa: PLC0415

    paths = [Path(name) for name in arguments.paths]
    named = [nearest.of(path if path.is_dir() else path.parent, path) for path in paths]
    every = (*named, *discover(paths, nearest.of).settings.every)
    for folder in dict.fromkeys(folder_of(one, arguments.cache_dir) for one in every):
        if clean(folder) and not arguments.quiet:
            console.note("note", f"removed {folder.as_posix()}")
    return CLEAN
