"""One version of a module under verification: built as often as needed, each time the same."""

from __future__ import annotations

import importlib
import os
import random
import re
import sys
import traceback
import warnings
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.isolation.server import HERE
from regbuf_lint.verify.stragglers import found
from regbuf_lint.verify.worker import importing
from regbuf_lint.verify.worker.accelerators import built_for_accelerator
from regbuf_lint.verify.worker.values import digest, moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from regbuf_lint.verify.model import Build, Facts

_STAGE = "_regbuf_stage"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OF_PYTHON = frozenset({"__annotations__", "__builtins__"})
_CONSTANTS = (torch.Tensor, list, tuple, dict)
_LONGEST_TRACEBACK = 4000
BUILDING, INPUTS, CALLING = 60_013, 60_017, 60_029
"""Seeds of random numbers, such as no code sets; those for building may be replaced to get other random values."""


class NoInputsError(Exception):
    """There is nothing to call the module with."""


class NamedInputsError(NoInputsError):
    """There are inputs, but not for what takes positions alone."""


class Subject:
    """What probes look at.

    Args:
        build: how the module is built.
        side: ``original`` or ``fixed``.
        exchange: a directory that both sides share; the original is looked at first.
        routes: the tensors of the original that no ``nn.Module`` knows, as paths in the notation of ``audit``, each
            with the way to its attribute; None where this is the original.
        changed: what the fix changes: its ``files``, the ``texts`` that stand in them in this version, and the
            ``functions``, as ``FILE::NAME``, and such as assign what is no tensor, each with its name, the line on
            which it begins, and whether it is changed.
    """

    def __init__(
        self,
        build: Build,
        side: str,
        exchange: Path,
        routes: dict[str, str] | None = None,
        changed: Facts | None = None,
    ) -> None:
        self.build = build
        self.side = side
        self.exchange = exchange
        self._routes = routes
        changed = changed or {}
        self.files: list[str] = changed.get("files", [])
        self.texts: list[str] = changed.get("texts", [])
        self.functions: dict[str, tuple[str, int, bool]] = changed.get("functions", {})
        self.raised_anew: dict[str, Facts] = {}
        """What uses of methods raise in a new module, whatever device or dtype they are tried in next."""
        self._given: tuple[Any, ...] = ()

    @cached_property
    def module(self) -> nn.Module:
        """The module, for looking at it only."""
        return self.fresh()

    @cached_property
    def routes(self) -> dict[str, str]:
        """The plain tensors of the original, each with the way to its attribute."""
        return self.plain if self._routes is None else self._routes

    @cached_property
    def plain(self) -> dict[str, str]:
        """The plain tensors of this version, each with the way to its attribute."""
        return {one.path: one.place for one, _ in found(self.module)}

    @property
    def places(self) -> set[str]:
        """The attributes of the original that hold plain tensors, with the way to them."""
        return set(self.routes.values())

    def outside(self) -> dict[str, Any]:
        """Return what the changed files and their classes keep under the names of constants."""
        modules = list(map(importing.import_file, self.files))
        owners: list[Any] = [*modules, *(kind for module in modules for kind in importing.classes_of(module))]
        fixed = {place.rpartition(".")[2] for place in self.places}
        return {
            f"{owner.__name__}.{name}": value
            for owner in owners
            for name, value in vars(owner).items()
            if isinstance(value, _CONSTANTS) and name not in _OF_PYTHON and (owner in modules or name not in fixed)
        }

    def fresh(self, seed: int = BUILDING) -> nn.Module:
        """Build the module anew, with the same random values for the same seed.

        Raises:
            TypeError: what was built is no ``nn.Module``.
        """
        seed_everything(seed)
        with stage(self._building):
            built = self._built()
        if isinstance(built, tuple) and built:
            self._given = built[1:]
            built = built[0]
        if not isinstance(built, nn.Module):
            msg = f"{self.build.make or self.build.init} gave {type(built).__name__}, not an nn.Module"
            raise TypeError(msg)
        return built

    def call(self, module: nn.Module, device: str = "", seed: int = CALLING) -> Any:
        """Call a module on inputs that are the same each time, moved to a device, or where they are made.

        A module that is built on a device of its own choice is given inputs that are made there, too.

        Raises:
            NoInputsError: none were given.
        """
        inputs = self.given()
        return called(module, moved(inputs, device) if device else inputs, seed)

    def inputs(self) -> tuple[Any, ...]:
        """Return positional inputs, for what takes no others.

        Raises:
            NoInputsError: there are none.
            NamedInputsError: they have names.
        """
        inputs = self.given()
        if isinstance(inputs, dict):
            msg = "the inputs have names"
            raise NamedInputsError(msg)
        return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)

    @property
    def _building(self) -> str:
        if self.build.make:
            return f"the factory {self.build.make.rpartition('::')[2]}()"
        return f"building {self.build.init}"

    def _built(self) -> Any:
        if self.build.make:
            return _function(self.build.make)()
        return self._evaluated(self.build.init)

    def given(self) -> Any:
        """Return the inputs as they were given, made anew.

        Raises:
            NoInputsError: there are none.
        """
        seed_everything(INPUTS)
        inputs = self.build.inputs
        with stage("making the inputs"):
            if "::" in inputs and os.path.isabs(inputs.partition("::")[0]):  # noqa: PTH117  a text, not a path
                file, _, name = inputs.rpartition("::")
                function = getattr(importing.import_file(file), name, None)
                if function is not None:
                    return function()
            elif inputs:
                return self._evaluated(inputs)
        if self._given:
            return deepcopy(self._given[0])
        msg = "no inputs were given"
        raise NoInputsError(msg)

    def _evaluated(self, expression: str) -> Any:
        names = {"torch": torch, "nn": nn, **vars(_imported(self.build.file))}
        return eval(expression, names)  # noqa: S307  the user's own expression, in a process of its own

    def tensors(self, module: nn.Module) -> dict[str, torch.Tensor]:
        """Return Parameters and buffers by name, those that share a tensor each."""
        return {
            **dict(module.named_parameters(remove_duplicate=False)),
            **dict(module.named_buffers(remove_duplicate=False)),
        }

    def differing(self, module: nn.Module, other: nn.Module) -> list[str]:
        """Return the names of Parameters and buffers whose bits differ."""
        theirs = self.tensors(other)
        return [
            name
            for name, tensor in self.tensors(module).items()
            if name not in theirs or digest(tensor) != digest(theirs[name])
        ]


