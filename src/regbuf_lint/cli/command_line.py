"""A command line before options are read: commands as ruff has them, names behind ``--``, values that need a ``=``."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.source.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

COMMANDS = {
    "check": (),
    "rule": ("--explain",),
    "clean": ("--clean-cache",),
    "merge": ("--merge",),
    "version": ("--version",),
    "help": ("--help",),
    "server": ("--server",),
    "generate-shell-completion": ("--generate-shell-completion",),
}
"""For each command, what stands for it among the options."""
_OBJECTS = {"rule": "the code or name of a rule, as in `rule RBF001`", "generate-shell-completion": "a shell"}
"""What has to stand behind a command."""
_WITHOUT_NEXT = frozenset({"--add-noqa"})
"""Options whose value may be left out: what follows them is none, and it has to be written with a ``=``."""
_END_OF_OPTIONS = "--"


def _command(word: str) -> Sequence[str]:
    """Return what stands for a command.

    Raises:
        UsageError: there is no such command, and one is spelled like it.
    """
    if word in COMMANDS:
        return COMMANDS[word]
    hint = did_you_mean(word, COMMANDS)
    if hint:
        msg = f"neither a path nor a command: `{word}`{hint}"
        raise UsageError(msg)
    return (word,)


def split_names(argv: Sequence[str], with_value: Collection[str]) -> tuple[list[str], list[str]]:
    """Return options and names, and the names behind ``--``, which are never options or commands.

    Args:
        argv: arguments without the program's name.
        with_value: options that take the argument behind them.

    Raises:
        UsageError: a command is misspelled, or lacks what it is about, or a value lacks its ``=``.
    """
    arguments = list(argv)
    names: list[str] = []
    if _END_OF_OPTIONS in arguments:
        end = arguments.index(_END_OF_OPTIONS)
        arguments, names = arguments[:end], arguments[end + 1 :]
    _check_values(arguments)
    place = _first_word(arguments, with_value)
    word = "".join(arguments[place : place + 1])
    if word.replace("-", "").isidentifier() and not os.path.lexists(word):
        if word in _OBJECTS and not arguments[place + 1 :]:
            msg = f"{word} needs {_OBJECTS[word]}"
            raise UsageError(msg)
        arguments[place : place + 1] = _command(word)
    return [f"{one}=" if one in _WITHOUT_NEXT else one for one in arguments], names


def _check_values(arguments: Sequence[str]) -> None:
    """Refuse what looks like the value of an option whose value has to be written with a ``=``.

    Raises:
        UsageError: no path and no command is called like that.
    """
    for option, word in pairwise(arguments):
        is_value = option in _WITHOUT_NEXT and word not in COMMANDS and not word.startswith("-")
        if is_value and not os.path.lexists(word):
            from shlex import quote  # noqa: PLC0415  start-up time

            msg = f"no path is called `{word}`; what {option} is to write is given as `{option}={quote(word)}`"
            raise UsageError(msg)


def _first_word(arguments: Sequence[str], with_value: Collection[str]) -> int:
    """Return the place of the first argument that is neither an option nor the value of one."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        takes_next = arguments[place] in with_value and arguments[place] not in _WITHOUT_NEXT
        place += 2 if takes_next else 1
    return place
