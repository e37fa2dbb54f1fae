"""Attributes are first read into locals: ``y = x * self.a`` becomes ``a_now = self.a`` and ``y = x * a_now``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.bindings import imported
from rewrites.evaluation import Reads
from rewrites.methods import InMethods
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.statements import Small, SplitStatements, assign
from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from programs import File, Program


def _rewritten(file: File, program: Program) -> cst.Module:
    trees = [one.tree for one in program.files.values()]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    methods = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    stored = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return file.module.visit(_Attributes(program, imported(file.tree), stored - methods, methods))


class _Attributes(SplitStatements, InMethods):
    def __init__(
        self, program: Program, modules: Collection[str], stored: Collection[str], methods: Collection[str]
    ) -> None:
        super().__init__()
        self._program = program
        self._modules = modules
        self._stored = stored
        self._methods = methods

    def split(self, statement: Small) -> list[Small]:
        if self.self_name is None:
            return [statement]
        reads = Reads(self.self_name, self._modules, self._stored).of_statement(statement)
        attributes = [read.attr.value for read in reads]
        wanted = {one for one in attributes if one not in self._methods or attributes.count(one) == 1}
        names = {one: self._program.fresh(f"{one.strip('_')}_now") for one in attributes if one in wanted}
        chosen = {id(read): names[read.attr.value] for read in reads if read.attr.value in names}
        if not chosen:
            return [statement]
        reading = [assign(name, cst.Attribute(cst.Name(self.self_name), cst.Name(one))) for one, name in names.items()]
        replaced = statement.visit(_Replace(chosen))
        assert isinstance(replaced, cst.BaseSmallStatement)
        return [*reading, replaced]


class _Replace(Transformer):
    """Puts names in the places of some nodes."""

    def __init__(self, names: Mapping[int, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        name = self._names.get(id(original_node))
        if name is None:
            return updated_node
        return cst.Name(name, lpar=original_node.lpar, rpar=original_node.rpar)


ATTRIBUTES_THROUGH_LOCALS = Rewrite(
    "attributes_through_locals", "`y = x * self.a` -> `a_now = self.a` and `y = x * a_now`", of_each_file(_rewritten)
)
