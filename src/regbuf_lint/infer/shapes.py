"""What jaxtyping's annotations say of a tensor: ``Float[Tensor, "batch 3"]``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.torch_api import dtype_named
from regbuf_lint.model.value import Dtype, Value, map_tensors

if TYPE_CHECKING:
    from collections.abc import Sequence

_GENERAL = {"Float": Dtype.UNKNOWN, "Integer": Dtype.INT}
"""Those of jaxtyping 0.3 that no dtype of torch is called like, or that mean others, too (its page on arrays)."""


def with_shape(value: Value, kind: str, axes: Sequence[ast.expr]) -> Value:
    """A value with the dtype and the number of dimensions that its annotation writes.

    Args:
        value: what the class in the brackets says.
        kind: dotted name of what stands before the brackets, such as ``jaxtyping.Float``.
        axes: what follows the class; those of other packages than jaxtyping say nothing here.
    """
    package, _, _ = kind.partition(".")
    if package != "jaxtyping":
        return value
    name = kind.rpartition(".")[2]
    dtype = _GENERAL.get(name, dtype_named(name.lower()))
    return map_tensors(value, lambda tensor: replace(tensor, dtype=dtype, dims=_dims(axes)))


def _dims(axes: Sequence[ast.expr]) -> int | None:
    """How many axes a text names; None where one of them may stand for any number (``...``, ``*batch``)."""
    text = axes[0].value if len(axes) == 1 and isinstance(axes[0], ast.Constant) else None
    if not isinstance(text, str):
        return None
    named = text.split()
    return None if any(one == "..." or "*" in one for one in named) else len(named)
