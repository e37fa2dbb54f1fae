"""What a package offers to those who use it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.once import once_per_node

if TYPE_CHECKING:
    from regbuf_lint.index.project import Project
    from regbuf_lint.index.symbols import ClassSymbol


def is_exported(project: Project, symbol: ClassSymbol) -> bool:
    """Whether a package around the file of a class has the class, too, or the file lists it in ``__all__``."""
    file = symbol.scope.file
    name = symbol.scope.qualname
    if name in _listed(file.statements.others):
        return True
    package = file.name.rpartition(".")[0]
    while package:
        if symbol in project.imported(package, name, file.root):
            return True
        package = package.rpartition(".")[0]
    return False


@once_per_node
def _listed(tree: ast.Module) -> frozenset[object]:
    """The names in ``__all__``."""
    return frozenset(
        node.value
        for statement in tree.body
        if isinstance(statement, (ast.Assign, ast.AugAssign))
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name) and target.id == "__all__"
        for node in ast.walk(statement.value)
        if isinstance(node, ast.Constant)
    )
