"""Which classes serve tests alone, as pytest and unittest find tests."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.infer.makers import is_made_elsewhere

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.inference import Inference

_TEST = "test"
"""How the names of tests begin (``python_functions`` of pytest 8, ``unittest.TestLoader.testMethodPrefix``)."""


def serves_tests_alone(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether nobody but tests builds objects of a class.

    It stands inside of a test or of a test case, or in a file of tests outside of which nobody makes objects of it.
    """
    return inference.serving_tests.found(symbol, partial(_serves_tests_alone, inference))


def _serves_tests_alone(inference: Inference, symbol: ClassSymbol) -> bool:
    if is_in_test(inference, symbol.scope.parent):
        return True
    return _holds_tests(symbol.scope.file) and not is_made_elsewhere(inference, symbol)


def is_in_test(inference: Inference, scope: Scope | None) -> bool:
    """Whether a scope is that of a test or of a test case, or stands inside of one."""
    while scope is not None and scope.parent is not None:
        if _is_test(scope.node) or _is_test_case(inference, scope):
            return True
        scope = scope.parent
    return False


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS) and is_name_of_test(node.name)


def is_name_of_test(name: str) -> bool:
    """Whether a function of a name is a test."""
    return name.startswith(_TEST)


def _is_test_case(inference: Inference, scope: Scope) -> bool:
    """Whether a scope is that of a class which derives from ``unittest.TestCase``, or another one of that name."""
    if not isinstance(scope.node, ast.ClassDef):
        return False
    order = inference.hierarchy.order(ClassSymbol(scope))
    return any(isinstance(base, External) and base.name.endswith("TestCase") for base in order)


def _holds_tests(file: FileFacts) -> bool:
    """Whether pytest collects a file by its name (``python_files``), and it has tests."""
    name = file.path.stem
    if not name.startswith(f"{_TEST}_") and not name.endswith(f"_{_TEST}"):
        return False
    bodies = [file.tree.body, *(node.body for node in file.tree.body if isinstance(node, ast.ClassDef))]
    return any(map(_is_test, (node for body in bodies for node in body)))
