"""The script writes the tables that are checked in."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from tables_at_hand import API, needs_that_torch

SCRIPT = Path(__file__).parents[2] / "scripts" / "generate_torch_table.py"


@pytest.mark.slow
@needs_that_torch
def test_the_tables_are_what_the_script_writes() -> None:
    result = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
@needs_that_torch
def test_hand_written_entries_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    knowledge, tables = importlib.import_module("torch_table.knowledge"), importlib.import_module("torch_table.tables")
    by_hand = {"functions": dict(knowledge.HAND_FUNCTIONS), "methods": dict(knowledge.HAND_METHODS)}
    for entries in (knowledge.HAND_FUNCTIONS, knowledge.HAND_METHODS):
        for name in tuple(entries):
            monkeypatch.delitem(entries, name)
    table = tables.api_table(tables.Sources(tables.torch_root()), API["torch"])
    for section, entries in by_hand.items():
        assert [name for name, spec in entries.items() if table[section].get(name) == spec] == []
