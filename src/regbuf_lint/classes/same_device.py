"""Calls that move what lies there already, and so give the very object back."""

from __future__ import annotations

import ast

from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.torch_facts.traits import has


def stays_there(function: ast.AST, call: ast.Call) -> bool:
    """Whether ``nn.Parameter(t.to(device)).to(device)`` names the device that the tensor inside was made for.

    Args:
        function: where the call stands.
        call: the outer call, of a method of a new Parameter.
    """
    wanted = _device(call)
    made = definition_of(function, call.func.value) if isinstance(call.func, ast.Attribute) else call
    data = _first(made) if wanted is not None else None
    inner = definition_of(function, data) if data is not None else None
    there = _device(inner) if isinstance(inner, ast.Call) else None
    if wanted is None or there is None:
        return False
    return ast.dump(definition_of(function, wanted)) == ast.dump(definition_of(function, there))


def _first(made: ast.expr) -> ast.expr | None:
    """What a call makes a Parameter of."""
    if not isinstance(made, ast.Call):
        return None
    return next(iter([*made.args[:1], *(one.value for one in made.keywords if one.arg == "data")]), None)


def _device(call: ast.Call) -> ast.expr | None:
    """The device that a call names, an attribute or a name; None where it names none, or computes it."""
    given = [one.value for one in call.keywords if one.arg == "device"]
    if not given and isinstance(call.func, ast.Attribute) and has("move_methods", call.func.attr):
        given = call.args[:1]
    return given[0] if given and isinstance(given[0], (ast.Name, ast.Attribute)) else None
