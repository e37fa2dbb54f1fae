"""``self`` becomes ``me``: the first argument of every method, and every argument of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewrites.rewrite import Rewrite, of_each_file
from rewrites.variables import RenameVariables

if TYPE_CHECKING:
    import libcst as cst
    from programs import File, Program

CALLED = frozenset({"self", "cls"})


def _rewritten(file: File, program: Program) -> cst.Module:
    names = {"self": program.fresh("me"), "cls": program.fresh("kind")}
    return file.module.visit(RenameVariables(names))


RENAMED_SELF = Rewrite(
    "renamed_self", "`def forward(self, x)` -> `def forward(me, x)`; `cls` -> `kind`", of_each_file(_rewritten)
)
