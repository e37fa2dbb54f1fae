"""Which files checks rest on, so that those can be kept that more checks will."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from regbuf_lint.index.reads import Content

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from regbuf_lint.index.reads import Reads


class NeededFiles:
    """How many checks have rested on each file of late.

    Args:
        reads: where it is noted what checks rest on.
    """

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._times: Counter[Path] = Counter()
        self._checks: list[int] = []

    def count(self, numbers: int) -> None:
        """Note what a check rested on.

        Args:
            numbers: a number whose bits are the numbers of its reads.
        """
        self._checks.append(numbers)

    def by_need(self, paths: Collection[Path]) -> list[Path]:
        """Files, those first that most checks rested on; checks before this was asked the last time count half."""
        self._times = Counter({path: times // 2 for path, times in self._times.items()})
        for path in paths:
            number = self._reads.known.get(Content(str(path)))
            if number is not None:
                self._times[path] += sum(check >> number & 1 for check in self._checks)
        self._checks.clear()
        return sorted(paths, key=self._times.__getitem__, reverse=True)
