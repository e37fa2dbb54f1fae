"""Every exemption has a fixture named after it, which is reported as soon as the exemption is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixture_cases import Case, all_cases
from regbuf_lint.engine.run import check_source
from regbuf_lint.exemptions import registry

if TYPE_CHECKING:
    from regbuf_lint.exemptions.exemption import Exemption

FILES = {"RBF001", "RBF002"}
"""Directories of the rules that report what no exemption speaks for."""

each_exemption = pytest.mark.parametrize("exemption", [pytest.param(one, id=one.name) for one in registry.EXEMPTIONS])


def cases_of(exemption: Exemption) -> list[Case]:
    name = f"quiet_{exemption.name.replace('-', '_')}.py"
    return [case for case in all_cases() if case.code in FILES and case.path.name == name]


def codes(case: Case) -> list[str]:
    result = check_source(case.source(), case.place, case.settings)
    assert result.errors == ()
    return [finding.code for finding in result.findings]


@each_exemption
def test_its_fixture_is_reported_without_it(exemption: Exemption, monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = cases_of(exemption)
    assert codes(case) == []
    others = tuple(one for one in registry.EXEMPTIONS if one is not exemption)
    monkeypatch.setattr(registry, "EXEMPTIONS", others)
    assert codes(case) != []


def test_names_are_unique() -> None:
    names = [one.name for one in registry.EXEMPTIONS]
    assert names
    assert len(names) == len(set(names))


@each_exemption
def test_its_reason_is_one_line_for_users(exemption: Exemption) -> None:
    assert exemption.reason.strip()
    assert len(exemption.reason.splitlines()) == 1
    assert not exemption.reason.endswith(".")
