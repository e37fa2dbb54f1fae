"""All rewrites of a program, one after the other: what one makes, the next one takes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from programs import Program

from rewrites.rewrite import Rewrite, Rewritten

if TYPE_CHECKING:
    from collections.abc import Sequence


def together(rewrites: Sequence[Rewrite], seed: int = 0) -> Rewrite:
    """The rewrite that applies others in an order that is drawn for each program."""

    def apply(program: Program) -> Rewritten:
        order = list(rewrites)
        random.Random(f"{seed} {program.name}").shuffle(order)  # noqa: S311  no secret is drawn
        class_names: dict[str, str] = {}
        for rewrite in order:
            made = rewrite.apply(program)
            known = {new: class_names.get(old, old) for new, old in made.class_names.items()}
            class_names = {**class_names, **known}
            if made.texts != program.texts:
                program = Program(program.name, program.cases, program.others, made.texts)
        return Rewritten(program.texts, class_names)

    return Rewrite("together", "all of them, one after the other, in an order drawn for each", apply)
