"""Packages that move plain tensors by themselves, where they are not installed: what the list says of them counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

CLASS = """\
import torch
from {package} import {base}


class Lights({base}):
    def __init__(self, **given):
        super().__init__(**given)
        self.strength = torch.ones(3)
        for name in ("color", "location"):
            setattr(self, name, torch.zeros(3))

    def shaded(self, points):
        return points * self.strength * self.color + self.location
"""


@pytest.mark.parametrize(
    ("package", "base", "found"),
    [
        ("pytorch3d.renderer.utils", "TensorProperties", set()),
        ("pytorch3d.renderer.cameras", "CamerasBase", set()),
        ("pytorch3d.renderer", "MeshRenderer", {"strength", "color", "location"}),
    ],
)
def test_attributes_that_are_left_behind(package: str, base: str, found: set[str]) -> None:
    text = SourceText.from_text(CLASS.format(package=package, base=base))
    findings = check_source(text, Path("lights.py"), Settings(root=Path())).findings
    assert {one.attribute for one in findings} == found
