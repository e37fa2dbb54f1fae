"""The project's working tree as a repository of its own, for tools that install it from one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(8)

    def forward(self, x):
        return x + self.table
"""
FIXED = MODULE.replace(
    "self.table = torch.arange(8)", 'self.register_buffer("table", torch.arange(8), persistent=False)'
)


def git(directory: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run git as somebody who is known to it."""
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=check)


def commit_all(directory: Path) -> None:
    """Make a directory a repository with all that is in it."""
    git(directory, "init", "--quiet")
    git(directory, "add", "--all", "--force")
    git(directory, "commit", "--quiet", "--no-verify", "--message", "state")


def copy_working_tree(directory: Path) -> None:
    """Copy the working tree as it is, files that are not committed yet included."""
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").stdout
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
