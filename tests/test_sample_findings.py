from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "scripts" / "sample_findings.py"


def finding(row: int, *, code: str = "RBF001", path: str = "src/pkg/a.py") -> dict[str, object]:
    file_error = code == "RBF900"
    return {
        "code": code,
        "filename": path,
        "location": {"row": row, "column": 9},
        "class": None if file_error else "Outer.Inner",
        "attribute": None if file_error else "mask",
    }


def sample(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_same_whatever_the_order_of_reports_and_findings(tmp_path: Path) -> None:
    one, two, both = tmp_path / "one.json", tmp_path / "two.json", tmp_path / "both.json"
    findings = [finding(row) for row in range(1, 41)]
    one.write_text(json.dumps(findings[:20]))
    two.write_text(json.dumps(findings[20:]))
    both.write_text(json.dumps(findings[::-1]))
    drawn = sample("--seed", "1", "--size", "10", str(one), str(two))
    assert len(drawn) == len(set(drawn)) == 10
    assert drawn == sample("--seed", "1", "--size", "10", str(two), str(one))
    assert drawn == sample("--seed", "1", "--size", "10", str(both))
    assert drawn != sample("--seed", "2", "--size", "10", str(both))


def test_lines_codes_and_stripped_paths(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps([finding(12), finding(3, code="RBF002"), finding(2, code="RBF900")]))
    assert sample("--strip", "1", str(report)) == [
        "- pkg/a.py:2 RBF900",
        "- pkg/a.py:3 RBF002 Outer.Inner.mask",
        "- pkg/a.py:12 RBF001 Outer.Inner.mask",
    ]
    assert sample("--codes", "RBF002, RBF9", str(report)) == [
        "- src/pkg/a.py:2 RBF900",
        "- src/pkg/a.py:3 RBF002 Outer.Inner.mask",
    ]
