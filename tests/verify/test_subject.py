"""What a version under verification is called with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.verify.model import ORIGINAL, Build

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("made", "device", "expected"),
    [("cpu", "", "cpu"), ("meta", "", "meta"), ("cpu", "meta", "meta")],
)
def test_inputs_are_where_they_are_made_or_moved(made: str, device: str, expected: str, tmp_path: Path) -> None:
    """A module that chooses a device by itself is built there, and its inputs are made there."""
    pytest.importorskip("torch")
    from regbuf_lint.verify.worker.subject import Subject  # noqa: PLC0415  imports torch

    file = tmp_path / "model.py"
    file.write_text("from torch import nn\n", encoding="utf-8")
    build = Build(str(file), init="nn.Identity()", inputs=f"torch.ones(2, device={made!r})")
    subject = Subject(build, ORIGINAL, tmp_path)
    assert subject.call(subject.fresh(), device).device.type == expected


def test_classes_of_one_name_are_told_apart_by_their_bases() -> None:
    """An own ``Linear`` that holds torch's: which of them came first changed from one process to the next."""
    torch = pytest.importorskip("torch")
    from regbuf_lint.verify.worker.code import bases  # noqa: PLC0415  imports torch

    own = type("Linear", (torch.nn.Sequential,), {})
    module = own(torch.nn.Linear(2, 2))
    assert bases(SimpleNamespace(module=module)) == {  # type: ignore[arg-type]
        "Linear": [["Linear", "Module", "object"], ["Linear", "Sequential", "Module", "object"]]
    }
