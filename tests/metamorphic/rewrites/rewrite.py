"""What a rewrite is: another spelling of a program that does the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import libcst as cst
    from programs import File, Program


@dataclass(frozen=True)
class Rewritten:
    """A program after a rewrite.

    Attributes:
        texts: the text of each file.
        class_names: for classes that the rewrite made, the class of the original that their findings belong to.
    """

    texts: Mapping[str, str]
    class_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rewrite:
    """One kind of rewrite.

    Attributes:
        name: as the list of known differences and the table name it.
        example: what becomes of what, in one line.
        apply: the program in its other spelling; texts that are those of the program where there is nothing to do.
    """

    name: str
    example: str
    apply: Callable[[Program], Rewritten]

    def of(self, program: Program) -> Rewritten:
        """What ``apply`` gives, asked for once for each program."""
        if self.name not in program.rewritten:
            program.rewritten[self.name] = self.apply(program)
        return program.rewritten[self.name]


def of_each_file(rewritten: Callable[[File, Program], cst.Module]) -> Callable[[Program], Rewritten]:
    """The rewrite that treats each file by itself."""

    def apply(program: Program) -> Rewritten:
        return Rewritten({path: rewritten(file, program).code for path, file in program.files.items()})

    return apply
