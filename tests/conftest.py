"""What the tests share."""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Tests compare what directories hold, and run changed code; those of the cache name a directory for it.
os.environ["REGBUF_LINT_NO_CACHE"] = "1"
_BY_CASE = "tests/test_fixtures.py::"
_TOGETHER = "tests/metamorphic/"
"""A directory whose tests share what each rewrite makes of each program."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep together, with ``-n``, what shares work: the tests of one file, and those of one fixture."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped] # noqa: PLC0415  if installed

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _scope  # noqa: SLF001  what xdist documents for schedulers of one's own
    return scheduler


def _scope(nodeid: str) -> str:
    """Return the name of what a test is kept together with."""
    path, _, test = nodeid.partition("::")
    if nodeid.startswith(_BY_CASE):
        return test.partition("[")[2] or test
    return _TOGETHER if path.startswith(_TOGETHER) else path


def pytest_collection_finish() -> None:
    """Leave thousands of tests and what they import out of each search for cycles."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with slow tests, so that none of several processes is left with one when the others have ended."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def device() -> str:
    """A device other than the CPU: CUDA where there is one, else ``meta``, which every torch has."""
    torch = pytest.importorskip("torch")
    return "cuda" if torch.cuda.is_available() else "meta"


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """Let the test, and programs that it starts, heed SIGINT and SIGHUP: a shell, or nohup, has jobs ignore them."""
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    hang_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, signal.SIG_DFL if interrupt is None else interrupt)
    signal.signal(signal.SIGHUP, signal.SIG_DFL if hang_up is None else hang_up)


@pytest.fixture
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as unchanged that were written just now; no test writes while a run goes on."""
    monkeypatch.setattr("regbuf_lint.cache.states._TICK", -(10**15))
