"""What the whole program shares: settings of Python and torch, and what stands in the place of torch's functions."""

from __future__ import annotations

import atexit
import builtins
import os
import random
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.isolation.server import shared_memory
from regbuf_lint.verify.worker.values import digest

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts

_NUMPY = "numpy"
_PLACES: dict[str, Any] = {
    "builtins": builtins,
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": nn.functional,
    "torch.nn.init": nn.init,
    **{f"torch.nn.{name}": kind for name, kind in vars(nn).items() if isinstance(kind, type)},
}
_BEFORE = {place: {name: one for name, one in vars(held).items() if callable(one)} for place, held in _PLACES.items()}
"""What torch and Python have before any other code has run."""


def program() -> Facts:
    """Return what code may change for the whole program, so that two versions of it can be compared."""
    return {
        "default dtype": str(torch.get_default_dtype()),
        "grad mode": str(torch.is_grad_enabled()),
        "default device": str(torch.empty(0).device),
        "number of threads that torch uses": torch.get_num_threads(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "denormal numbers": (torch.full((1,), 2e-38) * 0.5).item() == 0,
        "hooks of all modules": _hooks(),
        "functions of torch or Python": _replaced(),
        "working directory": Path.cwd().name,
        "number of files in the working directory": len(list(Path.cwd().iterdir())),
        "recursion limit": sys.getrecursionlimit(),
        "number of threads": threading.active_count(),
        "module search path": digest(sys.path),
        "filters of warnings": digest(warnings.filters),
        "signal handlers": digest([signal.getsignal(number) for number in sorted(signal.valid_signals())]),
        "functions that are called at the end": atexit._ncallbacks(),  # noqa: SLF001  there is no other way to ask
        "memory that is shared": len(shared_memory(os.getpid())),
        "standard streams": " ".join(type(one).__qualname__ for one in (sys.stdin, sys.stdout, sys.stderr)),
        "environment": digest(_environment()),
    }


def random_state() -> str:
    """Return what has been drawn from the generators of torch and Python, and of numpy where the code uses it."""
    numpy = sys.modules.get(_NUMPY)
    drawn = numpy.random.get_state() if numpy is not None and hasattr(numpy, "random") else None
    return digest([torch.get_rng_state(), random.getstate(), drawn])


def _hooks() -> int:
    return sum(len(one) for name, one in vars(nn.modules.module).items() if "_hooks" in name and isinstance(one, dict))


def _replaced() -> str:
    """Return the functions that are others than before."""
    found = ((place, name) for place, held in _BEFORE.items() for name in held)
    other = [f"{place}.{name}" for place, name in found if vars(_PLACES[place]).get(name) is not _BEFORE[place][name]]
    return ", ".join(other)


def _environment() -> dict[str, str]:
    """Return the environment without what is this process's own."""
    own = str(Path(tempfile.gettempdir()).parent)
    return {name: value for name, value in os.environ.items() if own not in value}
