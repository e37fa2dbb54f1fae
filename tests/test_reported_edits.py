"""The edits of the JSON output are all that fixes do: making them by hand gives the file that ``--fix`` writes."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fixture_cases import Case, all_cases, session_with
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.result import RunResult
from regbuf_lint.report.registry import render
from regbuf_lint.source.text import decode_source

if TYPE_CHECKING:
    from types import ModuleType

CASES = [pytest.param(case, id=case.name) for case in all_cases() if case.fixed_path.exists()]


@pytest.fixture(scope="module")
def by_hand() -> ModuleType:
    spec = spec_from_file_location("reported_edits", Path(__file__).parents[1] / "scripts" / "reported_edits.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("case", CASES)
def test_the_edits_of_the_output_make_what_fixing_makes(case: Case, by_hand: ModuleType) -> None:
    def check(files: dict[str, bytes]) -> list[dict[str, Any]]:
        (data,) = files.values()
        result = check_source(decode_source(data, name), case.place, case.settings, session=session)
        found = json.loads(render(RunResult((result,)), "json"))
        return [{**finding, "filename": name} for finding in found]

    name, session = str(case.path), session_with(case.settings)
    source = case.source()
    fixed = check_source(source, case.place, case.settings, fix=FixMode.UNSAFE, session=session).fixed
    assert fixed is not None
    edited = by_hand.after_all_rounds({name: source.data}, check, {"safe", "unsafe"})
    assert edited == {name: source.with_text(fixed.after).data}


def test_an_edit_that_was_not_reported_shows(by_hand: ModuleType) -> None:
    """Guard against a check that compares a text with itself."""
    location = {"row": 2, "column": 1}
    edit = {"content": "b", "location": location, "end_location": {"row": 2, "column": 2}}
    finding = {"filename": "x", "fix": {"applicability": "safe", "edits": [edit]}}
    assert by_hand.after_one_round(b"x\r\na\r\n", [finding], {"safe"}) == b"x\r\nb\r\n"
    assert by_hand.after_one_round(b"x\r\na\r\n", [finding], {"unsafe"}) == b"x\r\na\r\n"
