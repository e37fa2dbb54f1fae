"""The settings of each file of a run: those of the configuration nearest to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from typing_extensions import Self

    from regbuf_lint.model.settings import Settings


class FileSettings(Struct, frozen=True):
    """The settings of each file.

    Attributes:
        every: all settings of a run, each once.
        numbers: by the absolute path of a file, the place of its settings; for all others the first ones hold.
    """

    every: tuple[Settings, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def one(cls, settings: Settings) -> Self:
        """The same settings for all files."""
        return cls((settings,))

    @classmethod
    def of_each(cls, files: Iterable[tuple[Path, Settings]]) -> Self:
        """Settings file by file."""
        places: dict[Settings, int] = {}
        known: dict[int, int] = {}  # comparing settings takes longer, and most are one object
        numbers = {}
        for path, one in files:
            if id(one) not in known:
                known[id(one)] = places.setdefault(one, len(places))
            if known[id(one)]:
                numbers[_key(path)] = known[id(one)]
        return cls(tuple(places), numbers)

    def number(self, path: Path) -> int:
        """The place of a file's settings in ``every``."""
        return self.numbers.get(_key(path), 0) if self.numbers else 0

    def of(self, path: Path) -> Settings:
        """The settings of a file."""
        return self.every[self.number(path)]


def _key(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100  links stay, and ten thousand times
