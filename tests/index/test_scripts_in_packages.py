"""Scripts that lie in a package and import the files beside them as they are run: from their own directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

BASE = "from torch import nn\nclass Net(nn.Module): ...\n"
SCRIPT = """
import torch
from {origin} import Net

class Large(Net):
    def __init__(self):
        super().__init__()
        self.steps = torch.arange(3)

    def forward(self, x):
        return x + self.steps
"""


@pytest.mark.parametrize(
    ("origin", "beside", "found"),
    [
        ("net", BASE, 1),
        ("net", "from elsewhere import Net\n", 0),  # the outside package `net`, and a file that serves it
        ("net", "", 0),
        ("torch", BASE, 0),
        ("tools.net", BASE, 1),
    ],
)
def test_a_name_of_the_file_beside_is_meant(origin: str, beside: str, found: int, tmp_path: Path) -> None:
    package = tmp_path / "tools"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / f"{origin.rpartition('.')[2]}.py").write_text(beside, encoding="utf-8")
    settings = Settings(root=tmp_path, select=("RBF001",))
    text = SourceText.from_text(SCRIPT.format(origin=origin))
    assert len(check_source(text, package / "train.py", settings).findings) == found
