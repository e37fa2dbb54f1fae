"""Which attributes a method makes of one tensor."""

from __future__ import annotations

import ast

import pytest

from regbuf_lint.classes.shared_memory import sharing_memory


def shared(*statements: str) -> frozenset[str]:
    """The attributes that share memory with ``self.x``."""
    body = "\n".join(f"    {one}" for one in statements)
    (function,) = ast.parse(f"def build(self, n):\n{body}\n").body
    assert isinstance(function, ast.FunctionDef)
    return sharing_memory(function, "x")


@pytest.mark.parametrize(
    "statements",
    [
        ("flat = torch.zeros(n)", "self.x = flat", "self.y = flat"),
        ("flat = torch.zeros(n)", "self.x = flat[:2]", "self.y = flat"),
        ("flat = torch.zeros(n)", "rows = flat.view(2, -1)", "self.x = rows[0].t()", "self.y = flat.T"),
        ("flat = torch.zeros(n)", "self.x, self.y = torch.narrow(flat, 0, 0, 1), flat"),
        ("self.x = self.y = torch.zeros(n)",),
    ],
)
def test_one_tensor_and_its_views(statements: tuple[str, ...]) -> None:
    assert shared(*statements) == {"y"}


@pytest.mark.parametrize(
    "statements",
    [
        ("self.x = torch.zeros(n)", "self.y = torch.zeros(n)"),
        ("flat = torch.zeros(n)", "self.x = flat.clone()", "self.y = flat"),
        ("flat = torch.zeros(n)", "self.x = flat", "flat = torch.ones(n)", "self.y = flat"),
        ("self.x, self.y = moments(n)",),
        ("x, y = moments(n)", "self.x = x", "self.y = y"),
        ("flat = torch.zeros(n)", "self.x = flat", "other.y = flat"),
    ],
)
def test_tensors_of_their_own(statements: tuple[str, ...]) -> None:
    assert shared(*statements) == frozenset()
