"""Processes that have imported torch, shared by tests of the verifier's command line, since that takes each seconds."""

from __future__ import annotations

import atexit
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.isolation.client import Worker
from regbuf_lint.verify.isolation.supervision import Limits
from regbuf_lint.verify.runner import run_cases, started

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from regbuf_lint.verify.isolation.client import _Server
    from regbuf_lint.verify.isolation.supervision import Ending
    from regbuf_lint.verify.model import Case, CaseReport

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


def verified_fixtures(cases: Iterable[Case], device: str) -> dict[str, CaseReport]:
    """Reports of cases by their names; those that import what takes seconds run in a server that has imported it."""
    groups: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        groups.setdefault(_OF_FIXTURES if _imports_long(case) else (), []).append(case)
    found = {}
    for preload, some in groups.items():
        with started([device], Limits(), jobs=1 if preload else 2, preload=preload) as (seen, workers):
            found.update({report.case.name: report for report in run_cases(some, seen, workers)})
    return found


def _imports_long(case: Case) -> bool:
    text = Path(case.original.file).read_text(encoding="utf-8", errors="replace")
    tops = {name.partition(".")[0] for name in _OF_FIXTURES}
    return any(f"import {top}" in text or f"from {top}" in text for top in tops)


def borrow_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of the verifier in this process share the processes that they start."""
    monkeypatch.setattr("regbuf_lint.verify.runner.Worker", BorrowingWorker)


@atexit.register
def _stop() -> None:
    for servers in _IDLE.values():
        for server in servers:
            server.stop()
