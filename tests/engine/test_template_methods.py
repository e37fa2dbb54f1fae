"""Bases whose constructor runs a method that only subclasses have: their objects are ones of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint import check_paths

if TYPE_CHECKING:
    from pathlib import Path

BASE = """\
import abc
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.table = self.make(n)

    {decorator}
    def make(self, n):
        {body}

    def forward(self, x):
        return x * self.table
"""
CHILD = """

class Child(Base):
    def make(self, n):
        return {made}
"""


def attributes(*files: Path) -> list[str | None]:
    return [one.attribute for one in check_paths(files).findings]


@pytest.mark.parametrize(
    ("decorator", "body"),
    [("", "raise NotImplementedError"), ("@abc.abstractmethod", "..."), ("", '"""Give the table."""')],
)
def test_the_base_is_judged_by_its_subclasses(tmp_path: Path, decorator: str, body: str) -> None:
    base, child = BASE.format(decorator=decorator, body=body), CHILD.format(made="torch.ones(n)")
    file = tmp_path / "one.py"
    file.write_text(base + child, encoding="utf-8")
    assert attributes(file) == ["table"]
    file.unlink()
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "base.py").write_text(base, encoding="utf-8")
    (package / "child.py").write_text(f"import torch\nfrom .base import Base\n{child}", encoding="utf-8")
    assert attributes(package / "base.py") == ["table"]


def test_subclasses_that_make_something_else(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    base = BASE.format(decorator="", body="raise NotImplementedError")
    file.write_text(base + CHILD.format(made="[1.0] * n"), encoding="utf-8")
    assert attributes(file) == []
