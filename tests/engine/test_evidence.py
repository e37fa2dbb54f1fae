"""Evidence of findings on its way from a rule to a report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from regbuf_lint.engine import session
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.many_files import check_files
from regbuf_lint.model.file_settings import FileSettings
from regbuf_lint.model.finding import Evidence, Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.settings import Settings
from regbuf_lint.model.span import Position, Span
from regbuf_lint.report.registry import render
from regbuf_lint.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from regbuf_lint.class_context.context import ClassContext

    Report = Callable[[Path], list[dict[str, Any]]]

NET = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.x = torch.ones(3)
"""
META = RuleMeta("RBF001", "stand-in", "A rule.", Severity.WARNING, on_by_default=True, fixable=FixAvailability.NEVER)


def row(number: int) -> Span:
    return Span(Position(number, 1), Position(number, 2))


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Return what is reported of a file by a rule that finds one thing, with evidence here and elsewhere."""
    monkeypatch.chdir(tmp_path)

    def check(_: ClassContext) -> Iterator[Finding]:
        evidence = (
            Evidence("`forward` (line 6) adds it", row(6)),
            Evidence("`Base.forward` moves it", row(3), path=str(tmp_path / "lib" / "base.py")),
            Evidence("`far` keeps it", row(4), path=str(tmp_path.parent / "far.py")),
        )
        yield Finding(META, "wrong", row(6), row(6), evidence=evidence)

    rule = Rule(META, RuleDocs("", "", "", "", FixSafety(), "", ()), check)
    monkeypatch.setattr(session, "RULES", (rule,))

    def run(path: Path) -> list[dict[str, Any]]:
        result = check_files([path], FileSettings.one(Settings(root=tmp_path)), jobs=1, fix=FixMode.NONE)
        assert result.all_errors == ()
        (record,) = json.loads(render(result, "json"))
        found: list[dict[str, Any]] = record["evidence"]
        return found

    return run


def test_files_are_named_as_findings_name_theirs(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "lib" / "net.py"
    path.parent.mkdir()
    path.write_text(NET, encoding="utf-8")
    assert [one["filename"] for one in report(path)] == [
        "lib/net.py",
        "lib/base.py",
        (tmp_path.parent / "far.py").as_posix(),
    ]


def test_places_in_a_notebook_tell_their_cell(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "net.ipynb"
    cells = [{"cell_type": "markdown", "source": "Net"}, {"cell_type": "code", "source": NET}]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    own, elsewhere, _ = report(path)
    assert own["location"] == {"row": 6, "column": 1, "cell": 2}
    assert elsewhere == {
        "message": "`Base.forward` moves it",
        "filename": "lib/base.py",
        "location": {"row": 3, "column": 1},
    }
