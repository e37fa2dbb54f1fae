"""Completion of the command line in shells; shtab, which is no dependency of the linter, writes it from the parser."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from regbuf_lint.cli.command_line import COMMANDS
from regbuf_lint.cli.errors import UsageError
from regbuf_lint.model.settings import BufferStyle, Persistence
from regbuf_lint.report.registry import FORMATS

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from regbuf_lint.model.rule import RuleMeta

SHELLS = ("bash", "zsh", "fish", "tcsh")
_FILES = frozenset({"config", "output_file", "baseline", "write_baseline", "stdin_filename", "python", "why"})
_DIRECTORIES = frozenset({"cache_dir"})
_SELECTIONS = frozenset({"select", "extend_select", "ignore", "extend_ignore", "fixable", "unfixable"})
_WORD = "_regbuf_lint_command_or_file"
"""A function of the scripts: commands are none to the parser, and shtab knows only what that takes."""
_WORDS = {
    "bash": """\
{function}() {{
  case "${{COMP_WORDS[COMP_CWORD-1]}}" in
    rule) compgen -W "{rules}" -- "$1" ;;
    generate-shell-completion) compgen -W "{shells}" -- "$1" ;;
    *) [ "$COMP_CWORD" -gt 1 ] || compgen -W "{commands}" -- "$1"; compgen -f -- "$1" ;;
  esac
}}""",
    "zsh": """\
{function}() {{
  case $words[CURRENT-1] in
    rule) compadd {rules} ;;
    generate-shell-completion) compadd {shells} ;;
    *) (( CURRENT > 2 )) || compadd {commands}; _files ;;
  esac
}}""",
    "fish": """\
function {function}
  set -l before (commandline -opc)
  switch "$before[-1]"
    case rule
      string split ' ' '{rules}'
    case generate-shell-completion
      string split ' ' '{shells}'
    case '*'
      test (count $before) -gt 1; or string split ' ' '{commands}'
      __fish_complete_path (commandline -ct)
  end
end""",
}
_MENDED = {"zsh": (('"(*)::', '"*:'), ("_defaults_added=0", "_defaults_added=1"))}
"""What to write otherwise than shtab, which has zsh complete the first of several paths only."""


def completion(parser: ArgumentParser, shell: str, rules: Sequence[RuleMeta]) -> str:
    """Return the script that completes the command line in a shell.

    Args:
        parser: what reads the command line; it is of no use for that afterwards.
        shell: one of ``SHELLS``.
        rules: all rules.

    Raises:
        UsageError: shtab is not installed.
    """
    try:
        shtab: Any = import_module("shtab")
    except ImportError:
        msg = "--generate-shell-completion needs shtab: pip install 'regbuf-lint[completion]'"
        raise UsageError(msg) from None
    _prepare(parser, shtab, rules)
    written: str = shtab.complete(parser, shell=shell)
    for theirs, ours in _MENDED.get(shell, ()):
        written = written.replace(theirs, ours)
    return written


def _prepare(parser: ArgumentParser, shtab: Any, rules: Sequence[RuleMeta]) -> None:
    """Tell shtab, by what it reads of a parser, which words stand where."""
    codes = [rule.code for rule in rules]
    named = [*codes, *(rule.name for rule in rules)]
    words = {
        "explain": named,
        "output_format": FORMATS,
        "persistent": [one.value for one in Persistence],
        "buffer_style": [one.value for one in BufferStyle],
        **{name: [*codes, "ALL"] for name in _SELECTIONS},
    }
    for action in parser._actions:  # noqa: SLF001  shtab itself reads them
        action.metavar = None  # zsh takes a colon in it for its own
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in _DIRECTORIES:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest == "paths":
            action.complete = {**shtab.FILE, **_command_or_file(named)}  # type: ignore[attr-defined]
            action.help = "command, file or directory"
        elif action.dest in words:
            action.choices = words[action.dest]


def _command_or_file(rules: Sequence[str]) -> dict[str, str | dict[str, str]]:
    """Return what completes a word that is no option, as shtab takes it."""
    words = {"rules": " ".join(rules), "shells": " ".join(SHELLS), "commands": " ".join(COMMANDS)}
    return {
        "bash": _WORD,
        "zsh": _WORD,
        "fish": f"({_WORD})",
        "preamble": {shell: text.format(function=_WORD, **words) for shell, text in _WORDS.items()},
    }
