"""Verifying many cases, several at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING

from regbuf_lint.verify.model import Machine
from regbuf_lint.verify.observing import described
from regbuf_lint.verify.verifying import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from regbuf_lint.verify.isolation.client import Worker
    from regbuf_lint.verify.model import Case, CaseReport


def machine(devices: Sequence[str], worker: Worker) -> Machine:
    """Return torch's release and the devices, as a process of its own sees them.

    Args:
        devices: names of devices, or ``auto`` alone.
        worker: what starts the process.

    Raises:
        WorkerError: torch cannot be imported.
    """
    return Machine(**described(worker, devices))


def run_cases(
    cases: Sequence[Case],
    seen: Machine,
    workers: Sequence[Worker],
    *,
    on_done: Callable[[CaseReport], None] = lambda _: None,
) -> list[CaseReport]:
    """Verify cases and return their reports in the same order.

    Args:
        cases: what is verified.
        seen: torch's release and the devices.
        workers: what starts processes; there run as many cases at a time.
        on_done: told of each case as it is done.

    Raises:
        WorkerError: torch cannot be imported.
    """
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def one(case: Case) -> CaseReport:
        worker = idle.get()
        try:
            report = verify(case, worker, seen)
        finally:
            idle.put(worker)
        on_done(report)
        return report

    with ThreadPoolExecutor(len(workers)) as pool:
        return list(pool.map(one, cases))
