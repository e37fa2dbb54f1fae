"""The script for machines with a GPU, rehearsed without one and without any library but torch."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mutants import PLAIN, Version
from test_verify_cli import HAS_NO_CUDA, OTHERS, without

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "verify_on_gpu.py"
pytestmark = pytest.mark.torch


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    pytest.importorskip("torch")
    directory = tmp_path / "fixtures" / "RBF001"
    directory.mkdir(parents=True)
    (directory / "case.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (directory / "case.fixed.py").write_text(Version().text(), encoding="utf-8")
    return without(OTHERS, tmp_path) | {"OUT": str(tmp_path / "out")}


def run(environment: dict[str, str], directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--fixtures", str(directory / "fixtures"), *options]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=directory)


def test_it_leaves_its_results_and_writes_the_page(bare: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results: begin -->\nold\n<!-- results: end -->\nafter\n", encoding="utf-8")
    done = run(bare, tmp_path, "--device", "meta", "--page", str(page))
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "out" / "verification.json").read_text(encoding="utf-8"))
    assert data["verified"]
    assert data["devices"].keys() == {"meta"}
    results = (tmp_path / "out" / "verification.md").read_text(encoding="utf-8")
    table = (tmp_path / "out" / "verification.csv").read_text(encoding="utf-8")
    header, (*numbers, original, seconds, memory) = csv.reader(table.splitlines())
    assert header == ["case", "passed", "failed", "not run", "the original", "seconds", "MiB"]
    assert numbers == ["RBF001/case", "29", "0", "0"]
    assert original.startswith("cpu: fails ")
    assert float(seconds) > 0
    assert int(memory) > 0 or sys.platform != "linux"
    assert page.with_suffix(".csv").read_text(encoding="utf-8") == table
    assert results in page.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").startswith("before\n")
    assert page.read_text(encoding="utf-8").endswith("after\n")
    assert "old" not in page.read_text(encoding="utf-8")


@pytest.mark.skipif(not HAS_NO_CUDA, reason="there may be CUDA")
def test_without_cuda_it_claims_nothing(bare: dict[str, str], tmp_path: Path) -> None:
    done = run(bare, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "CUDA is required" in done.stderr
    assert not (tmp_path / "out").exists()
