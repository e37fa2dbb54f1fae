"""What each rewrite makes of a text, and what it leaves alone since it would do something else then."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from programs import Program
from rewrite_examples import CHANGED, LEFT_ALONE
from rewrites import REWRITES

from fixture_cases import Case

if TYPE_CHECKING:
    from pathlib import Path

BY_NAME = {rewrite.name: rewrite for rewrite in REWRITES}


def program(text: str, directory: Path) -> Program:
    path = directory / "one.py"
    path.write_text(text, encoding="utf-8")
    return Program("one", {path.name: Case(path)}, {})


@pytest.mark.parametrize(("name", "before", "after"), [(name, *pair) for name in CHANGED for pair in CHANGED[name]])
def test_a_text_after_a_rewrite(name: str, before: str, after: str, tmp_path: Path) -> None:
    (found,) = BY_NAME[name].apply(program(dedent(before).lstrip("\n"), tmp_path)).texts.values()
    assert found == dedent(after).removeprefix("\n")


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in LEFT_ALONE for text in LEFT_ALONE[name]])
def test_what_would_do_something_else_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    (found,) = BY_NAME[name].apply(program(text, tmp_path)).texts.values()
    assert found == text


def test_every_rewrite_has_examples() -> None:
    assert CHANGED.keys() == LEFT_ALONE.keys() == BY_NAME.keys()


def test_new_classes_count_as_the_one_that_they_were_taken_from(tmp_path: Path) -> None:
    text = "class C:\n    def __init__(self): ...\n    def f(self): ...\n"
    for name in ("base_with_constructor", "base_with_methods"):
        assert BY_NAME[name].apply(program(text, tmp_path)).class_names == {"CBase": "C"}
