"""What a running program stores on its ``nn.Module`` objects, line by line.

``nn.Module.__setattr__`` is replaced by a function that looks at values which hold tensors, and at nothing else, so
that a test suite hardly runs longer. A tensor that is deleted, registered or replaced by a Parameter later was a
temporary, and does not count.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.distributions import Distribution

from regbuf_lint.verify.containers import tensors_in

if TYPE_CHECKING:
    from types import FrameType

INITIALISERS = frozenset({"__init__", "__post_init__"})
DEPTH = 3
"""How deep containers are searched for tensors."""

_INSTALLED = ("site-packages", "dist-packages")
_LOOKED_INTO = (list, tuple, dict)


@dataclass
class Line:
    """What one line stored in one attribute.

    Attributes:
        file: the file, relative to the root.
        line: the line.
        attribute: the attribute.
        kind: ``tensor``, ``container`` or ``distribution``.
        classes: names of the classes of the objects.
        building: how many objects had it stored while they were built and kept it.
        later: how often it was stored after that.
        moves_itself: whether every class has an ``_apply`` or ``to`` of its own, which may move it.
    """

    file: str
    line: int
    attribute: str
    kind: str
    classes: set[str] = field(default_factory=set)
    building: int = 0
    later: int = 0
    moves_itself: bool = True


class Recorder:
    """Records what the files below a directory store, between ``start`` and ``stop``.

    Args:
        root: the directory; what is installed below it (``site-packages``) is left out.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._lines: dict[tuple[str, int, str], Line] = {}
        self._files: dict[str, str | None] = {}
        self._pending: dict[int, dict[str, Line]] = {}
        self._originals: dict[str, Any] = {}

    def start(self) -> None:
        """Begin to record."""
        original = nn.Module.__setattr__
        looked_into = (torch.Tensor, Distribution, *_LOOKED_INTO)
        kept: dict[int, dict[str, Line]] = self._pending

        def storing(module: nn.Module, name: str, value: Any) -> None:
            original(module, name, value)
            if isinstance(value, looked_into) and not isinstance(value, nn.Parameter):
                self._record(module, name, value)
            elif kept and id(module) in kept:
                self._forget(module, name)

        self._replace("__setattr__", storing)
        self._replace("__delattr__", self._forgetting(nn.Module.__delattr__))
        self._replace("register_buffer", self._forgetting(nn.Module.register_buffer))
        self._replace("register_parameter", self._forgetting(nn.Module.register_parameter))

    def _replace(self, name: str, function: Any) -> None:
        self._originals[name] = vars(nn.Module)[name]
        function.__name__ = name
        function.__doc__ = self._originals[name].__doc__
        setattr(nn.Module, name, function)

    def _forgetting(self, original: Any) -> Any:
        """Wrap a method after which the attribute that its first argument names is no plain one."""

        def forgetting(module: nn.Module, name: str, *arguments: Any, **others: Any) -> Any:
            if id(module) in self._pending:
                self._forget(module, name)
            return original(module, name, *arguments, **others)

        return forgetting

    def stop(self) -> None:
        """Undo ``start``."""
        for name, original in self._originals.items():
            setattr(nn.Module, name, original)
        self._originals.clear()

    def lines(self) -> list[Line]:
        """Return what was recorded and not undone, by file and line."""
        return [line for _, line in sorted(self._lines.items()) if line.building or line.later]

    def _record(self, module: nn.Module, name: str, value: Any) -> None:
        kind = stored_kind(module, name, value)
        frame = storing_frame() if kind in {"tensor", "container", "distribution"} else None
        file = self._file(frame.f_code.co_filename) if frame is not None else None
        if frame is None or file is None:
            self._forget(module, name)
            return
        line = self._line(file, frame.f_lineno, name, kind)
        line.classes.add(type(module).__qualname__)
        line.moves_itself &= moves_itself(type(module))
        if not is_being_built(module, frame):
            line.later += 1
            return
        self._forget(module, name)
        line.building += 1
        self._keep(module, name, line)

    def _line(self, file: str, number: int, name: str, kind: str) -> Line:
        key = (file, number, name)
        if key not in self._lines:
            self._lines[key] = Line(file, number, name, kind)
        return self._lines[key]

    def _keep(self, module: nn.Module, name: str, line: Line) -> None:
        """Remember who stored an attribute, for as long as the object lives."""
        number = id(module)
        if number not in self._pending:
            self._pending[number] = {}
            weakref.finalize(module, self._pending.pop, number, None).atexit = False
        self._pending[number][name] = line

    def _forget(self, module: nn.Module, name: str) -> None:
        """Take back what an object under construction had stored."""
        line = self._pending.get(id(module), {}).pop(name, None)
        if line is not None:
            line.building -= 1

    def _file(self, filename: str) -> str | None:
        """Return a file's path relative to the root, None where it is elsewhere or installed."""
        if filename not in self._files:
            path = Path(filename).resolve()
            inside = path.is_relative_to(self._root) and not set(_INSTALLED).intersection(path.parts)
            self._files[filename] = path.relative_to(self._root).as_posix() if inside else None
        return self._files[filename]


