"""What is told of values in order to compare two versions of a module."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch


def test_zeros_that_have_no_memory_are_zeros() -> None:
    """Autograd gives such for what is 0 by itself, as the second derivative of ``abs`` (torch 2.13)."""
    torch = pytest.importorskip("torch")
    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    without_memory = torch._efficientzerotensor((2, 3))  # noqa: SLF001
    assert without_memory._is_zerotensor()  # noqa: SLF001
    for number in range(20):
        used = [torch.full((2, 3), float(number)) for _ in range(9)]
        del used
        assert digest(without_memory) == digest(torch.zeros(2, 3))
