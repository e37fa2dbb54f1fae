"""Completion of the command line in shells; shtab, which is no dependency of the linter, writes it from the parser."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.settings import BufferStyle, Persistence
from regbuf_lint.report.registry import FORMATS

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable

SHELLS = ("bash", "zsh", "tcsh")
_FILES = frozenset({"paths", "config", "output_file", "baseline", "write_baseline", "stdin_filename", "python"})
_DIRECTORIES = frozenset({"cache_dir"})
_CODES = frozenset({"select", "extend_select", "ignore", "extend_ignore", "fixable", "unfixable", "explain"})


def completion(parser: ArgumentParser, shell: str, codes: Iterable[str]) -> str:
    """Return the script that completes the command line in a shell.

    Args:
        parser: what reads the command line; it is of no use for that afterwards.
        shell: one of ``SHELLS``.
        codes: the codes of all rules.

    Raises:
        UsageError: shtab is not installed.
    """
    try:
        shtab: Any = import_module("shtab")
    except ImportError:
        msg = "--generate-shell-completion needs shtab: pip install 'regbuf-lint[completion]'"
        raise UsageError(msg) from None
    words = {
        "output_format": FORMATS,
        "persistent": tuple(one.value for one in Persistence),
        "buffer_style": tuple(one.value for one in BufferStyle),
    }
    words.update(dict.fromkeys(_CODES, tuple(codes)))
    for action in parser._actions:  # noqa: SLF001  shtab itself reads them
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in _DIRECTORIES:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in words:
            action.choices = words[action.dest]
    written: str = shtab.complete(parser, shell=shell)
    return written
