"""What NumPy's functions make of tensors: the facts that the list of functions rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.torch_facts.library_functions import library_functions

if TYPE_CHECKING:
    import numpy as np
    import torch
else:
    np = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:__array", "ignore::RuntimeWarning")]

UFUNCS = {name: one for name, one in vars(np).items() if isinstance(one, np.ufunc) and one.nout == 1}
OPERANDS = (torch.ones(3), torch.ones(3, dtype=torch.int64), torch.eye(3))


def result(function: np.ufunc, operand: torch.Tensor) -> object:
    """What a function gives for an operand; None where it does not take it."""
    try:
        return function(*[operand] * function.nin)
    except (TypeError, ValueError):
        return None


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_which_functions_give_tensors(name: str) -> None:
    found = [one for one in (result(UFUNCS[name], operand) for operand in OPERANDS) if one is not None]
    is_listed = f"numpy.{name}" in library_functions().array_functions
    assert bool(found) is is_listed
    assert all(type(one) is torch.Tensor for one in found)


def test_one_tensor_among_the_operands_is_enough() -> None:
    found: object = np.multiply(np.ones(3), torch.ones(3))
    assert type(found) is torch.Tensor


def test_a_tensor_that_asks_for_a_gradient_is_refused() -> None:
    with pytest.raises(RuntimeError, match="detach"):
        np.sqrt(torch.ones(3, requires_grad=True))


def test_other_functions_give_arrays() -> None:
    assert type(np.concatenate([torch.ones(3), torch.ones(3)])) is np.ndarray
