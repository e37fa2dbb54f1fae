"""The plugin class by itself; flake8 need not be installed."""

from __future__ import annotations

import ast
from argparse import Namespace
from typing import TYPE_CHECKING

import pytest
from flake8_command import ATTENTION

from regbuf_lint.flake8_plugin import Plugin
from regbuf_lint.flake8_plugin.options import opted_in

if TYPE_CHECKING:
    from pathlib import Path


NAMES = {f"RBF{number}": f"rule-{number}" for number in ("001", "004", "201", "204")}


@pytest.mark.parametrize(
    ("select", "extend", "expected"),
    [
        (None, None, ()),
        (["E", "RBF"], None, ()),
        (["RBF2"], None, ("RBF2",)),
        (None, ["RBF204"], ("RBF204",)),
        (["RBF001", "RBF0"], ["RBF2"], ("RBF001", "RBF0", "RBF2")),
        (["RBF20"], ["E", "E501", "RBF3"], ("RBF20",)),
    ],
)
def test_a_rule_is_asked_for_by_its_code_or_a_prefix_with_a_digit(
    select: list[str] | None, extend: list[str] | None, expected: tuple[str, ...]
) -> None:
    assert opted_in(Namespace(select=select, extend_select=extend), lambda: NAMES) == expected


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Namespace:
    monkeypatch.chdir(tmp_path)
    for name in ("_lookup", "_remembered", "_failure", "_disable_noqa"):
        monkeypatch.setattr(Plugin, name, getattr(Plugin, name))
    names = ("select", "extend_select", "rbf_module_classes", "rbf_tensor_functions", "rbf_ignore_attributes")
    return Namespace(**dict.fromkeys(names), disable_noqa=False)


def check(text: str) -> list[tuple[int, int, str, type[Plugin]]]:
    return list(Plugin(ast.parse(text), "attention.py", text.splitlines(keepends=True)).run())


def test_yields_rows_from_one_and_columns_from_zero(options: Namespace) -> None:
    Plugin.parse_options(options)
    ((row, column, text, origin),) = check(ATTENTION)
    assert (row, column, origin) == (8, 8, Plugin)
    assert text.startswith("RBF001 ")
    assert "\n" not in text


def test_a_crash_of_the_engine_is_one_finding(options: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        msg = "two\nlines"
        raise RecursionError(msg)

    Plugin.parse_options(options)
    monkeypatch.setattr("regbuf_lint.engine.session.Session.check", crash)
    assert check(ATTENTION) == [(1, 0, "RBF999 not checked: internal error: RecursionError: two lines", Plugin)]


def test_the_table_of_attributes_is_read(options: Namespace, tmp_path: Path) -> None:
    table = "[tool.regbuf-lint.per-attribute-persistent]\n"
    (tmp_path / "pyproject.toml").write_text(f'{table}"Attention.mask" = "never"\n', encoding="utf-8")
    Plugin.parse_options(options)
    assert [text[:6] for _, _, text, _ in check(ATTENTION)] == ["RBF001"]
    (tmp_path / "pyproject.toml").write_text(f'{table}"Attention.mask" = "nevr"\n', encoding="utf-8")
    Plugin.parse_options(options)
    ((_, _, text, _),) = check(ATTENTION)
    assert text.startswith("RBF999 not checked: configuration error: pyproject.toml: `per-attribute-persistent`: ")
    assert text.endswith("not `nevr`; did you mean `never`?")


def test_without_options_nothing_is_raised(options: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    Plugin.parse_options(options)
    monkeypatch.setattr(Plugin, "_lookup", None)
    assert [text for _, _, text, _ in check(ATTENTION)] == ["RBF999 not checked: flake8 passed no options"]


def test_empty_file(options: Namespace) -> None:
    Plugin.parse_options(options)
    assert check("") == []
