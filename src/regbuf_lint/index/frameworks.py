"""Which framework a name stands for, where a package offers the same names for several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.index.symbols import ClassSymbol, External, FunctionSymbol, ValueSymbol

if TYPE_CHECKING:
    from regbuf_lint.index.symbols import Symbol

_OTHER_FRAMEWORKS = frozenset({"flax", "jax", "mlx", "mxnet", "paddle", "tensorflow"})


def is_torch(symbol: Symbol) -> bool:
    """Whether a name stands for torch as a whole, for which files put something else where torch is not installed."""
    return isinstance(symbol, External) and symbol.name in {"torch", "torch.nn", "torch.nn.functional"}


def is_of_another_framework(symbol: Symbol) -> bool:
    """Whether a name stands for what a file defines that imports another framework, and not torch.

    A package may offer the same names for several, by what is installed; nn.Module classes use those of torch.
    """
    if not isinstance(symbol, (ClassSymbol, FunctionSymbol, ValueSymbol)):
        return False
    imported = symbol.scope.file.imported_packages
    return "torch" not in imported and bool(imported & _OTHER_FRAMEWORKS)
