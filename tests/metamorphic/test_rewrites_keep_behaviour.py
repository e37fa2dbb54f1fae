"""Rewritten programs do what the programs did: torch builds and calls both.

So that a broken rewrite cannot pass for a fault of the linter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from behaviour import Behaviour, behaviour, same
from programs import Program, all_programs
from rewrites import REWRITES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rewrites.rewrite import Rewrite

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

SHARES = 12
PROGRAMS = all_programs()

in_shares = pytest.mark.parametrize(
    "programs",
    [
        pytest.param([one for one in PROGRAMS if crc32(one.name.encode()) % SHARES == 0], id="sample"),
        pytest.param(
            [one for one in PROGRAMS if crc32(one.name.encode()) % SHARES], id="others", marks=pytest.mark.slow
        ),
    ],
)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Program], Behaviour | None]:
    """What a program does as it is; asked for once."""
    known: dict[str, Behaviour | None] = {}
    directory = tmp_path_factory.mktemp("before")

    def ask(program: Program) -> Behaviour | None:
        if program.name not in known:
            known[program.name] = behaviour(program, program.texts, directory / program.name)
        return known[program.name]

    return ask


@in_shares
@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.name)
def test_rewritten_programs_do_the_same(
    rewrite: Rewrite, programs: Iterable[Program], before: Callable[[Program], Behaviour | None], tmp_path: Path
) -> None:
    ran = 0
    for program in programs:
        rewritten = rewrite.of(program)
        expected = before(program)
        if expected is None or rewritten.texts == program.texts:
            continue
        found = behaviour(program, rewritten.texts, tmp_path / program.name)
        assert found is not None
        assert found.is_like(expected), program.name
        ran += 1
    assert ran


PLANTED = """import torch
from torch import nn


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((3,), {scale}))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return {{"y": [x * {factor}, self.calls]}}


def make():
    {before}
    return Table()


def inputs():
    return (torch.randn(2, 3),)
"""


def planted(scale: str = "2.0", factor: str = "self.scale", before: str = "pass") -> str:
    return PLANTED.format(scale=scale, factor=factor, before=before)


@pytest.mark.parametrize(
    ("other", "is_like"),
    [
        (planted(), True),
        (planted(factor="(self.scale + 0)"), True),
        (planted(factor="3.0"), False),
        (planted(factor="self.scale * self.calls"), False),
        (planted(scale="3.0", factor="2.0"), False),
        (planted(before="raise KeyError"), False),
        (planted(factor="self.missing"), False),
        (planted().replace('"scale"', '"scales"').replace("self.scale", "self.scales"), False),
        (planted().replace(", self.calls]", "]"), False),
        (planted().replace(", self.calls]", ", str(self.calls)]"), False),
    ],
    ids=[
        "same", "other expression", "other number", "other second call", "other state", "no module", "no output",
        "other key", "shorter", "other type",
    ],
)  # fmt: skip
def test_another_behaviour_is_seen(other: str, tmp_path: Path, *, is_like: bool) -> None:
    program = PROGRAMS[0]
    (path,) = program.texts
    one = behaviour(program, {path: planted()}, tmp_path / "one")
    two = behaviour(program, {path: other}, tmp_path / "two")
    assert one is not None
    assert two is not None
    assert one.is_like(two) is is_like


def test_what_has_nothing_to_build_has_no_behaviour(tmp_path: Path) -> None:
    (path,) = PROGRAMS[0].texts
    assert behaviour(PROGRAMS[0], {path: "import torch\n"}, tmp_path / "empty") is None
    assert behaviour(PROGRAMS[0], {path: "import no_such_library\n"}, tmp_path / "missing") is None


def test_numbers_and_strings_are_told_apart() -> None:
    assert same({"a": (1.0, "b", None)}, {"a": (1.0, "b", None)})
    assert not same({"a": 1.0}, {"a": 2.0})
    assert not same({"a": 1.0}, {"b": 1.0})
    assert not same("a", "b")
    assert not same(None, 1)
