"""Meaning, not spelling: rewrites that change no behaviour change no finding."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from comparison import Comparison, Difference
from programs import Program, all_programs
from rewrites import REWRITES
from rewrites.rewrite import Rewrite, Rewritten
from rewrites.together import together

from fixture_cases import Case

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = all_programs()
SHARES = 4
"""While working one of them is compared, by the whole suite all."""
SAMPLES = 12
LEAST_REWRITTEN = 5
"""Of each share, so that a rewrite that does nothing is no success."""

LEFT = {
    # Of a tensor and what may be a number, each in a branch, it is known which one stays behind.
    "choices_as_branches": {"RBF001/number_by_default"},
}
"""Programs by the rewrites that change their findings, each with the reason."""

in_shares = pytest.mark.parametrize(
    "share", [pytest.param(share, marks=[pytest.mark.slow] if share else []) for share in range(SHARES)]
)


def programs_of(share: int) -> list[Program]:
    """A part of the programs, the same whatever other fixtures there are."""
    return [program for program in PROGRAMS if crc32(program.name.encode()) % SHARES == share]


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    return Comparison(tmp_path_factory.mktemp("rewritten"))


@in_shares
def test_before_rewrites_programs_have_the_findings_that_their_fixtures_state(
    share: int, comparison: Comparison
) -> None:
    for program in programs_of(share):
        stated = Counter(one.code for case in program.cases.values() for one in case.expected())
        assert Counter(one.code for one in comparison.before(program).elements()) == stated, program.name


@in_shares
@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.name)
def test_rewrites_change_no_finding(rewrite: Rewrite, share: int, comparison: Comparison) -> None:
    programs = programs_of(share)
    result = comparison.compared(rewrite, programs)
    left = LEFT.get(rewrite.name, set()).intersection(program.name for program in programs)
    assert result.rewritten >= LEAST_REWRITTEN
    assert result.differences.keys() == left


def test_rewrites_together_change_no_finding(comparison: Comparison) -> None:
    """All programs take minutes: ``scripts/metamorphic_report.py --rewrite together``."""
    sample = [one for one in PROGRAMS if crc32(one.name.encode()) % SAMPLES == 0]
    result = comparison.compared(together(REWRITES), sample)
    assert result.rewritten >= LEAST_REWRITTEN
    assert result.differences == {}


# The comparison itself


PLANTED = """import torch
from torch import nn


class {name}(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.{attribute} = torch.ones(n)

    def forward(self, x):
        return x * self.{attribute}
"""


FOUND = "RBF001 Table.scale"


@pytest.mark.parametrize(
    ("text", "class_names", "expected"),
    [
        (PLANTED.format(name="Table", attribute="scale"), {}, None),
        (PLANTED.format(name="TableBase", attribute="scale"), {"TableBase": "Table"}, None),
        (PLANTED.format(name="Other", attribute="scale"), {}, Difference((FOUND,), ("RBF001 Other.scale",))),
        (PLANTED.format(name="Table", attribute="shift"), {}, Difference((FOUND,), ("RBF001 Table.shift",))),
        ("import torch\n", {}, Difference((FOUND,), ())),
        (
            PLANTED.format(name="Table", attribute="scale") + PLANTED.format(name="TableBase", attribute="scale"),
            {"TableBase": "Table"},
            Difference((), (FOUND,)),
        ),
    ],
    ids=["same", "class renamed", "other class", "other attribute", "lost", "twice"],
)
def test_a_planted_difference_is_seen(
    text: str, class_names: dict[str, str], expected: Difference | None, comparison: Comparison, tmp_path: Path
) -> None:
    path = tmp_path / "one.py"
    path.write_text(PLANTED.format(name="Table", attribute="scale") + "\n", encoding="utf-8")
    program = Program("planted/one", {"one.py": Case(path)}, {})
    found = comparison.compared(
        Rewrite("planted", "", lambda _: Rewritten({"one.py": text}, class_names)), [program]
    ).differences
    assert found == ({} if expected is None else {"planted/one": expected})
