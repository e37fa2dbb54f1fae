"""What the whole program shares: settings of Python and torch, and what stands in the place of their functions."""

from __future__ import annotations

import atexit
import builtins
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
from operator import attrgetter, is_
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.isolation.server import shared_memory
from regbuf_lint.verify.worker.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regbuf_lint.verify.model import Facts

_NUMPY = "numpy"
_ATOMS = (bool, int, float, str, bytes, type(None))
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
_PLACES: dict[str, Any] = {
    **dict(sys.modules),
    **{
        f"{place.__name__}.{name}": kind
        for place in (builtins, torch, nn, torch.optim, torch.distributions, torch.autograd)
        for name, kind in vars(place).items()
        if isinstance(kind, type)
    },
}
_BEFORE = {place: dict(vars(held)) for place, held in _PLACES.items() if hasattr(held, "__dict__")}
"""What modules and classes of Python, torch and numpy have before any other code has run."""


def program() -> Facts:
    """Return what code may change for the whole program, so that two versions of it can be compared."""
    return {
        **{name: digest(value) for name, value in _settings()},
        **{name: digest(value) for name, value in _loggers()},
        **dict.fromkeys(_replaced(), "replaced"),
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


def _replaced() -> Iterator[str]:
    """Yield what is another than before: functions and classes, numbers and texts; what libraries note is left out."""
    for place, before in _BEFORE.items():
        now = vars(_PLACES[place])
        if not all(map(is_, map(now.get, before), before.values())):  # in C, since there are some 100,000 names
            changed = (name for name, one in before.items() if now.get(name) is not one)
            yield from (f"{place}.{name}" for name in changed if _counts(name, before[name], now))
        yield from (f"{place}.{name}" for name in now.keys() - before.keys() if _is_added(place, now[name]))
        if sys.modules.get(place, _PLACES[place]) is not _PLACES[place]:
            yield place


def _is_added(place: str, value: Any) -> bool:
    """Whether a name that was not there comes from elsewhere; a package imports files of its own when it needs them."""
    if isinstance(value, ModuleType):
        return False
    top = (getattr(value, "__module__", None) or "").partition(".")[0]
    return place == builtins.__name__ or (callable(value) and top != place.partition(".")[0])


def _counts(name: str, before: Any, now: Mapping[str, Any]) -> bool:
    is_code = callable(before) or hasattr(type(before), "__get__")
    return name not in now or is_code or (isinstance(before, _ATOMS) and now[name] != before)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _without_own(text: str) -> str:
    """Return a text; of one with a directory of this process's own, that there is one."""
    return "" if str(Path(tempfile.gettempdir()).parent) in text else text
