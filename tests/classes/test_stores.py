"""What an assignment to an attribute says of its value before: moved, computed from it, or replaced."""

from __future__ import annotations

import ast

import pytest

from regbuf_lint.classes.stores import Store, Stores


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("self.x = self.x.to(d)", Store.MOVE),
        ("self.x = torch.as_tensor(self.x, device=d).contiguous()", Store.MOVE),
        ("self.x = self.x.half() if self.x is not None else None", Store.MOVE),
        ("self.x = self.y.to(d)", Store.REPLACEMENT),
        ("self.x = 0.9 * self.x + y", Store.UPDATE),
        ("new = self.x * 2; mixed = new + 1; self.x = mixed", Store.UPDATE),
        ("new = y; self.x = new * 2; new = self.x + 1", Store.REPLACEMENT),
        ("new = y\nfor i in y:\n    self.x = new * 2\n    new = self.x + 1", Store.UPDATE),
        ("for i in y:\n    z = i\nnew = y\nself.x = new * 2\nnew = self.x + 1", Store.REPLACEMENT),
        ("self.x = self.x.lerp(y, 0.1)", Store.UPDATE),
        ("self.x, n = self.x + 1, 2", Store.UPDATE),
        ("self.x += 1", Store.IN_PLACE),
        ("self.x = f(y)", Store.REPLACEMENT),
        ("self.x = torch.zeros(self.x.shape)", Store.REPLACEMENT),
        ("self.x = torch.zeros_like(self.x)", Store.REPLACEMENT),
        ("self.x = torch.ones(max(n, self.x.size(0)))", Store.REPLACEMENT),
        ("for self.x in y: pass", Store.REPLACEMENT),
    ],
)
def test_kinds_of_assignments(body: str, kind: Store) -> None:
    nodes = list(ast.walk(ast.parse(body)))
    target = next(
        node
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr == "x" and isinstance(node.ctx, ast.Store)
    )
    assert Stores(nodes, "self").kind(target) is kind
