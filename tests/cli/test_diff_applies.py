"""``git apply`` makes of the files what ``--fix`` would, wherever they lie and whatever git knows of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

HEAD = "import torch\nfrom torch import nn\n\n\n"
CLASS = """\
class {name}(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mask
"""
NO_END = HEAD + CLASS.format(name="Last").removesuffix("\n")
FILES = {
    "plain.py": (HEAD + CLASS.format(name="Plain")).encode(),
    "dir/with space.py": (HEAD + CLASS.format(name="Spaced")).encode(),
    "dir/crlf.py": (HEAD + CLASS.format(name="Ended")).replace("\n", "\r\n").encode(),
    "dir/no_newline.py": NO_END.encode(),
    "dir/crlf_no_newline.py": NO_END.replace("\n", "\r\n").encode(),
    "dir/bom.py": b"\xef\xbb\xbf" + (HEAD + CLASS.format(name="Marked")).encode(),
    "dir/latin.py": ("# coding: latin-1\n" + HEAD + CLASS.format(name="Ä")).encode("latin-1"),
    "ünïcode/größe.py": (HEAD + CLASS.format(name="Größe")).encode(),
    "dir/far.py": (HEAD + CLASS.format(name="One") + "\n\n" + "x = 1\n" * 40 + CLASS.format(name="Two")).encode(),
}


def run(*command: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False, timeout=60)


def lint(cwd: Path, *options: str) -> bytes:
    done = run(sys.executable, "-m", "regbuf_lint", "--isolated", *options, cwd=cwd)
    assert b"Traceback" not in done.stderr
    return done.stdout


def write(root: Path) -> None:
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def contents(root: Path) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("known", ["unknown", "staged", "committed", "no repository"])
@pytest.mark.parametrize("place", [".", "sub/directory"])
def test_the_diff_makes_what_fixing_makes(known: str, place: str, tmp_path: Path) -> None:
    fixed, patched = tmp_path / "fixed", tmp_path / "patched"
    write(fixed)
    write(patched / place)
    if known != "no repository":
        run("git", "init", "-q", ".", cwd=patched)
    if known in {"staged", "committed"}:
        run("git", "-c", "core.autocrlf=false", "add", ".", cwd=patched)
    if known == "committed":
        run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all", cwd=patched)
    lint(fixed, "--fix", ".")
    assert all(data != FILES[name] for name, data in contents(fixed).items())
    patch = lint(patched / place, "--diff", ".")
    assert contents(patched / place) == FILES
    done = run("git", "apply", "--whitespace=nowarn", "-", cwd=patched / place, stdin=patch)
    assert (done.returncode, done.stderr) == (0, b"")
    assert contents(patched / place) == contents(fixed)
