"""Whatever a file holds, checking it ends with findings or one error, and soon."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from random_classes import STATEMENTS

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.infer.frame import MOST_COST
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from regbuf_lint.model.result import FileResult

HEAD = """\
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, n, x):
        super().__init__()
"""
PATH = Path(Path.cwd().anchor, "nowhere", "model.py")
SETTINGS = Settings(root=Path("nowhere"))


def checked(text: str, mode: FixMode = FixMode.NONE) -> FileResult:
    """Check a text, which must end without an error."""
    result = check_source(SourceText.from_text(text, str(PATH)), PATH, SETTINGS, fix=mode)
    assert result.errors == ()
    return result


def codes(text: str) -> list[str]:
    return [finding.code for finding in checked(text).findings]


def in_init(*statements: str, used: tuple[str, ...] = ("a", "b")) -> str:
    """A class that makes these in its `__init__` and whose `forward` computes with its attributes."""
    forward = f"\n    def forward(self, x):\n        return x{''.join(f' * self.{name}' for name in used)}\n\n"
    return HEAD + "".join(f"        {statement}\n" for statement in statements) + forward


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 150 + "torch.ones(n)" + ")" * 150,
        "+".join(["torch.ones(n)"] * 400),
        "torch.ones(n)" + ".abs()" * 400,
        "-" * 150 + "torch.ones(n)",
        "torch.relu(" * 60 + "torch.ones(n)" + ")" * 60,
        " if n else ".join(["torch.ones(n)"] * 80),
        "(lambda: " * 8 + "torch.ones(n)" + ")()" * 8,
    ],
    ids=["parentheses", "sum", "methods", "signs", "calls", "choices", "lambdas"],
)
def test_deeply_nested_expressions(expression: str) -> None:
    """They are followed as any others, and so is the rest of their class."""
    found = checked(in_init(f"self.a = {expression}", "self.b = torch.ones(n)"), FixMode.UNSAFE)
    assert found.fixed is not None
    assert len(found.fixed.applied) == 2


@pytest.mark.parametrize("depth", [20, 90])
def test_deeply_nested_blocks(depth: int) -> None:
    rows = [f"{'    ' * level}if x:" for level in range(depth)]
    codes(in_init(*rows, f"{'    ' * depth}self.a = torch.ones(n)"))


def test_what_nests_deeper_than_python_parses_is_one_finding() -> None:
    assert codes(in_init(f"self.a = {'(' * 5000}{')' * 5000}")) == ["RBF900"]


def test_a_long_file() -> None:
    methods = "".join(f"    def f{i}(self, x):\n        return x * self.a{i} + {i}\n\n" for i in range(1600))
    text = in_init(*(f"self.a{i} = torch.ones({i + 1})" for i in range(200))) + methods
    assert text.count("\n") > 5000
    assert codes(text) == ["RBF001"] * 200


def test_many_classes() -> None:
    classes = "".join(f"\nclass Model{i}(Model):\n    pass\n" for i in range(1000))
    assert codes(in_init("self.a = torch.ones(n)", used=("a",)) + classes) == ["RBF001"]


def many_steps() -> str:
    """Statements of a method that are more than half of what the methods of a class may take."""
    return "".join(f"        x = f({', '.join(['x'] * 60)})\n" for _ in range(MOST_COST // 100))


def test_a_class_that_is_too_large_to_follow_is_passed_over() -> None:
    steps = [f"self.a{i} = x.f({', '.join(['n'] * 60)})" for i in range(MOST_COST // 60)]
    text = in_init(*steps, "self.b = torch.ones(n)")
    other = in_init("self.a = torch.ones(n)", used=("a",)).partition("class")[2].replace("Model", "Other")
    result = checked(f"{text}\nclass{other}")
    assert [finding.class_name for finding in result.findings] == ["Other"]
    assert result.unfollowed == ("Model",)


def test_a_class_whose_methods_are_too_large_to_follow_is_named() -> None:
    steps = many_steps()
    text = in_init("self.a = torch.ones(n)", used=("a",))
    assert checked(f"{text}    def g(self, x):\n        y = self.a\n{steps}").unfollowed == ()
    assert checked(f"{text}    def g(self, x):\n        y = self.a\n{steps * 2}").unfollowed == ("Model",)


def test_what_no_text_reads_is_inert_in_a_class_that_is_too_large() -> None:
    text = in_init("self.a = torch.ones(n)", "self.b = torch.ones(n)", used=("a",))
    found = checked(f"{text}    def g(self, x):\n        y = self.a\n{many_steps() * 2}")
    assert found.unfollowed == ("Model",)
    assert [one.attribute for one in found.findings] == ["a"]


def test_calls_that_never_end() -> None:
    calls = ["self.a = f(n)", "self.b = self.g(n)", "self.c = Model(n, x)", "self.d = torch.ones(n)"]
    methods = "    def g(self, n):\n        return self.h(n + 1)\n\n    def h(self, n):\n        return self.g(n)\n"
    around = "\ndef f(n):\n    return f(f(n - 1)) if n else f(n)\n"
    assert codes(in_init(*calls, used=("a", "b", "d")) + methods + around) == ["RBF001"]


def test_functions_that_call_the_next_twice() -> None:
    functions = "".join(f"\ndef f{i}(n):\n    return f{i + 1}(n) + f{i + 1}(n + 1)\n" for i in range(40))
    codes(in_init("self.a = f0(n)", "self.b = torch.ones(n)") + functions + "\ndef f40(n):\n    return torch.ones(n)\n")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(first=STATEMENTS, second=STATEMENTS)
def test_any_small_class_is_checked_and_fixed(first: list[str], second: list[str]) -> None:
    bodies = [textwrap.indent("\n".join(body), " " * 8) for body in (first, second)]
    text = f"{HEAD}{bodies[0]}\n\n    def f(self, x):\n{bodies[1]}\n"
    fixed = checked(text, FixMode.UNSAFE).fixed
    if fixed is not None:
        assert fixed.dropped == ()
        ast.parse(fixed.after)
        assert checked(fixed.after, FixMode.UNSAFE).fixed is None


@pytest.mark.parametrize("line", ["s = s + s", "s = f'{s}{s}'", "s = s.replace('x', 'xx')"])
def test_strings_that_double_again_and_again(line: str) -> None:
    body = ["s = 'x'", *[line] * 40, "setattr(self, s, torch.ones(n))", "self.y = torch.ones(n)"]
    text = HEAD + textwrap.indent("\n".join(body), " " * 8) + "\n    def forward(self, x):\n        return x + self.y\n"
    assert [one.attribute for one in checked(text).findings if one.attribute] == ["y"]


def test_names_that_are_bound_to_attributes_of_each_other() -> None:
    """Each way through the assignments was looked up by itself, and there were too many to come to an end."""
    steps = ["y = y[:, -w.shape[1]:]", "y = y[:, -w.size(1):]", "y = y.to(w.device)", "w = w[:, -y.size(1):]"]
    method = (
        f"    def apart(self, *inputs):\n        y = self.given\n{textwrap.indent(chr(10).join(steps * 3), ' ' * 8)}\n"
    )
    text = in_init("self.given = x", "self.seen = torch.ones(n)", used=("seen",))
    assert codes(text + method) == codes(text) == ["RBF001"]


def test_a_large_table_of_numbers_is_read() -> None:
    row = ", ".join(["+1", "-1", "0.5"] * 100)
    rows = ",\n".join([f"[{row}]"] * (MOST_COST // 300 + 1))
    assert codes(f"{in_init('self.a = torch.tensor(TABLE)', 'self.b = torch.ones(n)')}\n\nTABLE = [{rows}]\n") == [
        "RBF001",
        "RBF001",
    ]