# ---- values ----------------------------------------------------------------------------------------------------------


def value_kind(value: Any) -> str:
    """Return what a value is: a parameter, tensor, none, module, distribution, container or other.

    A container is a list, tuple or dict with tensors that are no Parameters, however deep, down to ``DEPTH``.
    """
    if isinstance(value, nn.Parameter):
        return "parameter"
    if isinstance(value, torch.Tensor):
        return "tensor"
    if value is None:
        return "none"
    if isinstance(value, nn.Module):
        return "module"
    if isinstance(value, Distribution):
        return "distribution"
    if isinstance(value, _LOOKED_INTO) and _has_tensors(value):
        return "container"
    return "other"


def _has_tensors(value: Any) -> bool:
    found = (tensor for where, tensor in tensors_in(value, deepest=DEPTH) if where.kind == "container")
    return any(not isinstance(tensor, nn.Parameter) for tensor in found)


def stored_kind(module: nn.Module, name: str, value: Any) -> str:
    """Return what a value is that has just been stored; ``buffer`` and ``property`` are no plain attributes."""
    if name in (vars(module).get("_buffers") or {}):
        return "buffer"
    if name not in vars(module) and hasattr(inspect.getattr_static(type(module), name, None), "__set__"):
        return "property"
    return value_kind(value)


def moves_itself(kind: type[nn.Module]) -> bool:
    """Whether a class overrides what moves a module."""
    return kind._apply is not nn.Module._apply or kind.to is not nn.Module.to  # noqa: SLF001  classes override it


# ---- frames ----------------------------------------------------------------------------------------------------------


def storing_frame(*skipped: str) -> FrameType | None:
    """Return the frame of the statement that stores: the innermost that is no ``__setattr__``.

    Args:
        skipped: files whose frames do not count, beside this one.
    """
    own = (__file__, *skipped)
    frame: FrameType | None = sys._getframe()  # noqa: SLF001
    while frame is not None and (frame.f_code.co_filename in own or frame.f_code.co_name == "__setattr__"):
        frame = frame.f_back
    return frame


def is_being_built(module: nn.Module, frame: FrameType | None) -> bool:
    """Whether one of the initialisers of an object runs, in a frame or in one of those that called it."""
    while frame is not None:
        if frame.f_code.co_name in INITIALISERS and first_argument(frame) is module:
            return True
        frame = frame.f_back
    return False


def first_argument(frame: FrameType) -> Any:
    """Return the object that an initialiser is called on."""
    code = frame.f_code
    if not code.co_varnames:
        return None
    first = frame.f_locals.get(code.co_varnames[0])
    if not code.co_argcount:
        return first[0] if isinstance(first, tuple) and first else None
    return first
