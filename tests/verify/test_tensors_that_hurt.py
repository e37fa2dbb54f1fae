"""The script that tries on a device which plain tensors hurt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.skipif(sys.platform != "linux", reason="forks")]
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "tensors_that_hurt.py"

TEXT = """\
import time

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)
        self.table = {"first": [torch.ones(3)]}
        self.names = torch.ones(3)


class Net(Base):
    def forward(self, x):
        return x * self.scale + self.table["first"][0].to(x.device)


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(3)

    def forward(self, x):
        return x * self.mask * torch.ones(3)


def net():
    return Net(), (torch.ones(2, 3),)


def both():
    return Both(), {"x": torch.ones(2, 3)}


def clean():
    return nn.Linear(3, 3), (torch.ones(2, 3),)


def broken():
    return nn.Linear(3, 3), (torch.ones(2, 2),)


def endless():
    time.sleep(60)
"""


def run(directory: Path, findings: list[dict[str, str]], *factories: str) -> str:
    pytest.importorskip("torch")
    (directory / "nets.py").write_text(TEXT, encoding="utf-8")
    (directory / "findings.json").write_text(json.dumps(findings), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "--findings", "findings.json", "--jobs", "2", "--timeout", "12"]
    command += [f"nets.py::{name}" for name in factories]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=directory)
    assert done.returncode == 0, done.stderr
    return done.stdout


def finding(code: str, kind: str, attribute: str) -> dict[str, str]:
    return {"code": code, "filename": "src/nets.py", "class": kind, "attribute": attribute}


def test_what_hurts_by_the_rule_that_reports_it(tmp_path: Path) -> None:
    reported = [
        finding("RBF001", "Base", "scale"),
        finding("RBF002", "Base", "table"),
        finding("RBF202", "Net", "names"),
    ]
    said = run(tmp_path, reported, "net", "both", "clean", "broken", "endless")
    assert "| factories | 5 |\n| built and called on the CPU | 3 |\n| with plain tensors | 2 |\n" in said
    assert "| called on the device | 2 |\n| of which do not work there by themselves | 2 |\n" in said
    assert "| of which do with all plain tensors moved | 1 |\n" in said
    assert said.endswith("|---|---|---|\n| none | 0 | 1 |\n| RBF001 | 1 | 0 |\n| RBF002 | 0 | 1 |\n\n")


@pytest.mark.parametrize(("code", "shown"), [("RBF006", "RBF006"), ("RBF204", "no finding")])
def test_what_hurts_and_no_rule_that_is_on_reports(code: str, shown: str, tmp_path: Path) -> None:
    said = run(tmp_path, [finding(code, "Base", "scale")], "net")
    rows = [row for row in said.splitlines() if row.startswith("- ")]
    assert len(rows) == 1
    assert rows[0].startswith(f"- nets.py::Net.scale: {shown}: RuntimeError: ")
