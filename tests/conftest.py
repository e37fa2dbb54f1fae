"""What the tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def device() -> str:
    """A device other than the CPU: CUDA where there is one, else ``meta``, which every torch has."""
    torch = pytest.importorskip("torch")
    return "cuda" if torch.cuda.is_available() else "meta"
