"""A device that callers may leave out: what stands in for it decides, whatever the annotation and the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, device{annotation} = {default}):
        super().__init__()
        {choice}
        self.table = {table}

    def forward(self, x):
        return x * self.table
"""
ANNOTATIONS = ("", ": str", ": str | None", ": torch.device", ": torch.device | None", ": str | torch.device | None")
AS_DEVICE = "torch.device(device) if isinstance(device, str) else device"
MACHINE = '"cuda" if torch.cuda.is_available() else "cpu"'
BY_THE_MACHINE = (
    f"if device is None: device = torch.device({MACHINE})",
    f"if not device: device = {MACHINE}",
    f"device = device or ({MACHINE})",
    f"device = device if device is not None else torch.device({MACHINE})",
    f"device = torch.device(device if device else {MACHINE})",
    f"device = torch.device({MACHINE}) if device is None else {AS_DEVICE}",
)
ON_THE_CPU = (
    "pass",
    "if isinstance(device, str): device = torch.device(device)",
    "if device is None: device = torch.device('cpu')",
    "device = device or 'cpu'",
    f"device = torch.device('cpu') if device is None else {AS_DEVICE}",
)
TABLES = ("torch.ones(3, device=device)", "torch.ones(3).to(device)")


def code(annotation: str, choice: str, table: str, root: Path, default: str = "None") -> str:
    source = SourceText.from_text(NET.format(annotation=annotation, default=default, choice=choice, table=table))
    settings = Settings(root=root, select=("RBF001", "RBF006"))
    (found,) = check_source(source, root / "net.py", settings).findings
    return found.code


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("annotation", ANNOTATIONS)
@pytest.mark.parametrize("choice", BY_THE_MACHINE)
def test_the_machine_chooses(annotation: str, choice: str, table: str, tmp_path: Path) -> None:
    assert code(annotation, choice, table, tmp_path) == "RBF006"


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("annotation", ANNOTATIONS)
@pytest.mark.parametrize("choice", ON_THE_CPU)
def test_the_cpu_is_left(annotation: str, choice: str, table: str, tmp_path: Path) -> None:
    assert code(annotation, choice, table, tmp_path) == "RBF001"


def test_a_string_by_default_is_no_choice(tmp_path: Path) -> None:
    """``None`` alone leaves the device to what stands in for it."""
    assert code("", f"device = device or ({MACHINE})", TABLES[0], tmp_path, default="'cpu'") == "RBF001"
