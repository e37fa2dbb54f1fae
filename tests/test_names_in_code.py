"""Meaning, not spelling: only the resolution of names knows what modules are called, nobody what ``self`` is called.

Whoever compares a name of a syntax tree with ``torch`` or ``self`` judges by its spelling: `import torch as th` and a
method's first argument of any other name mean the same.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "regbuf_lint"
APART = "verify"
"""Reads no syntax trees: it runs torch."""

NAMES = frozenset({"torch", "numpy", "np", "nn", "self", "cls"})
MODULES = frozenset({"torch", "numpy"})
RESOLUTION = ("index/", "infer/annotations.py", "infer/external_calls.py")
"""Files that say what names of modules mean. They know modules by their full names, and no aliases."""

ALLOWED = {
    ("class_context/text.py", "nn"): "asks the resolution for the name that a file gives to `torch.nn`",
    ("class_context/text.py", "torch"): "asks the resolution for the name that a file gives to `torch.nn`",
    ("classes/reasons.py", "self"): "what authors write in comments",
    ("infer/class_tests.py", "torch"): "the first part of a resolved name",
    ("infer/docstrings.py", "torch"): "what authors write in docstrings",
    ("infer/trace/calls.py", "numpy"): "the first part of a resolved name",
    ("infer/trace/calls.py", "torch"): "the first part of a resolved name",
    ("infer/trace/torch_calls.py", "numpy"): "the method `Tensor.numpy()`",
    ("infer/trace/torch_calls.py", "torch"): "the first part of a resolved name",
    ("source/declared_versions.py", "torch"): "the package's name in lists of requirements",
}
TO_GO = {
    ("class_context/torchscript.py", "torch"): "whether a file speaks of `torch.jit`, by a regular expression",
    ("classes/definition.py", "torch"): "functions of torch",
    ("index/words.py", "self"): "methods that a file calls on its objects, by a regular expression",
    ("infer/open_arguments.py", "nn"): "layers that take sizes",
    ("placement/class_none.py", "cls"): "a class's own name for itself",
    ("placement/container_uses.py", "cls"): "methods of the object",
    ("placement/container_uses.py", "self"): "methods of the object",
}
"""Comparisons that are there as yet."""


def names_in(text: str) -> set[str]:
    """The names that a file holds as strings of their own, or as words of regular expressions."""
    tree = ast.parse(text)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    patterns = {id(part) for call in ast.walk(tree) if _is_about_patterns(call) for part in ast.walk(call)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in statements:
            value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str):
                found |= _words(value) if id(node) in patterns else {value}
    return found & NAMES


def _is_about_patterns(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")


def _words(pattern: str) -> set[str]:
    """The words of a regular expression; a letter behind a backslash belongs to none."""
    return set(re.findall(r"\w+", re.sub(r"\\[a-zA-Z]", " ", pattern)))


def is_resolution(file: str, name: str) -> bool:
    return name in MODULES and file.startswith(RESOLUTION)


def all_names() -> set[tuple[str, str]]:
    """Every file, and each name that it holds and need not know."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    return {
        (file, name)
        for file, path in paths.items()
        if not file.startswith(APART)
        for name in names_in(path.read_text(encoding="utf-8"))
        if not is_resolution(file, name)
    }


def test_names_are_compared_where_they_are_resolved() -> None:
    assert all_names() == ALLOWED.keys() | TO_GO.keys()


def test_what_is_allowed_is_not_to_go() -> None:
    assert not ALLOWED.keys() & TO_GO.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = node.id == 'torch'", {"torch"}),
        ("x = node.id in {'self', 'cls'}", {"self", "cls"}),
        ("NUMPY = frozenset(('np', 'numpy'))", {"np", "numpy"}),
        ("match node:\n    case ast.Name(id='nn'):\n        pass", {"nn"}),
        ("x = is_name(node, 'torch')", {"torch"}),
        (r"x = re.compile(rb'\bself\.(\w+)')", {"self"}),
        (r"x = re.search(r'\bfrom torch import\b', text)", {"torch"}),
        ("'torch'\ndef f():\n    'self'", set()),
        ("x = 'a torch is no name' + 'torch.Tensor'", set()),
        ("self = torch.nn", set()),
        (r"x = re.compile(r'\nn+torchlight')", set()),
    ],
)
def test_a_name_in_the_code_is_seen(text: str, expected: set[str]) -> None:
    assert names_in(text) == expected


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("index/project.py", "torch", True),
        ("infer/external_calls.py", "numpy", True),
        ("index/project.py", "np", False),
        ("index/project.py", "self", False),
        ("classes/uses.py", "torch", False),
    ],
)
def test_resolution_knows_full_names_alone(file: str, name: str, *, expected: bool) -> None:
    assert is_resolution(file, name) is expected
