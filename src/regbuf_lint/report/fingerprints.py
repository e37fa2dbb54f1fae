"""What tells a finding from others and stays the same when lines move: code, class and attribute."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

from regbuf_lint.model.identity import identity

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding

_DIGITS = 32


class Fingerprints:
    """Tells apart what a run reports; of what is alike in one file, the later ones are numbered."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, ...]] = Counter()

    def within_file(self, path: str, finding: Finding) -> str:
        """Return the fingerprint of the next finding of a file, which stays the same when the file moves."""
        parts = identity(finding)
        return _digest(*parts, self._number(path, *parts))

    def within_run(self, path: str, *parts: str) -> str:
        """Return the fingerprint of the next problem of a file, which no other file has."""
        return _digest(path, *parts, self._number(path, *parts))

    def _number(self, *parts: str) -> str:
        self._seen[parts] += 1
        return str(self._seen[parts])


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
