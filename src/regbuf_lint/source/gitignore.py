"""What git's ignore files leave out, directory by directory."""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.source.disk_questions import has_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pathspec import GitIgnoreSpec

_GROUP_NAME = re.compile(r"\?P<\w+>")
_NAME = re.compile(r"!?([\w.+-]+)/?")
"""A pattern for what has a name, in whatever directory; most patterns are such."""


class Patterns(Struct, frozen=True):
    """Gitignore-style patterns.

    Most paths are spoken of by no pattern, which is told by their names and by one search for all other patterns.

    Attributes:
        lines: the patterns.
        names: the names for which patterns stand that are nothing but a name.
        any_of: matches what one of the others speaks of; None where there is none.
    """

    lines: tuple[str, ...]
    names: frozenset[str]
    any_of: re.Pattern[str] | None

    def __bool__(self) -> bool:
        """Whether they speak of any path."""
        return bool(self.names) or self.any_of is not None

    def verdict(self, relative: str) -> bool | None:
        """Return whether the patterns leave out a path (True), keep it (False) or do not speak of it (None).

        Args:
            relative: path relative to where the patterns stand, ``/`` between its parts and at the end of a directory.
        """
        if self.names.isdisjoint(relative.split("/")) and (self.any_of is None or not self.any_of.search(relative)):
            return None
        return _spec(self.lines).check_file(relative).include


@lru_cache(maxsize=256)
def compile_patterns(patterns: tuple[str, ...]) -> Patterns:
    """Compile gitignore-style patterns.

    Raises:
        ValueError: one of them is not valid.
    """
    named = {one: match for one in patterns if (match := _NAME.fullmatch(one))}
    others = tuple(one for one in patterns if one not in named)
    speaking = [one for one in _spec(others).patterns if one.include is not None] if others else []
    # A group has its name in each pattern, and an expression may have a name only once.
    choice = "|".join(f"(?:{_GROUP_NAME.sub('?:', str(one.regex.pattern))})" for one in speaking if one.regex)
    with _as_value_error():
        any_of = re.compile(choice) if choice else None
    return Patterns(patterns, frozenset(one[1] for one in named.values()), any_of)


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  start-up time

    with _as_value_error():
        return GitIgnoreSpec.from_lines(patterns)


@contextmanager
def _as_value_error() -> Iterator[None]:
    """Let expressions that pathspec makes raise nothing else (``[z-a]`` does), and give no warning (``[[`` does)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            yield
        except re.error as error:
            raise ValueError(str(error)) from error


def anchored(pattern: str) -> str:
    """Return a pattern as git has it, for one whose ``./`` stands for where patterns stand: git knows no such path."""
    negation, rest = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    return f"{negation}/{rest.removeprefix('./')}" if rest.startswith("./") else pattern


class IgnoreFile(Struct, frozen=True):
    """One ignore file: its patterns and the real path of the directory that they are relative to, ending in ``/``."""

    directory: str
    patterns: Patterns

    def verdict(self, path: str) -> bool | None:
        """Return what the file says of a real path below its directory."""
        return self.patterns.verdict(path[len(self.directory) :])


IgnoreStack = tuple[IgnoreFile, ...]


def ignored(stack: IgnoreStack, path: str) -> bool:
    """Whether ignore files leave out a path whose parents they keep; the file nearest to the path decides.

    Args:
        stack: ignore files of the directories above the path, outermost first.
        path: real path with ``/`` between its parts and at the end of a directory.
    """
    for ignore_file in reversed(stack):
        said = ignore_file.verdict(path)
        if said is not None:
            return said
    return False


def stack_above(directory: str, top: str | None) -> IgnoreStack:
    """Return the ignore files that rule a directory from above it.

    Args:
        directory: real path.
        top: outermost directory whose ignore file counts where the directory lies in no repository.
    """
    chain = _ancestors(directory)
    repository = next(
        (i for i, parent in enumerate(chain) if has_entry(parent, ".git")),
        None,
    )
    if repository is not None:
        chain = chain[: repository + 1]
    elif top in chain:
        chain = chain[: chain.index(top) + 1]
    else:
        chain = chain[:1]
    stack: IgnoreStack = ()
    if repository is not None:
        stack = with_file(stack, chain[-1], ".git/info/exclude")
    for parent in reversed(chain[1:]):
        stack = with_file(stack, parent)
    return stack


def _ancestors(directory: str) -> list[str]:
    """Return a directory and those above it, innermost first."""
    path = Path(directory)
    return [str(path), *map(str, path.parents)]


def with_file(stack: IgnoreStack, directory: str, name: str = ".gitignore") -> IgnoreStack:
    """Return the stack with the ignore file of one more directory, if it has a readable one."""
    try:
        lines = Path(directory, name).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return stack
    patterns = _lenient_patterns(lines)
    if not patterns:
        return stack
    return (*stack, IgnoreFile(as_directory(directory), patterns))


def as_directory(path: str) -> str:
    """Return a path with ``/`` between its parts and at its end."""
    path = path.replace(os.sep, "/")
    return path if path.endswith("/") else path + "/"


def _lenient_patterns(lines: Iterable[str]) -> Patterns:
    """Compile the lines of an ignore file; as git does, leave out those that are no valid pattern."""
    kept = tuple(line for line in lines if line.strip() and not line.startswith("#"))
    try:
        return compile_patterns(kept)
    except ValueError:
        return compile_patterns(tuple(line for line in kept if _is_valid(line)))


def _is_valid(pattern: str) -> bool:
    try:
        compile_patterns((pattern,))
    except ValueError:
        return False
    return True
