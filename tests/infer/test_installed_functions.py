"""Functions of installed packages: those that cannot give tensors are not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.engine.session import Session
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from pathlib import Path

CLIENT = """\
import tables
def made(n):
    return tables.made(n)
def same(x):
    return x
"""
TABLES = """\
import torch
def made(n):
    return torch.zeros(n)
"""
NETWORK = """\
import client
import tables
import torch
from torch import nn
class Network(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.by_client = client.made(n)
        self.given = client.same(torch.ones(n))
        self.by_table = tables.made(n)
    def forward(self, x):
        return x * self.by_client * self.given * self.by_table
"""


def found(root: Path, packages: tuple[Path, ...]) -> list[str | None]:
    path = root / "network.py"
    path.write_text(NETWORK, encoding="utf-8")
    session = Session(Settings(root=root, packages=packages))
    return [one.attribute for one in session.check(path, read_source(path)).findings]


def write(directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    (directory / "client.py").write_text(CLIENT, encoding="utf-8")
    (directory / "tables.py").write_text(TABLES, encoding="utf-8")


def test_a_file_that_imports_nothing_that_makes_tensors_gives_none_but_those_that_it_gets(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    installed = tmp_path / "installed"
    write(installed)
    assert found(tmp_path / "project", (installed,)) == ["given", "by_table"]


def test_the_functions_of_the_project_itself_are_followed(tmp_path: Path) -> None:
    write(tmp_path)
    assert found(tmp_path, (tmp_path / "installed",)) == ["by_client", "given", "by_table"]


def test_a_project_that_lies_among_installed_packages_is_followed(tmp_path: Path) -> None:
    write(tmp_path)
    assert found(tmp_path, (tmp_path,)) == ["by_client", "given", "by_table"]
