"""Processes that have imported torch, shared by tests of the verifier's command line, since that takes each seconds."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.isolation.client import Worker

if TYPE_CHECKING:
    import pytest

    from regbuf_lint.verify.isolation.client import _Server
    from regbuf_lint.verify.isolation.supervision import Ending

_IDLE: list[_Server] = []
"""Servers that no worker uses. They never run code under verification themselves, so the next one finds them as new."""


class BorrowingWorker(Worker):
    """Takes a server that is idle, and leaves its own to the next worker instead of ending it."""

    def _in_child(self, request: dict[str, Any]) -> Ending:
        if self._server is None and _IDLE:
            self._server = _IDLE.pop()
        return super()._in_child(request)

    def stop(self) -> None:
        if self._server is not None and not self._aborted:
            _IDLE.append(self._server)
            self._server = None
        super().stop()


def borrow_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of the verifier in this process share the processes that they start."""
    monkeypatch.setattr("regbuf_lint.verify.runner.Worker", BorrowingWorker)


@atexit.register
def _stop() -> None:
    for server in _IDLE:
        server.stop()
