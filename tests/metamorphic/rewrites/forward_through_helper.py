"""``forward`` hands its arguments to another method of the class, which does what ``forward`` did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rewrites.methods import InMethods, arguments, call_of, first_argument
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import StatementTransformer

if TYPE_CHECKING:
    from programs import File, Program


def _rewritten(file: File, program: Program) -> cst.Module:
    return file.module.visit(_Forward(program))


class _Forward(InMethods, StatementTransformer):
    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        super().leave_FunctionDef(original_node, updated_node)
        around, self_name = self.class_around, first_argument(updated_node)
        if around is None or self_name is None or updated_node.name.value != "forward":
            return updated_node
        name = self._program.fresh(f"_forward_of_{around.name.value}")  # no subclass overrides it by chance
        call = call_of(self_name, name, arguments(updated_node.params))
        forward = updated_node.with_changes(body=cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(call)])]))
        helper = updated_node.with_changes(
            name=cst.Name(name), decorators=[], leading_lines=[cst.EmptyLine(indent=False)]
        )
        return cst.FlattenSentinel([forward, helper])


FORWARD_THROUGH_HELPER = Rewrite(
    "forward_through_helper",
    "`forward(self, x)` -> `return self._forward_of_C(x)`, a method with the body of `forward`",
    of_each_file(_rewritten),
)
