"""What a program does: the module that its ``make()`` builds, and what that gives for its ``inputs()``."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fixture_cases import imported_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from programs import Program

MOST_CALLS = 2
"""The second call sees what the first one left behind."""


@dataclass(frozen=True)
class Behaviour:
    """What can be seen of a program from outside.

    Attributes:
        saved: the state that the module saves, built anew.
        outputs: what its calls give.
        raises: the type of what building or calling it raises.
    """

    saved: Mapping[str, Any]
    outputs: tuple[Any, ...]
    raises: type[Exception] | None

    def is_like(self, other: Behaviour) -> bool:
        """Whether both do the same, number by number."""
        return (
            self.raises is other.raises
            and same(dict(self.saved), dict(other.saved))
            and same(self.outputs, other.outputs)
        )


def behaviour(program: Program, texts: Mapping[str, str], directory: Path) -> Behaviour | None:
    """Run a program whose Python files have these texts; None where it has nothing to build or a library is missing."""
    for path, data in program.encoded(texts).items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
    main = directory / ("main.py" if program.is_project else next(iter(texts)))
    if not main.exists():
        return None
    try:
        with imported_file(main, directory) as file:
            return _seen(file) if hasattr(file, "make") else None
    except ModuleNotFoundError as error:
        if error.name is not None and (directory / error.name.split(".")[0]).exists():
            raise
        return None


def _seen(file: Any) -> Behaviour:
    import torch  # noqa: PLC0415  not installed everywhere

    saved: dict[str, Any] = {}
    outputs: list[Any] = []
    try:
        random.seed(0)
        torch.manual_seed(0)
        module = file.make()
        saved = {name: value.clone() for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)}
        for _ in range(MOST_CALLS):
            torch.manual_seed(1)
            outputs.append(module(*file.inputs()))
    except Exception as error:  # noqa: BLE001  what fixtures of some rules do
        return Behaviour(saved, tuple(outputs), type(error))
    return Behaviour(saved, tuple(outputs), None)


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal, tensors by their numbers."""
    import torch  # noqa: PLC0415

    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and torch.allclose(one, other, equal_nan=True)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, float | str) and isinstance(other, float | str):
        return one == other
    return type(one).__name__ == type(other).__name__  # the classes of two imports are never the same
