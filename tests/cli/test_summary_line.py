"""One line says what was found and looked at; somebody at a terminal is told how long it took, once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import shown_on

from regbuf_lint.cache.replay import RECORDS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="opens a terminal")
MODULE = """\
import torch
from torch import nn


class Block(nn.Module):
    pass


class M(nn.Module):
    def __init__(self, scale: torch.Tensor):
        super().__init__()
        self.m = torch.ones(3)
        self.scale = scale

    def forward(self, x):
        return (x + self.m) * self.scale
"""
LOOKED_AT = r"3 files with 2 nn\.Module classes"
WHERE = rf"{LOOKED_AT} \(\d+\.\d\d s\)"
COUNTS = r"Found 2 findings \(1 fixable with --fix, 1 more with --unsafe-fixes\)"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(MODULE, encoding="utf-8")
    Path("b.py").write_text("class Plain:\n    pass\n", encoding="utf-8")
    Path("c.py").write_text("x = 1\n", encoding="utf-8")


def printed(*argv: str, terminal: tuple[str, ...]) -> tuple[str, str]:
    """What a run prints to standard output and standard error, of which some are terminals."""
    import pty  # noqa: PLC0415  not everywhere

    leader, follower = pty.openpty()
    streams = {name: follower if name in terminal else subprocess.PIPE for name in ("stdout", "stderr")}
    command = [sys.executable, "-m", "regbuf_lint", "--color=never", *argv]
    process = subprocess.Popen(command, **streams)  # type: ignore[call-overload]
    out, err = process.communicate(timeout=60)
    os.close(follower)
    shown = re.sub(r"\r\033\[K(\[#*-*\] \d+ of \d+ files)?", "", shown_on(leader).replace("\r\n", "\n"))
    return shown if out is None else out.decode(), shown if err is None else err.decode()


def test_a_terminal_has_one_line_with_all_of_it() -> None:
    out, err = printed("--output-format=concise", ".", terminal=("stdout",))
    assert re.fullmatch(rf"{COUNTS} in {WHERE}\.", out.splitlines()[-1])
    assert err == ""


def test_a_report_that_is_kept_has_no_time() -> None:
    out, err = printed("--output-format=concise", ".", terminal=("stderr",))
    assert re.fullmatch(rf"{COUNTS} in {LOOKED_AT}\.", out.splitlines()[-1])
    assert err == ""


def test_beside_a_report_for_programs_standard_error_has_the_line() -> None:
    out, err = printed("--output-format=json", ".", terminal=("stderr",))
    assert len(json.loads(out)) == 2
    assert re.fullmatch(rf"{COUNTS} in {WHERE}\.\n", err)
    out, err = printed("--output-format=json", ".", terminal=())
    assert err == ""


def test_beside_a_report_in_a_file(tmp_path: Path) -> None:
    out, err = printed("--output-format=concise:report,sarif:log", ".", terminal=("stdout", "stderr"))
    assert out == err
    assert re.fullmatch(rf"{COUNTS} in {WHERE}\.\n", err)
    assert re.fullmatch(rf"{COUNTS} in {LOOKED_AT}\.", (tmp_path / "report").read_text().splitlines()[-1])


def test_quiet_says_nothing_and_verbose_says_it_anywhere() -> None:
    for options in (["-q", "--output-format=json"], ["-q", "--output-format=concise"]):
        out, err = printed(*options, ".", terminal=("stderr",))
        assert (err, "Found" in out) == ("", False)
    _, err = printed("-v", ".", terminal=())
    assert re.search(rf"^regbuf-lint: note: checked {WHERE}$", err, re.MULTILINE)


def test_nothing_found_and_fixed() -> None:
    out, _ = printed("--fix", "--unsafe-fixes", ".", terminal=("stdout",))
    assert re.fullmatch(rf"Found 2 findings \(2 fixed, 0 remaining\) in {WHERE}\.", out.splitlines()[-1])
    out, _ = printed(".", "gone.py", terminal=("stdout",))
    assert re.fullmatch(rf"No findings in {WHERE}, but 1 path could not be checked\.", out.splitlines()[-1])


def test_results_that_were_remembered_count_their_classes() -> None:
    for _ in range(2):
        os.utime("a.py", (1, 1))
        out, _ = printed("--cache-dir=kept", ".", terminal=("stdout",))
        assert re.search(rf" in {WHERE}\.", out)


def test_what_is_printed_again_tells_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    for _ in range(20):  # until nothing was written just now
        shown, _ = printed("--isolated", ".", terminal=("stdout", "stderr"))
        if list(Path(".regbuf_cache").glob(RECORDS)):
            break
    assert re.search(rf"^{COUNTS} in {WHERE}\.$", shown, re.MULTILINE)
    again, _ = printed("--isolated", ".", terminal=("stdout", "stderr"))
    assert again == re.sub(r" \(\d+\.\d\d s\)", "", shown)
