"""Types that a docstring states for parameters without annotation."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import Scope

_TENSOR = re.compile(
    r"(?::(?:py:)?(?:class|obj):)?[`~]*(?:torch\.)?(?:[Tt]ensor|(?:Float|Double|Half|Long|Int|Bool)Tensor)\b`*(?P<rest>.*)"
)
_NONE = re.compile(r"\bor None\b|\bNone or\b|\boptional\b")
_MORE = re.compile(
    r"\bor\b|[|/]|list|tuple|dict|array|float|int\b|number|scalar|Param|callable|function", re.IGNORECASE
)
"""What makes a tensor one of several things that may be given."""


def says_tensor(scope: Scope, parameter: str) -> bool:
    """Whether the docstring of a function, or of the class that it builds, states that a parameter is a tensor.

    Understood are ``name : type`` (numpydoc, with or without its headings), ``name (type):`` (Google) and ``:type
    name: type`` or ``:param type name:`` (Sphinx).
    """
    return any(_is_tensor(stated) for text in _docstrings(scope) for stated in _stated(text, parameter))


def _docstrings(scope: Scope) -> Iterator[str]:
    holders = [scope.node]
    if scope.parent is not None and getattr(scope.node, "name", "") in BUILDERS:
        holders.append(scope.parent.node)
    for holder in holders:
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield ast.get_docstring(holder, clean=False) or ""


def _stated(text: str, parameter: str) -> Iterator[str]:
    """What a docstring states as types of a parameter."""
    name = re.escape(parameter)
    forms = (
        rf"^[ \t]*[*-]?[ \t]*`*{name}`*[ \t]*\((?P<type>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)[ \t]*:",
        rf"^[ \t]*`*{name}`*[ \t]*:(?P<type>[^\n]*)$",
        rf":type[ \t]+{name}[ \t]*:(?P<type>[^\n]*)",
        rf":param[ \t]+(?P<type>[^:\n]+?)[ \t]+{name}[ \t]*:",
    )
    for form in forms:
        for found in re.finditer(form, text, re.MULTILINE):
            yield found["type"].strip()


def _is_tensor(stated: str) -> bool:
    found = _TENSOR.match(_NONE.sub("", stated).strip(" ,"))
    return found is not None and not _MORE.search(found["rest"])
