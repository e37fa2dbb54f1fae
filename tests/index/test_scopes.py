"""Which names a file and its functions bind; functions bind those of the file, too, where they say ``global``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from index_examples import project_of

from regbuf_lint.index.scopes import OpaqueBinding

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("def turn_on():\n    global DEBUG\n    DEBUG = True", True),
        ("def turn_on():\r    global DEBUG\r    DEBUG = True", True),
        ("def turn_on():\n\tglobal\tLEVEL, DEBUG\n\tDEBUG = True", True),
        ("def turn_on():\n    global \\\n        DEBUG\n    DEBUG = True", True),
        ("def turn_on(): global DEBUG; DEBUG = True", True),
        ("def turn_on():\n    'On.' ;global DEBUG\n    DEBUG = True", True),
        ("class Switch:\n    def turn_on(self):\n        global DEBUG\n        DEBUG = True", True),
        ("def turn_on():\n    # the global DEBUG\n    DEBUG = True", False),
        ("def turn_on():\n    global LEVEL\n    LEVEL = DEBUG", False),
        ("def turn_on():\n    global_DEBUG = True", False),
    ],
)
def test_functions_bind_global_names(tmp_path: Path, function: str, expected: bool) -> None:  # noqa: FBT001
    _, file = project_of(tmp_path, f"DEBUG = False\n{function}\n", {})
    assert any(isinstance(one, OpaqueBinding) for one in file.scope.bindings.of("DEBUG")) is expected


@pytest.mark.parametrize(
    ("statement", "bound"),
    [
        ("counts += 1", {"counts"}),
        ("counts[torch.argmin(sizes)] += 1", set()),
        ("table.rows[0] += 1", set()),
        ("for self.step in steps: pass", set()),
        ("for table[key], value in steps: pass", {"value"}),
        ("with opened() as table[key]: pass", set()),
    ],
)
def test_a_target_binds_the_names_that_it_does_not_read(tmp_path: Path, statement: str, bound: set[str]) -> None:
    _, file = project_of(tmp_path, f"{statement}\n", {})
    assert file.scope.bindings.names == bound
