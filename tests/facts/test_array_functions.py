"""What NumPy's functions make of tensors: the facts that the list of functions rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.infer.library_functions import library_functions

if TYPE_CHECKING:
    import numpy as np
    import torch
else:
    np = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:__array", "ignore::RuntimeWarning")]

UFUNCS = {name: one for name, one in vars(np).items() if isinstance(one, np.ufunc) and one.nout == 1}
OPERANDS = (torch.ones(3), torch.ones(3, dtype=torch.int64), torch.eye(3))


def results(function: np.ufunc) -> list[object]:
    """What a function gives for those of the operands that it takes."""
    found = []
    for one in OPERANDS:
        try:
            found.append(function(*[one] * function.nin))
        except (TypeError, ValueError):
            continue
    return found


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_which_functions_give_tensors(name: str) -> None:
    found = results(UFUNCS[name])
    is_listed = library_functions().array_functions.match(f"numpy.{name}") is not None
    assert bool(found) is is_listed
    assert all(type(one) is torch.Tensor for one in found)


def test_one_tensor_among_the_operands_is_enough() -> None:
    assert type(np.multiply(np.ones(3), torch.ones(3))) is torch.Tensor


def test_a_tensor_that_asks_for_a_gradient_is_refused() -> None:
    with pytest.raises(RuntimeError, match="detach"):
        np.sqrt(torch.ones(3, requires_grad=True))


def test_other_functions_give_arrays() -> None:
    assert type(np.concatenate([torch.ones(3), torch.ones(3)])) is np.ndarray
