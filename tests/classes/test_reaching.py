"""Which expression a local holds where it is read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from regbuf_lint.classes.reaching import definition_of, own_attribute


def held_at_end(body: str) -> str:
    """What the ``held`` that the last statement returns was given, as text; ``held`` itself where that is not known."""
    text = "def method(self, y):\n" + textwrap.indent(textwrap.dedent(body), "    ") + "\n    return held\n"
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    return ast.unparse(definition_of(function, last.value))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("held = self.x", "self.x"),
        ("first = self.x\nheld = first", "self.x"),
        ("first, held = y, self.x", "self.x"),
        ("held: object = self.x", "self.x"),
        ("if y:\n    held = self.x\nelse:\n    held = self.x", "self.x"),
        ("if y:\n    raise ValueError\nelse:\n    held = self.x", "self.x"),
        ("with y:\n    held = self.x", "self.x"),
        ("held = self.x\nself.z = y", "self.x"),
        ("held = self.x\nself.x = y", "held"),
        ("held = self.x\nother.x = y", "held"),
        ("held = self.x\nfor self.x in y:\n    pass", "held"),
        ("held = self.x\ndel self.x", "held"),
        ("held = self.x\nheld += y", "held"),
        ("held = self.x\nfor held in y:\n    pass", "held"),
        ("if y:\n    held = self.x", "held"),
        ("held = y\nif y:\n    held = self.x", "held"),
        ("held = self.x\nwhile y:\n    held = y", "held"),
        ("try:\n    held = self.x\nexcept ValueError:\n    held = y", "held"),
        ("held = self.x\ndef held(): ...", "held"),
        ("held = self.x\nprint(held := y)", "held"),
        ("*held, last = self.x", "held"),
    ],
)
def test_definition_of(body: str, expected: str) -> None:
    assert held_at_end(body) == expected


@pytest.mark.parametrize("line", ["held = held[0]", "held += held[0]", "other[held] = y", "return held", "raise held"])
def test_a_statement_reads_before_it_assigns(line: str) -> None:
    function = ast.parse(f"def method(self, y):\n    held = self.x\n    {line}\n").body[0]
    read = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == "held"][1:]
    loaded = next(one for one in read if isinstance(one.ctx, ast.Load))
    assert ast.unparse(definition_of(function, loaded)) == "self.x"


def test_own_attribute_is_one_of_the_receiver() -> None:
    function = ast.parse("def method(me, other):\n    a = me.x\n    b = other.x\n    return a, b\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    pair = function.body[-1].value  # type: ignore[attr-defined]
    assert [own_attribute(function, one) for one in pair.elts] == ["x", None]