def called(function: Callable[..., Any], inputs: Any, seed: int = CALLING) -> Any:
    """Call a module, or another function, on inputs: a dict has names, a tuple or list positions."""
    seed_everything(seed)
    with stage("the call"):
        if isinstance(inputs, dict):
            return function(**inputs)
        return function(*inputs) if isinstance(inputs, (tuple, list)) else function(inputs)


def _function(place: str) -> Any:
    file, _, name = place.rpartition("::")
    return getattr(_imported(file), name)


def _imported(file: str) -> ModuleType:
    with stage(f"importing {os.path.basename(file)}"):  # noqa: PTH119  a text
        return importing.import_file(file)


def seed_everything(seed: int) -> None:
    """Seed the generators of Python, torch, and of numpy where the code uses it."""
    random.seed(seed)
    if built_for_accelerator():
        torch.manual_seed(seed)
    else:  # the function above writes down a stack trace for each kind of accelerator, which takes longer than all else
        torch.default_generator.manual_seed(seed)
    numpy: ModuleType | None = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(seed)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Let what is raised say what was being done; the innermost stage counts."""
    try:
        yield
    except BaseException as error:
        if not hasattr(error, _STAGE):
            with suppress(Exception):
                setattr(error, _STAGE, name)
        raise


def error_facts(error: BaseException) -> Facts:
    """Return what is told of an exception: also what was being done, and the last line of the user's that did it."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if _is_users(one.filename)]
    last = frames[-1] if frames else None
    stage_now = str(getattr(error, _STAGE, ""))
    if (
        last is not None
        and any(one.name in {"__init__", "__post_init__"} for one in frames)
        and stage_now != "the call"
    ):
        stage_now = "the constructor"
    return {
        "error": {
            "stage": stage_now,
            "place": _place(last) if last else "",
            "traceback": _traceback(error)[-_LONGEST_TRACEBACK:],
            "type": type(error).__name__,
            "bases": [kind.__name__ for kind in type(error).__mro__],
            "message": _message(error)[:400],
            "module": (getattr(error, "name", None) or "") if isinstance(error, ImportError) else "",
        }
    }


def _place(row: traceback.FrameSummary) -> str:
    fixed = " as fixed" if importing.is_replaced(row.filename) else ""
    return f"{os.path.relpath(row.filename, here())}:{row.lineno}{fixed}"


def _traceback(error: BaseException) -> str:
    """Return the traceback from the first row of the user's on."""
    begin = error.__traceback__
    while begin is not None and not _is_users(begin.tb_frame.f_code.co_filename):
        begin = begin.tb_next
    return importing.shown("".join(traceback.format_exception(type(error), error, begin)))


def _message(error: BaseException) -> str:
    try:
        return _ADDRESS.sub("", importing.shown(" ".join(str(error).split())))
    except Exception:  # noqa: BLE001  whatever a foreign class raises
        return "its message cannot be read"


def here() -> str:
    """Return the directory where the run was started, which the working directory stands for."""
    return os.environ.get(HERE, "") or str(Path.cwd())


def _is_users(file: str) -> bool:
    """Whether a file is neither torch's, nor Python's, nor the verifier's."""
    own = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120  a text
    libraries = (own, *torch.__path__, os.path.dirname(os.__file__))  # noqa: PTH120
    return os.path.isabs(file) and not file.startswith(tuple(f"{one}{os.sep}" for one in libraries))  # noqa: PTH117


def prepare(build: Build) -> None:
    """Make results repeatable, and the code under verification importable."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    warnings.formatwarning = _formatted
    importing.replace_files(build.replaced)
    sys.path[:0] = [path for path in build.paths if path not in sys.path]
    importlib.invalidate_caches()


def _formatted(message: Warning | str, category: type[Warning], *_: object, **_named: object) -> str:
    """Return a warning without the line that it is about, which a fix may have changed."""
    return f"{category.__name__}: {message}\n"
