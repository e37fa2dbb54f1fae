"""What the tests share."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def device() -> str:
    """A device other than the CPU: CUDA where there is one, else ``meta``, which every torch has."""
    torch = pytest.importorskip("torch")
    return "cuda" if torch.cuda.is_available() else "meta"


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """Let the test, and programs that it starts, heed SIGINT: a shell has its background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
