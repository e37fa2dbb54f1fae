"""``from_pretrained`` and buffers that no checkpoint holds, on the fixture that has both halves of the fix.

In a process of its own: transformers changes ``nn.Module`` for all that share it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers", minversion="5")

pytestmark = pytest.mark.torch

FIXED = Path(__file__).resolve().parents[2] / "fixtures" / "RBF001" / "pretrained_initialiser.fixed.py"
HALF = "init.copy_(module.low, low)"
"""The line of ``_init_weights`` that one of the buffers gets its value from."""

LOADING = """\
import json
import torch
import pretrained_initialiser

empty_like = torch.empty_like
torch.empty_like = lambda *given, **named: empty_like(*given, **named).fill_(7)
model = pretrained_initialiser.make()
model.save_pretrained("saved")
loaded = pretrained_initialiser.Model.from_pretrained("saved")
print(json.dumps({
    name: "same" if torch.equal(loaded.get_buffer(name), value) else loaded.get_buffer(name).flatten().tolist()
    for name, value in model.named_buffers()
}))
"""
"""Builds, saves and loads a model; uninitialised memory is full of 7."""


def reloaded(text: str, folder: Path) -> dict[str, object]:
    """What each buffer is after loading: ``same``, or its values."""
    (folder / "pretrained_initialiser.py").write_text(text)
    command = [sys.executable, "-c", LOADING]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_init_weights_gives_buffers_their_values_again(tmp_path: Path) -> None:
    names = ("shifts", "low", "high", "embedding.positions")
    assert reloaded(FIXED.read_text(), tmp_path) == dict.fromkeys(names, "same")


def test_without_init_weights_a_buffer_is_left_uninitialised(tmp_path: Path) -> None:
    text = FIXED.read_text()
    assert HALF in text
    found = reloaded(text.replace(HALF, "pass"), tmp_path)
    assert found["high"] == "same"
    assert found["low"] == [7.0, 7.0, 7.0]
