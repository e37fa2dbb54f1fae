"""Classes and functions of a file are parsed when they are asked for, and are then what parsing it all gives."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.index import statements
from regbuf_lint.index.parsing import ParseError, parse
from regbuf_lint.index.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parents[2]
FILES = sorted(path for folder in ("src", "tests") for path in (HERE / folder).rglob("*.py"))
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
TEXT = '''"""Two classes.

class Quoted: no class
"""
import torch
from os import path as first; second = 3

@decorate(
    "@", [
])
# between
@again
class One(
    Base,
):
    """def quoted(): of a docstring"""
    def method(self): return """
class Quoted: no class
"""
# behind
if torch:
    class Inner: pass
else:
    third = 4
async def two(): return 1; return 2
def three(): """three"""  # don't
def one(): global fourth, second; fourth = 5
class One: again = True'''


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed."""
    texts: list[str] = []

    def noting(text: str) -> ast.Module:
        texts.append(text.strip())
        return parse(text)

    monkeypatch.setattr(statements, "parse", noting)
    return texts


def dumped(node: ast.AST) -> str:
    return ast.dump(node, include_attributes=True)


def same(found: Statements, text: str) -> bool:
    return dumped(found.complete()) == dumped(parse(text))


def expected(text: str, name: str) -> list[str]:
    every = (node for node in parse(text).body if isinstance(node, DEFINITIONS))
    return [dumped(node) for node in every if node.name == name]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["One", "two", "three", "one"])
def test_a_definition_is_what_the_whole_file_gives(name: str, ending: str, parsed: list[str]) -> None:
    found = Statements(TEXT.replace("\n", ending))
    assert [dumped(node) for node in found.defining(name)] == expected(TEXT, name)
    assert TEXT not in parsed
    assert same(found, TEXT)


def test_only_what_is_asked_for_is_parsed(parsed: list[str]) -> None:
    found = Statements(TEXT)
    assert list(found.names) == ["One", "two", "three", "one"]
    assert [type(one).__name__ for one in found.others.body] == ["Expr", "Import", "ImportFrom", "Assign", "If"]
    del parsed[:]
    found.defining("two")
    found.defining("two")
    assert parsed == ["async def two(): return 1; return 2"]
    assert found.characters < len(TEXT) / 2


def test_what_is_known_stays_the_same_when_all_is_parsed() -> None:
    found = Statements(TEXT)
    (two,) = found.defining("two")
    assert two in found.complete().body
    assert found.defining("two") == [two]
    assert found.characters == len(TEXT)


def test_a_text_takes_room_that_grows_with_it() -> None:
    text = "def f(): return 1\n" + "# nothing\n" * 100_000
    found = Statements(text)
    before = found.characters
    assert len(text) / 40 < before < len(text) / 20
    found.defining("f")
    assert found.characters == len(text)


def test_rows_give_the_statements_that_hold_them(parsed: list[str]) -> None:
    found, row = Statements(TEXT), TEXT[: TEXT.index("async")].count("\n") + 1
    del parsed[:]
    around = found.around([row - 1, row, 6])
    assert [type(one).__name__ for one in around] == ["ImportFrom", "Assign", "If", "AsyncFunctionDef"]
    assert len(parsed) == 1
    assert found.around([TEXT[: TEXT.index("@again")].count("\n") + 1]) == found.defining("One")[:1]
    assert found.around([TEXT.count("\n") + 1]) == found.defining("One")[1:]
    whole = Statements(TEXT, parse(TEXT))
    assert list(map(dumped, whole.around([row - 1, row, 6]))) == list(map(dumped, around))


def test_a_pattern_gives_the_definitions_that_have_it(parsed: list[str]) -> None:
    found = Statements(TEXT)
    del parsed[:]
    (one,) = found.with_text(re.compile("fourth"))
    assert (one.name, len(parsed)) == ("one", 1)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    x = [\n1, 2\n    ]\n    return x\nclass A: pass\n",
        "def f(): return 1 + \\\n2\nclass A: pass\n",
        "\fclass B: pass\n\fclass A: pass\n",
        "x = 1\nclass A: pass\n\fclass B: pass\n",
        "class Ä: pass\nclass A: pass\n",
        'class A: pass\nx = \'"""\'\nclass B: pass\ny = \'"""\'\n',
        "x = f'''{a[\"\"\"k\"\"\"]}'''\nclass A: pass\n",
        "def \\\n  f(): pass\nclass A: pass\n",
        "if x:\n    pass\n\n# A\nelif y:\n    pass\nclass A: pass\n",
        "x = r'\\\\'; class_ = 1\nclass A: pass\n",
        "class A: pass\n# 'open\nclass B: pass\n",
        "class A:\n    '''\n\"\"\"\nclass C: no\n'''\nclass B: pass\n",
    ],
)
def test_what_is_hard_to_tell_apart_is_parsed_as_one(text: str) -> None:
    found = Statements(text)
    assert [dumped(node) for node in found.defining("A")] == expected(text, "A")
    assert same(found, text)


@pytest.mark.parametrize("ask", [lambda found: found.defining("A"), lambda found: [*found.readable().body]])
def test_of_a_broken_file_the_rest_can_be_read(ask: Callable[[Statements], list[ast.stmt]]) -> None:
    text = "x = 1\nclass A: pass\ndef broken(:\n"
    found = Statements(text)
    assert "A" in [getattr(node, "name", "") for node in ask(found)]
    assert found.defining("broken") == []
    with pytest.raises(ParseError) as raised:
        found.complete()
    with pytest.raises(ParseError) as plain:
        parse(text)
    assert (raised.value.message, raised.value.position) == (plain.value.message, plain.value.position)


def test_a_broken_file_of_many_definitions_is_parsed_as_a_whole_once(parsed: list[str]) -> None:
    text = "".join(f"def f{number}(): return {number}\n" for number in range(100)) + "def broken(:\n"
    found = Statements(text)
    assert found.defining("broken") == []
    for number in range(100):
        (node,) = found.defining(f"f{number}")
        assert node.lineno == number + 1
        assert found.defining("broken") == []
    assert len(parsed) < 110


def test_one_that_is_broken_outside_of_definitions_is_told_at_once() -> None:
    with pytest.raises(ParseError):
        Statements("class A: pass\nx = = 1\n")


def test_names_that_python_writes_otherwise_are_read_with_the_rest() -> None:
    found = Statements("class \ufb01x: pass\nclass A: pass\n")
    assert list(found.names) == ["A"]
    assert [getattr(one, "name", "") for one in found.others.body] == ["fix"]


def test_of_many_definitions_the_rest_is_parsed_at_once(parsed: list[str]) -> None:
    text = "".join(f"def f{number}(): return {number}\n" for number in range(500))
    found = Statements(text)
    for number in range(500):
        (node,) = found.defining(f"f{number}")
        assert node.lineno == number + 1
    assert len(parsed) < 40
    assert same(found, text)


def test_files_of_this_project() -> None:
    for path in FILES[::5]:
        text = path.read_text(encoding="utf-8")
        found, tree = Statements(text), parse(text)
        names = {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
        assert set(found.names) == names
        for name in sorted(names)[::3]:
            assert [dumped(node) for node in found.defining(name)] == expected(text, name)
        assert same(found, text)
