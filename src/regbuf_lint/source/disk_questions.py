"""What a run asks the file system, noted so that a later one can tell whether it would get the same answers.

Python tells of files that are opened and of directories that are listed (https://docs.python.org/3/library/audit_events.html).
Who asks anything else asks it here, or notes it here.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVENTS = frozenset({"open", "os.scandir", "pathlib.Path.glob"})


class Questions(Struct):
    """What was asked.

    Attributes:
        paths: files and directories that were read or looked for, each once.
        entries: by directory, names that were looked for in it, and whether they were there; a ``*`` in one stands
            for anything.
        is_whole: whether nothing was asked elsewhere.
    """

    paths: dict[str, None] = field(default_factory=dict)
    entries: dict[str, dict[str, bool]] = field(default_factory=dict)
    is_whole: bool = True


class _Listener(Struct):
    """Whoever wants to know what is asked; a hook of Python stays for as long as the process does."""

    questions: Questions | None = None
    is_hooked: bool = False


_LISTENER = _Listener()


@contextmanager
def noted_questions() -> Iterator[Questions]:
    """Note what this process asks from now on."""
    if not _LISTENER.is_hooked:
        sys.addaudithook(_hear)
        _LISTENER.is_hooked = True
    _LISTENER.questions = questions = Questions()
    try:
        yield questions
    finally:
        _LISTENER.questions = None


@contextmanager
def unnoted() -> Iterator[None]:
    """Ask what no answer rests on."""
    questions, _LISTENER.questions = _LISTENER.questions, None
    try:
        yield
    finally:
        _LISTENER.questions = questions


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS and isinstance(arguments[0], (str, os.PathLike)):
        note_path(arguments[0])


def note_path(path: str | os.PathLike[str]) -> None:
    """Note that the answer rests on what the file system says of a path."""
    if _LISTENER.questions is not None:
        _LISTENER.questions.paths[os.fspath(path)] = None


def note_entry(directory: str, name: str, *, exists: bool) -> None:
    """Note that the answer rests on whether a directory has an entry of some name."""
    if _LISTENER.questions is not None:
        _LISTENER.questions.entries.setdefault(directory, {})[name] = exists


def note_others() -> None:
    """Note that other processes ask, too."""
    if _LISTENER.questions is not None:
        _LISTENER.questions.is_whole = False


def has_entry(directory: str | os.PathLike[str], name: str) -> bool:
    """Whether a directory has an entry of some name; what may not be looked at is not there."""
    found = os.path.lexists(os.path.join(directory, name))  # noqa: PTH118  start-up time
    note_entry(os.fspath(directory), name, exists=found)
    return found


def entry_names(directory: str | os.PathLike[str]) -> frozenset[str]:
    """What lies in a directory, for who notes what he asks of it; nothing where it cannot be listed."""
    try:
        return frozenset(os.listdir(directory))  # noqa: PTH208  ten thousand times, and a Path for each takes longer
    except OSError:
        return frozenset()


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file at a path, or a link to one; what may not be looked at is none."""
    note_path(path)
    return os.path.isfile(path)  # noqa: PTH113  a Path raises where it may not look
