"""Where nothing reads an attribute of a finished object, the help of RBF001 says so: a local may do."""

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
    def __init__(self, n):
        super().__init__()
        self.steps = torch.arange(n)
        self.size = len(self.steps)

    def forward(self, x):
        return x + self.size
"""
ADVICE = "; but nothing reads it once the object is built: delete it, or keep it in a local variable"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    return tmp_path / "pkg"


def advice(text: str, package: Path) -> str:
    (finding,) = check_source(SourceText.from_text(text), package / "net.py", Settings(root=package.parent)).findings
    assert finding.fix is not None
    return finding.help


def test_a_local_may_do(package: Path) -> None:
    assert advice(NET, package).endswith(ADVICE)


@pytest.mark.parametrize(
    "more",
    [
        "    def last(self):\n        return self.steps[-1]\n",
        "    @property\n    def last(self):\n        return self.steps[-1]\n",
        "    def add(self, n):\n        self.steps[0] += n\n",
        "    def get(self, name):\n        return getattr(self, name)\n",
        "\ndef last(net):\n    return net.steps[-1]\n",
        "\nclass Subclass(Net):\n    def last(self):\n        return self.steps[-1]\n",
    ],
)
def test_it_is_read_in_the_file(more: str, package: Path) -> None:
    assert ADVICE not in advice(NET + more, package)


def test_it_is_read_in_another_file(package: Path) -> None:
    (package / "use.py").write_text("def last(net):\n    return net.steps[-1]\n", encoding="utf-8")
    assert ADVICE not in advice(NET, package)


def test_forward_of_another_class_is_none_of_its_own(package: Path) -> None:
    """While the object is built it calls a part, which has a ``forward`` too."""
    part = "\nclass Part(nn.Module):\n    def forward(self, x):\n        return x\n\nclass Net"
    text = NET.replace("\nclass Net", part, 1).replace("torch.arange(n)", "Part()(torch.arange(n))")
    assert advice(text, package).endswith(ADVICE)
    assert ADVICE not in advice(text.replace("self.size\n", "self.steps\n").replace("x + self.size", "x"), package)
