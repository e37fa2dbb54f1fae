"""A file in ``rules/`` is a rule, and nothing else."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

import regbuf_lint.rules
from regbuf_lint.rules import RULES

FOLDER = Path(regbuf_lint.rules.__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def test_each_file_is_one_rule_of_its_name() -> None:
    assert sorted(rule.meta.name.replace("-", "_") for rule in RULES) == FILES


def test_rules_stand_in_the_order_of_their_codes_once() -> None:
    codes = [rule.meta.code for rule in RULES]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("name", FILES)
def test_a_rule_has_no_more_public_functions_than_its_check_or_what_the_engine_asks(name: str) -> None:
    module = import_module(f"regbuf_lint.rules.{name}")
    own = {
        key for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__
    }
    public = {key for key in own if not key.startswith("_")}
    assert public in ({"check"}, {"syntax_error"}, {"unused_suppressions"})


def test_a_new_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FOLDER / "register_before_init.py").read_text(encoding="utf-8")
    text = text.replace('"RBF103"', '"RBF000"').replace('"register-before-init"', '"a-new-rule"')
    (tmp_path / "a_new_rule.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(regbuf_lint.rules, "__path__", [*regbuf_lint.rules.__path__, str(tmp_path)])
    invalidate_caches()
    found = regbuf_lint.rules._found()  # noqa: SLF001
    sys.modules.pop("regbuf_lint.rules.a_new_rule")
    assert [rule.meta.name for rule in found] == ["a-new-rule", *(rule.meta.name for rule in RULES)]
