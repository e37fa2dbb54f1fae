"""What is another in Python, torch and numpy is noticed, whether or not Python numbers what is written to dicts."""

from __future__ import annotations

import math
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from regbuf_lint.verify.worker.untouched import Untouched

pytestmark = pytest.mark.torch


@pytest.fixture(params=[True, False], ids=["numbered", "not numbered"])
def before(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Untouched:
    pytest.importorskip("torch")
    from regbuf_lint.verify.worker import written  # noqa: PLC0415
    from regbuf_lint.verify.worker.untouched import Untouched  # noqa: PLC0415  imports torch

    if request.param and not written._IS_NUMBERED:  # noqa: SLF001
        pytest.skip("this Python does not number what is written to dicts")
    monkeypatch.setattr(written, "_IS_NUMBERED", request.param)
    return Untouched()


def test_nothing_is_replaced_at_first(before: Untouched) -> None:
    """What else runs in this process keeps numbers of its own, as pytest and hypothesis do."""
    assert [name for name in before.replaced() if name.startswith(("builtins", "math", "torch", "random"))] == []


def test_functions_methods_numbers_and_files_count(before: Untouched, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch import nn  # noqa: PLC0415

    monkeypatch.setattr(math, "sqrt", math.sin)
    monkeypatch.setitem(vars(math), "pi", 3)
    monkeypatch.setattr(nn.Linear, "forward", nn.Identity.forward)
    monkeypatch.delattr(nn.Module, "half")
    monkeypatch.setitem(sys.modules, "random", ModuleType("random"))
    replaced = set(before.replaced())
    assert {"math.sqrt", "math.pi", "torch.nn.Linear.forward", "torch.nn.Module.half", "random"} <= replaced


def test_what_is_written_with_the_same_value_is_not_replaced(before: Untouched) -> None:
    math.pi = float(str(math.pi))  # type: ignore[misc]
    assert not any(name.startswith("math") for name in before.replaced())


def test_new_names_count_where_they_come_from_elsewhere(before: Untouched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.regbuf_number", 1, raising=False)
    monkeypatch.setattr(math, "regbuf_function", lambda: None, raising=False)
    assert {"builtins.regbuf_number", "math.regbuf_function"} <= set(before.replaced())
