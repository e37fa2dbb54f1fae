"""Processes that have imported torch, shared by tests of the verifier's command line, since that takes each seconds."""

from __future__ import annotations

import atexit
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.isolation.client import Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from regbuf_lint.verify.isolation.client import _Server
    from regbuf_lint.verify.isolation.supervision import Ending
    from regbuf_lint.verify.model import Case

_IDLE: dict[tuple[str, ...], list[_Server]] = {}
"""Servers that no worker uses, by what they have imported.

They never run code under verification themselves, so the next one finds them as new.
"""
_OF_FIXTURES = tuple(
    name
    for name in ("lightning", "pytorch_lightning", "torchmetrics", "transformers.modeling_utils")
    if find_spec(name.partition(".")[0]) is not None
)
"""What some fixtures import, which takes seconds; where it is imported, each fork takes longer, too."""


class BorrowingWorker(Worker):
    """Takes a server that is idle, and leaves its own to the next worker instead of ending it."""

    def _in_child(self, request: dict[str, Any]) -> Ending:
        idle = _IDLE.get(self._preload)
        if self._server is None and idle:
            self._server = idle.pop()
        return super()._in_child(request)

    def stop(self) -> None:
        if self._server is not None and not self._aborted:
            _IDLE.setdefault(self._preload, []).append(self._server)
            self._server = None
        super().stop()


def by_imports(cases: Iterable[Case]) -> Iterator[tuple[tuple[str, ...], list[Case]]]:
    """Cases that import what takes seconds, and the others, each with what their servers are to import."""
    tops = {name.partition(".")[0] for name in _OF_FIXTURES}
    found: dict[bool, list[Case]] = {True: [], False: []}
    for case in cases:
        text = Path(case.original.file).read_text(encoding="utf-8", errors="replace")
        found[any(f"import {top}" in text or f"from {top}" in text for top in tops)].append(case)
    yield _OF_FIXTURES, found[True]
    yield (), found[False]


def borrow_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of the verifier in this process share the processes that they start."""
    monkeypatch.setattr("regbuf_lint.verify.runner.Worker", BorrowingWorker)


@atexit.register
def _stop() -> None:
    for servers in _IDLE.values():
        for server in servers:
            server.stop()
