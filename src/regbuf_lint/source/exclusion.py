"""What exclude patterns cover."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.source.gitignore import anchored, as_directory, compile_patterns

if TYPE_CHECKING:
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.gitignore import Patterns


class _Group(Struct, frozen=True):
    """Patterns of one file: the real path of what they are relative to, and the patterns."""

    root: str
    patterns: Patterns

    def base_of(self, real: str) -> str:
        """Return what the patterns are relative to: their root, for paths outside of it the path itself."""
        return self.root if as_directory(real).startswith(as_directory(self.root)) else real

    def covers(self, real: str) -> bool:
        """Whether the patterns cover a path or a directory above it."""
        if real == self.root:
            return False
        base = as_directory(self.base_of(real))
        relative = as_directory(real)[len(base) :].rstrip("/") or Path(real).name
        parts = relative.split("/")
        paths = ["/".join(parts[:end]) + "/" for end in range(1, len(parts))]
        paths.append(relative + "/" if Path(real).is_dir() else relative)
        return any(self.patterns.verdict(path) for path in paths)


class Exclusion:
    """The exclude patterns of some settings.

    Args:
        settings: the settings; what their patterns are relative to is theirs to say.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def _groups(self) -> list[_Group]:
        """The patterns, compiled when somebody asks: many runs look at one file and at no directory."""
        settings = self._settings
        placed = [(settings.root, settings.exclude)]
        placed += [(one.root or settings.root, one.patterns) for one in settings.inherited_excludes]
        found = ((os.path.realpath(root), tuple(map(anchored, patterns))) for root, patterns in placed)
        return [_Group(root, compile_patterns(patterns)) for root, patterns in found]

    def covers(self, real: str) -> bool:
        """Whether the patterns cover a real path (which need not exist) or a directory above it."""
        return any(group.covers(real) for group in self._groups)

    def below(self, real: str) -> WalkExclusion:
        """Return the patterns for what lies below a directory; where they cover it, they start anew there."""
        return WalkExclusion(
            tuple((as_directory(real if one.covers(real) else one.base_of(real)), one.patterns) for one in self._groups)
        )


class WalkExclusion(Struct, frozen=True):
    """The exclude patterns of one walk, each group with the directory that they are relative to."""

    groups: tuple[tuple[str, Patterns], ...]

    @property
    def bases(self) -> tuple[str, ...]:
        """The directories that the patterns are relative to."""
        return tuple(base for base, _ in self.groups)

    def excludes(self, path: str) -> bool:
        """Whether the patterns leave out a path whose parents they keep."""
        return any(
            bool(relative := path[len(base) :]) and bool(patterns.verdict(relative)) for base, patterns in self.groups
        )
