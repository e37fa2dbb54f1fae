"""Whether a file uses a class for more than to derive from it and to ask whether an object is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from index_examples import project_of

from regbuf_lint.index.calls import calls_of, is_used_as_value

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cell = Cell(3)", True),
        ("cells = {'cell': Cell}", True),
        ("def build(kind=Cell): ...", True),
        ("cell = cells.Cell(3)", True),
        ("@keep(Cell)\ndef build(): ...", True),
        ("@keep(Cell)\nclass Other: ...", True),
        ("class LongCell(Cell): ...", False),
        ("def run(cell: Cell) -> Cell: ...", False),
        ("cell: Cell = None", False),
        ("assert isinstance(cell, Cell)", False),
        ("assert issubclass(kind, Cell)", False),
        ("super(Cell, self)", False),
        ("Cell.__init__(self)", False),
        ("if TYPE_CHECKING:\n    kept = [Cell]", False),
        ("text = 'Cell'", False),
    ],
)
def test_is_used_as_value(tmp_path: Path, line: str, expected: bool) -> None:  # noqa: FBT001
    _, file = project_of(tmp_path, f"from typing import TYPE_CHECKING\n{line}\n", {})
    assert is_used_as_value(file, "Cell") is expected


def test_calls_with_the_scopes_around_them(tmp_path: Path) -> None:
    text = """\
    @keep(Cell(1))
    def build():
        return [Cell(2) for _ in range(3)]

    class Net:
        def __init__(self):
            self.cell = cells.Cell(3)
    """
    _, file = project_of(tmp_path, text, {})
    found = {(call.lineno, scope.qualname) for scope, call in calls_of(file, "Cell")}
    assert {row for row, _ in found} == {1, 3, 7}
    assert (7, "Net.__init__") in found
