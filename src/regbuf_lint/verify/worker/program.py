"""What the whole program shares: settings of Python and torch, and what stands in the place of their functions."""

from __future__ import annotations

import atexit
import decimal
import gc
import locale
import logging
import multiprocessing
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.isolation.server import shared_memory
from regbuf_lint.verify.worker.untouched import untouched
from regbuf_lint.verify.worker.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from regbuf_lint.verify.model import Facts

_NUMPY = "numpy"
_SETTINGS: dict[ModuleType, tuple[str, ...]] = {
    sys: (
        *("path", "meta_path", "path_hooks"),
        *("getrecursionlimit", "getswitchinterval", "get_int_max_str_digits"),
    ),
    gc: ("isenabled", "get_threshold"),
    threading: ("active_count", "stack_size"),
    decimal: ("getcontext",),
    socket: ("getdefaulttimeout",),
    time: ("tzname",),
    warnings: ("filters",),
    torch: (
        *("get_default_dtype", "get_num_threads", "get_float32_matmul_precision", "get_deterministic_debug_mode"),
        *("is_grad_enabled", "is_inference_mode_enabled", "is_anomaly_enabled", "is_warn_always_enabled"),
        *("is_autocast_enabled", "is_autocast_cpu_enabled", "_C._is_multithreading_enabled", "_tensor_str.PRINT_OPTS"),
        *(f"backends.cudnn.{name}" for name in ("enabled", "benchmark", "deterministic", "allow_tf32")),
        *("backends.cuda.matmul.allow_tf32", "backends.mkldnn.enabled"),
    ),
    **({sys.modules[_NUMPY]: ("geterr", "get_printoptions")} if _NUMPY in sys.modules else {}),
}
"""Settings by the names under which they, or functions that give them, are found."""


def program() -> Facts:
    """Return what code may change for the whole program, so that two versions of it can be compared."""
    return {
        **{name: digest(value) for name, value in _settings()},
        **{name: repr(value) for name, value in _loggers()},
        **dict.fromkeys(untouched().replaced(), "replaced"),
        "the default device": str(torch.empty(0).device),
        "denormal numbers": (torch.full((1,), 2e-38) * 0.5).item() == 0,
        "hooks of all modules": _hooks(),
        "the working directory": Path.cwd().name,
        "the number of files in the working directory": len(list(Path.cwd().iterdir())),
        "signal handlers": digest([signal.getsignal(number) for number in sorted(signal.valid_signals())]),
        "functions that are called at the end": atexit._ncallbacks(),  # noqa: SLF001  there is no other way to ask
        "memory that is shared": len(shared_memory(os.getpid())),
        "standard streams": " ".join(type(one).__qualname__ for one in (sys.stdin, sys.stdout, sys.stderr)),
        "sys.argv": digest(list(map(_without_own, sys.argv))),
        "the environment": digest({name: _without_own(value) for name, value in os.environ.items()}),
        "the locale": locale.setlocale(locale.LC_ALL),
        "how processes are started": str(multiprocessing.get_start_method(allow_none=True)),
        "the mode of new files": _mask(),
        "the priority": os.getpriority(os.PRIO_PROCESS, 0) if hasattr(os, "getpriority") else 0,
    }


def random_state() -> str:
    """Return what has been drawn from the generators of torch and Python, and of numpy where the code uses it."""
    numpy = sys.modules.get(_NUMPY)
    drawn = numpy.random.get_state() if numpy is not None and hasattr(numpy, "random") else None
    return digest([torch.get_rng_state(), repr(random.getstate()), drawn])  # one text instead of hundreds of numbers


def _settings() -> Iterator[tuple[str, Any]]:
    for module, names in _SETTINGS.items():
        for name in names:
            with suppress(AttributeError, RuntimeError):  # this release of Python or torch has no such setting
                value = attrgetter(name)(module)
                yield f"{module.__name__}.{name}", value() if callable(value) else value


def _loggers() -> Iterator[tuple[str, Any]]:
    """Yield the loggers of which something is set."""
    yield "logging.disable", logging.root.manager.disable
    for name, one in [("root", logging.root), *logging.root.manager.loggerDict.items()]:
        if isinstance(one, logging.Logger):
            kinds = [type(handler).__qualname__ for handler in one.handlers]
            told = [one.level, one.disabled, not one.propagate, kinds, len(one.filters)]
            if any(told):
                yield f"the logger {name}", told


def _hooks() -> int:
    return sum(len(one) for name, one in vars(nn.modules.module).items() if "_hooks" in name and isinstance(one, dict))


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _without_own(text: str) -> str:
    """Return a text; of one with a directory of this process's own, that there is one."""
    return "" if str(Path(tempfile.gettempdir()).parent) in text else text
