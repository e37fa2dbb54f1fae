"""Verifying many cases, several at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from regbuf_lint.verify.isolation.client import Worker
from regbuf_lint.verify.model import Machine
from regbuf_lint.verify.observing import described
from regbuf_lint.verify.verifying import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from regbuf_lint.verify.isolation.supervision import Limits
    from regbuf_lint.verify.model import Case, CaseReport

Item = TypeVar("Item")
Result = TypeVar("Result")

_ACCELERATORS = frozenset({"cuda", "mps", "xpu"})


@contextmanager
def started(
    devices: Sequence[str], limits: Limits, jobs: int, *, adopts: bool = False, preload: Sequence[str] = ()
) -> Iterator[tuple[Machine, list[Worker]]]:
    """Give torch's release and the devices, as a process of its own sees them, and what starts such processes.

    Where forked processes cannot use a device that a plain interpreter can, no process is forked.

    Args:
        devices: names of devices, or ``auto`` alone.
        limits: what each process may use.
        jobs: how many processes run at a time.
        adopts: whether this process adopts orphans, and has no other children.
        preload: names of modules that forked processes find imported.

    Raises:
        WorkerError: torch cannot be imported, or what is to be imported with it.
    """
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(limits, adopts=adopts, preload=preload)) for _ in range(max(1, jobs))]
        seen = Machine(**described(workers[0], devices))
        if seen.accelerated and not any(name.partition(":")[0] in _ACCELERATORS for name in seen.devices):
            plain = [stack.enter_context(Worker(limits, fork=False)) for _ in workers]
            seen_plainly = Machine(**described(plain[0], devices))
            if seen_plainly.devices != seen.devices:
                seen, workers = seen_plainly, plain
        yield seen, workers


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

    def one(case: Case, worker: Worker) -> CaseReport:
        report = verify(case, worker, seen)
        on_done(report)
        return report

    return list(shared_out(cases, workers, one))


def shared_out(
    items: Iterable[Item], workers: Sequence[Worker], do: Callable[[Item, Worker], Result]
) -> Iterator[Result]:
    """Give what a function returns for each item, in their order; as many run at a time as there are workers.

    Args:
        items: what there is to do.
        workers: what starts processes. Each serves one item at a time; all are ended where anything is raised.
        do: is called with an item and the worker that serves it, in a thread.
    """
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def one(item: Item) -> Result:
        worker = idle.get()
        try:
            return do(item, worker)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        try:
            yield from pool.map(one, items)
        except BaseException:
            for worker in workers:
                worker.abort()
            raise
