"""``torch.zeros(3)`` becomes ``t_zeros(3)``, and the head of the file gets ``from torch import zeros as t_zeros``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst
from libcst.helpers import get_full_name_for_node

from rewrites.bindings import imported
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from programs import File, Program

MODULES = frozenset({"torch", "torch.nn", "torch.nn.functional"})


def _rewritten(file: File, program: Program) -> cst.Module:
    bound = imported(file.tree)
    rewrite = _Functions({name: bound[name] for name in _imported_at_top(file.tree) if name in bound}, program)
    module = file.module.visit(rewrite)
    return module.with_changes(body=[*_with_imports(module.body, rewrite.imports)])


def _imported_at_top(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name.split(".")[0] for node in imports for alias in node.names}


class _Functions(Transformer):
    """Replaces what is called, derived from or used as a decorator, and notes what is to be imported."""

    def __init__(self, bound: Mapping[str, str], program: Program) -> None:
        super().__init__()
        self._bound = bound
        self._program = program
        self.imports: dict[str, dict[str, str]] = {}

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        new = self._imported(original_node.func)
        return updated_node if new is None else updated_node.with_changes(func=new)

    def leave_Decorator(self, original_node: cst.Decorator, updated_node: cst.Decorator) -> cst.Decorator:
        new = self._imported(original_node.decorator)
        return updated_node if new is None else updated_node.with_changes(decorator=new)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        bases = [
            updated if (new := self._imported(original.value)) is None else updated.with_changes(value=new)
            for original, updated in zip(original_node.bases, updated_node.bases, strict=True)
        ]
        return updated_node.with_changes(bases=bases)

    def _imported(self, node: cst.CSTNode) -> cst.Name | None:
        if not isinstance(node, cst.Attribute):
            return None
        first, _, rest = (_dotted(node) or "").partition(".")
        module, _, name = f"{self._bound.get(first, '')}.{rest}".rpartition(".")
        if module not in MODULES:
            return None
        statement = f"from {module} import {name} as "
        imports = self.imports.setdefault(first, {})
        if statement not in imports:
            others = {new for one in self.imports.values() for new in one.values()}
            wanted = f"t_{name}"
            imports[statement] = self._program.fresh(f"f{wanted}" if wanted in others else wanted)
        return cst.Name(imports[statement])


def _dotted(node: cst.CSTNode) -> str | None:
    """The dotted name that a node is, unless something is called or looked up on the way."""
    value = node
    while isinstance(value, cst.Attribute):
        value = value.value
    return get_full_name_for_node(node) if isinstance(value, cst.Name) else None


def _with_imports(
    body: Iterable[cst.BaseStatement], imports: Mapping[str, Mapping[str, str]]
) -> Iterator[cst.BaseStatement]:
    """The statements, with the new imports behind the first import of the module that they name."""
    left = dict(imports)
    for statement in body:
        yield statement
        if isinstance(statement, cst.SimpleStatementLine):
            for name in [name for name in left if any(_binds(one, name) for one in statement.body)]:
                yield from (cst.parse_statement(start + new) for start, new in left.pop(name).items())


def _binds(node: cst.BaseSmallStatement, name: str) -> bool:
    if not isinstance(node, cst.Import | cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return False
    return any((one.evaluated_alias or one.evaluated_name.split(".")[0]) == name for one in node.names)


IMPORTED_FUNCTIONS = Rewrite(
    "imported_functions",
    "`torch.zeros(3)` -> `t_zeros(3)` with `from torch import zeros as t_zeros`; so are base classes",
    of_each_file(_rewritten),
)
