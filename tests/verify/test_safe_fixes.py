"""The script that puts fixes of real packages to the test: it builds classes, and sees what a wrong fix breaks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from borrowed_workers import BorrowingWorker

pytestmark = [pytest.mark.torch, pytest.mark.skipif(sys.platform != "linux", reason="forks, and watches memory")]
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

TEXT = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, dim: int, factor: float, names: list[int]) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, 3)
        {stored}

    def forward(self, x: torch.Tensor, ids) -> torch.Tensor:
        {first}
        return self.linear(x) * self.scale[ids].mean(0, keepdim=True)[..., :1]


class Closed(nn.Module):
    def __init__(self, key):
        super().__init__()
        self.table = torch.ones({{"secret": 3}}[key])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.table
"""
PLAIN = "self.scale = torch.ones(dim) * factor"
REGISTERED = 'self.register_buffer("scale", torch.ones(dim) * factor{more})'


def package(directory: Path, stored: str, first: str = "pass") -> Path:
    (directory / "toys").mkdir(parents=True)
    (directory / "toys" / "__init__.py").touch()
    (directory / "toys" / "layers.py").write_text(TEXT.format(stored=stored, first=first), encoding="utf-8")
    return directory


def test_right_fixes(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    kept = tmp_path / "arguments.json"
    done = run(str(package(tmp_path / "one", PLAIN)), "--arguments", str(kept), "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert "| one | 2 | 2 | 1 | 1 | 1 |\n" in done.stdout
    assert "| forward on meta | 0 | 1 | 0 | 0 |\n" in done.stdout
    assert "| strict load | 1 | 0 | 0 | 0 |\n" in done.stdout
    assert "| save after forward | 1 | 0 | 0 | 0 |\n" in done.stdout
    assert "| same outputs | 1 | 0 | 0 | 0 |\n" in done.stdout
    assert "not built: KeyError 1\n" in done.stdout
    found = json.loads(kept.read_text(encoding="utf-8"))
    assert found.keys() == {"one/toys/layers.py::Scale", "one/toys/layers.py::Closed"}
    assert found["one/toys/layers.py::Scale"]["init"].startswith("Scale(dim=")


def test_arguments_are_taken_from_where_they_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    kept = tmp_path / "arguments.json"
    arguments = {"init": "Closed('secret')", "inputs": "{'x': torch.ones(3)}"}
    kept.write_text(json.dumps({f"one/toys/layers.py::{name}": arguments for name in ("Scale", "Closed")}))
    done = run(str(package(tmp_path / "one", PLAIN)), "--arguments", str(kept))
    assert done.returncode == 0, done.stderr
    assert "| one | 2 | 2 | 2 | 2 | 2 |\n" in done.stdout
    assert "| forward on meta | 0 | 2 | 0 | 0 |\n" in done.stdout


def test_a_device_that_is_absent(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    kept = tmp_path / "arguments.json"
    kept.write_text('{"one/toys/layers.py::Scale": {}, "one/toys/layers.py::Closed": {}}')
    done = run(str(package(tmp_path / "one", PLAIN)), "--arguments", str(kept), "--device", "vulkan")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("verify_safe_fixes.py: error: vulkan: ")


OWNER = """\
import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.noise = torch.rand(dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.noise


class Owner(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.part = Part(dim)
        self.scale = torch.ones(dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(x * self.scale)
"""


def test_keys_that_fixes_of_parts_declare(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "owners.py").write_text(OWNER, encoding="utf-8")
    kept = tmp_path / "arguments.json"
    arguments = {name: {"init": f"{name}(3)", "inputs": "{'x': torch.ones(3)}"} for name in ("Part", "Owner")}
    kept.write_text(json.dumps({f"one/owners.py::{name}": of for name, of in arguments.items()}))
    done = run(str(tmp_path / "one"), "--arguments", str(kept), "--unsafe-fixes")
    assert "| strict load | 2 | 0 | 0 | 0 |\n" in done.stdout
    assert done.returncode == 0, done.stdout


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / "verify_safe_fixes.py"), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("fixed", "first", "broken"),
    [
        (REGISTERED.format(more=""), "pass", ("strict load", "missing scale")),
        (
            f"{REGISTERED.format(more='')}\n        self._version = 2",
            "self.scale = x.detach().flatten().repeat(2)",
            ("save after forward", "size mismatch for scale"),
        ),
        (REGISTERED.format(more=", persistent=False") + "\n        self.scale += 1", "pass", ("same outputs", "")),
        ("raise TypeError(dim)", "pass", ("build", "TypeError")),
    ],
)
def test_what_a_wrong_fix_breaks(
    fixed: str, first: str, broken: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(SCRIPTS)
    import verify_safe_fixes as script  # noqa: PLC0415  a script, found beside the package
    from regbuf_lint.verify.isolation.supervision import Limits  # noqa: PLC0415

    before = package(tmp_path / "before", PLAIN, first) / "toys" / "layers.py"
    after = package(tmp_path / "after", fixed, first) / "toys" / "layers.py"
    target = script.Target("toys", "layers.py::Scale", str(before), "Scale", init="Scale(4, 0.5, [2])")
    target.inputs = "{'x': torch.ones(2, 4), 'ids': torch.zeros(2, dtype=torch.long)}"
    changed = script.Package("toys", [target], ((str(before), str(after)),))
    with BorrowingWorker(Limits()) as worker:
        found = list(script.compared(target, changed, [str(before.parents[1])], ["meta"], worker))
    wrong = [(what, said) for what, word, said in found if word == "broken"]
    assert broken[0] in [what for what, _ in wrong]
    assert any(broken[1] in said for _, said in wrong)
