"""``from_pretrained`` and buffers that no checkpoint holds, on the fixture that has both halves of the fix."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import torch
else:
    torch = pytest.importorskip("torch")
pytest.importorskip("transformers", minversion="5")

pytestmark = pytest.mark.torch

FIXED = Path(__file__).resolve().parents[2] / "fixtures" / "RBF001" / "pretrained_initialiser.fixed.py"
HALF = "init.copy_(module.low, low)"
"""The line of ``_init_weights`` that one of the buffers gets its value from."""


def reloaded(text: str, folder: Path) -> tuple[Any, Any]:
    """A model of the fixture's text, and what ``from_pretrained`` makes of its checkpoint."""
    path = folder / "pretrained_initialiser.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    namespace = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(namespace)
    model = namespace.make()
    model.save_pretrained(folder / "saved")
    return model, namespace.Model.from_pretrained(folder / "saved")


def test_init_weights_gives_buffers_their_values_again(tmp_path: Path) -> None:
    model, loaded = reloaded(FIXED.read_text(), tmp_path)
    expected = {name: value for name, value in model.named_buffers() if name != "embedding.first"}
    assert {"embedding.positions", "shifts", "low", "high"} == expected.keys()
    assert all(torch.equal(loaded.get_buffer(name), value) for name, value in expected.items())


def test_without_init_weights_a_buffer_is_left_uninitialised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty_like = torch.empty_like
    monkeypatch.setattr(torch, "empty_like", lambda *args, **named: empty_like(*args, **named).fill_(7))
    text = FIXED.read_text()
    assert HALF in text
    model, loaded = reloaded(text.replace(HALF, "pass"), tmp_path)
    assert torch.equal(loaded.high, model.high)
    assert not torch.equal(loaded.low, model.low)
    assert torch.equal(loaded.low, torch.full_like(model.low, 7))
