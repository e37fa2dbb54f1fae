"""Docstrings that state the types of parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from regbuf_lint.index.files import FileFacts
from regbuf_lint.index.statements import Room, by_parts
from regbuf_lint.infer.docstrings import says_tensor
from regbuf_lint.source.text import SourceText


def stated(docstring: str, *, of_class: bool = False, method: str = "__init__") -> bool:
    own, around = ("", docstring) if of_class else (docstring, "")
    text = f'class A:\n    """{around}"""\n    def {method}(self, x):\n        """{own}"""\n'
    file = FileFacts(Path("a.py"), "a", Path(), SourceText.from_text(text), by_parts, Room())
    scope = next(file.class_scopes())
    function = next(node for node in ast.walk(scope.node) if isinstance(node, ast.FunctionDef))
    return says_tensor(scope.child(function), "x")


@pytest.mark.parametrize(
    "docstring",
    [
        "x : torch.Tensor",
        "Parameters\n----------\nx: Tensor, shape (n,)\n    What.",
        "x : :class:`torch.Tensor` of shape (n, m), optional",
        "x : Tensor or None",
        "Args:\n    x (Tensor): what.",
        "- x (:obj:`torch.FloatTensor` of shape `(n, m)`): what.",
        "`x` (``torch.LongTensor``, optional): what.",
        "x (torch.Tensor(n, m)): what.",
        ":param torch.Tensor x: what.",
        ":param x: what.\n:type x: ~torch.Tensor",
        "x: tensor",
    ],
)
def test_a_tensor(docstring: str) -> None:
    assert stated(docstring)
    assert stated(docstring, of_class=True)


@pytest.mark.parametrize(
    "docstring",
    [
        "",
        "x : float",
        "x : Tensor or float",
        "x : Tensor | np.ndarray",
        "x : Tensor/list",
        "x : list of Tensor",
        "x (Tensor or tuple of floats): what.",
        "x (dict): of Tensor.",
        "x: what comes in, a Tensor.",
        "y : Tensor\n    x is a number.",
        "xx : Tensor",
        ":param Tensor xx: what.",
        ":returns: Tensor",
        "x : TensorDict",
        "x : tf.Tensor",
        "x : nn.Parameter",
        "x : Tensor, or Parameter",
    ],
)
def test_something_else(docstring: str) -> None:
    assert not stated(docstring)
    assert not stated(docstring, of_class=True)


def test_a_class_speaks_of_its_constructor_alone() -> None:
    assert not stated("x : Tensor", of_class=True, method="forward")
    assert stated("x : Tensor", method="forward")
