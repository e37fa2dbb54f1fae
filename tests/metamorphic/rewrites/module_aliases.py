"""``import torch`` becomes ``import torch as th``, ``from torch import nn`` becomes ``import torch.nn as tnn``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rewrites.bindings import imported
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.variables import RenameVariables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from programs import File, Program

WANTED = {"torch": "th", "torch.nn": "tnn", "torch.nn.functional": "fnl", "numpy": "nump"}

Line = cst.SimpleStatementLine


def _rewritten(file: File, program: Program) -> cst.Module:
    targets = {name: target for name, target in imported(file.tree).items() if target in WANTED}
    if not targets:
        return file.module
    names = {name: program.fresh(WANTED[target]) for name, target in targets.items()}
    return file.module.visit(_Aliases(names, targets))


class _Aliases(RenameVariables):
    def __init__(self, names: Mapping[str, str], targets: Mapping[str, str]) -> None:
        super().__init__(names)
        self._names = names
        self._targets = targets

    def leave_SimpleStatementLine(self, original_node: Line, updated_node: Line) -> Line | cst.FlattenSentinel[Line]:
        """The imports that stay, and behind them those that get another name."""
        if not isinstance(original_node.body[0], cst.Import | cst.ImportFrom) or len(original_node.body) > 1:
            return updated_node
        kept, new = self._parted(original_node.body[0])
        if not new:
            return original_node
        statements = [*([kept] if kept else []), *new]
        first = original_node.with_changes(body=[statements[0]])
        return cst.FlattenSentinel([first, *(Line(body=[one]) for one in statements[1:])])

    def _parted(self, node: cst.Import | cst.ImportFrom) -> tuple[cst.Import | cst.ImportFrom | None, list[cst.Import]]:
        if isinstance(node.names, cst.ImportStar):
            return node, []
        renamed = [alias for alias in node.names if self._is_renamed(alias)]
        new = [_import(self._targets[name], self._names[name]) for name in map(_bound, renamed)]
        kept = [alias for alias in node.names if alias not in renamed or _is_dotted(alias)]
        if not kept:
            return None, new
        return node.with_changes(names=[*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]), new

    def _is_renamed(self, alias: cst.ImportAlias) -> bool:
        return _bound(alias) in self._names


def _bound(alias: cst.ImportAlias) -> str:
    name = alias.evaluated_alias or alias.evaluated_name
    return name.split(".")[0]


def _is_dotted(alias: cst.ImportAlias) -> bool:
    """Whether it is ``import torch.nn``, which also loads what it does not bind."""
    return alias.asname is None and "." in alias.evaluated_name


def _import(target: str, name: str) -> cst.Import:
    statement = cst.parse_statement(f"import {target} as {name}")
    assert isinstance(statement, Line)
    node = statement.body[0]
    assert isinstance(node, cst.Import)
    return node


MODULE_ALIASES = Rewrite(
    "module_aliases",
    "`import torch` -> `import torch as th`; `from torch import nn` -> `import torch.nn as tnn`",
    of_each_file(_rewritten),
)
