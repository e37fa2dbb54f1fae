"""What a running program stores on its ``nn.Module`` objects, line by line.

The methods of ``nn.Module`` that store are replaced by functions that note where a value came from which may hold
tensors, and look at nothing else, so that a test suite hardly runs longer. What an object holds is looked at when its
construction ends: a tensor that is deleted, registered or replaced by a Parameter until then was a temporary, and an
object whose constructor raises holds nothing. While torch compiles or exports, only the methods of torch itself run. No
code of the program is called, and whatever goes wrong here is never the program's to see.
"""

from __future__ import annotations

import inspect
import re
import sys
import weakref
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass
from functools import update_wrapper
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.distributions import Distribution

from regbuf_lint.verify.constructions import (
    INITIALISERS,
    MOST_COUNTED,
    Constructions,
    first_argument,
    outermost_initialiser,
)
from regbuf_lint.verify.containers import tensors_in
from regbuf_lint.verify.structure import (
    attributes,
    buffers,
    class_attributes,
    is_of_torch,
    modules,
    names_in,
    parameters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType

__all__ = ["DEPTH", "INITIALISERS", "Line", "Recorder", "first_argument", "stored_kind", "storing_frame", "value_kind"]

DEPTH = 3
"""How deep containers are searched for tensors that are stored after construction."""

_INSTALLED = ("site-packages", "dist-packages")
_ALIAS = "alias"
_GENERATED = "<string>"
"""The file of code that dataclasses write."""
_LOOKED_INTO = (list, tuple, dict)
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size})
_ASSIGNING = "__setattr__"
_MOVERS = ("_apply", "to")
_PAST_MODULE = frozenset({"__setattr__", "__dict__", "vars", "__setstate__"})
"""Names by which code stores past the methods of ``nn.Module``."""


@dataclass
class Line:
    """What one line stored in one attribute.

    Attributes:
        file: the file, relative to the root.
        line: the line.
        attribute: the attribute.
        kind: ``tensor``, or what holds it (see ``Straggler.kind``).
        classes: names of the classes of the objects.
        building: how many objects had it stored while they were built and kept it; of each class, no more than some
            ``MOST_COUNTED`` are counted.
        later: how often it was stored after that.
        collecting: how many of ``building`` there were before the first test ran.
        moves_itself: whether every class has an ``_apply`` or ``to`` of its own that speaks of the attribute.
    """

    file: str
    line: int
    attribute: str
    kind: str
    classes: set[str] = field(default_factory=set)
    building: int = 0
    later: int = 0
    collecting: int = 0
    moves_itself: bool = True


@dataclass
class _Object:
    """What is known of an object: where its attributes were stored, and which of them count."""

    is_watched: bool = False
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    counted: dict[str, Line] = field(default_factory=dict)


class Recorder:
    """Records what the files below a directory store, between ``start`` and ``stop``.

    Args:
        root: the directory; what is installed below it (``site-packages``) is left out.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._lines: dict[tuple[str, int, str], Line] = {}
        self._files: dict[str, str | None] = {}
        self._objects: dict[int, _Object] = {}
        self._silent: dict[type, bool] = {}
        self._spoken: dict[tuple[type, str], tuple[str, int]] = {}
        self._originals: dict[str, Any] = {}
        self._constructions = Constructions(self._ended)

    def start(self) -> None:
        """Begin to record."""
        self._replace(_ASSIGNING, self._stored)
        for name in ("__delattr__", "register_buffer", "register_parameter"):
            self._replace(name, self._dropped)
        self._replace("__init__", self._begun)

    def _replace(self, name: str, note: Callable[..., None]) -> None:
        """Let something be noted after a method of ``nn.Module`` has run."""
        original = self._originals[name] = vars(nn.Module)[name]
        key = (id(self), name)
        _NOTES[key] = note
        replacing = (_assigning if name == _ASSIGNING else _noting)(original, key)
        update_wrapper(replacing, original)
        replacing.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
        replacing.__code__ = replacing.__code__.replace(co_name=name)  # torch's compiler knows methods by their code
        setattr(nn.Module, name, replacing)

    def stop(self) -> None:
        """Undo ``start``."""
        for name, original in self._originals.items():
            setattr(nn.Module, name, original)
            del _NOTES[id(self), name]
        self._originals.clear()

    def collected(self) -> None:
        """Note that all modules of the tests have been imported, and no test has run."""
        for line in self._lines.values():
            line.collecting = line.building

    def lines(self) -> list[Line]:
        """Return what was recorded and not undone, by file and line."""
        return [line for _, line in sorted(self._lines.items()) if line.building or line.later]

    # ---- what happens ------------------------------------------------------------------------------------------------

    def _begun(self, module: nn.Module, *_: Any, **__: Any) -> None:
        """Watch from the start what may store without a word; watching slows down whatever runs meanwhile."""
        kind = type(module)
        if kind not in self._silent:
            self._silent[kind] = self._of_project(kind) and stores_silently(kind)
        if self._silent[kind]:
            known = self._known(module, storing_frame())
            if not known.is_watched:  # its class has no constructor of its own
                self._ended(module, raised=False)

    def _stored(self, module: nn.Module, name: str, value: Any) -> None:
        known = self._objects.get(id(module))
        if known is None and type(value) in _PLAIN:  # most often, and torch takes its time to say what is a Parameter
            return
        is_registered = isinstance(value, (nn.Module, nn.Parameter))
        if known is not None:
            self._forget(known, name, is_undone=known.is_watched or is_registered)
        if is_registered or not may_hold_tensors(value):
            return
        frame = storing_frame()
        place = self._place_of(frame, type(module), name) if frame is not None else None
        if frame is None or place is None:
            return
        if known is None and self._is_counted_enough((*place, name), type(module)):
            return
        known = self._known(module, frame)
        known.places[name] = place
        if known.is_watched:
            return  # what has become of it is seen when construction ends
        kind = stored_kind(module, name, value)
        if kind in {"tensor", "container", "distribution"}:
            self._count(module, known, name, kind, is_built=outermost_initialiser(module, frame) is None)

    def _place_of(self, frame: FrameType, kind: type, name: str) -> tuple[str, int] | None:
        """Return the line of the project that a frame runs; of a dataclass, whose constructor has none, its field."""
        file = self._file(frame.f_code.co_filename)
        if file is not None:
            return file, frame.f_lineno
        is_generated = is_dataclass(kind) and frame.f_code.co_filename == _GENERATED and self._of_project(kind)
        return self._place_in_class(kind, name) if is_generated else None

    def _dropped(self, module: nn.Module, *arguments: Any, **named: Any) -> None:
        known = self._objects.get(id(module))
        if known is not None:
            self._forget(known, arguments[0] if arguments else named["name"], is_undone=True)

    def _ended(self, module: nn.Module, raised: bool) -> None:  # noqa: FBT001  what is told of an object
        """Look at what an object holds now that its construction has ended."""
        with suppress(Exception):
            known = self._objects[id(module)]
            known.is_watched = False
            if raised:
                return
            owners = [owner for _, owner in modules(module)]
            members = frozenset(map(id, owners))
            own = {**class_attributes(type(module)), **attributes(module)}
            every = ((name, tensors_in(one, members)) for name, one in own.items() if name not in _KEPT)
            found = [(name, held) for name, tensors in every if (held := list(tensors))]
            if not found:
                return
            trained = {id(one) for owner in owners for one in parameters(owner).values()}
            moved = {id(one) for owner in owners for one in buffers(owner).values()}
            registered = trained | moved
            for name, held in found:
                plain = [where.kind for where, one in held if id(one) not in registered]
                if plain or any(id(one) in moved for _, one in held):
                    self._count(module, known, name, plain[0] if plain else _ALIAS, is_built=False)

    # ---- what is known -----------------------------------------------------------------------------------------------

    def _known(self, module: nn.Module, frame: FrameType | None) -> _Object:
        """Return what is known of an object; it is forgotten when the object goes."""
        number = id(module)
        if number not in self._objects:
            self._objects[number] = _Object()
            weakref.finalize(module, self._objects.pop, number, None).atexit = False
            self._objects[number].is_watched = self._constructions.watch(module, frame)
        return self._objects[number]

    def _is_counted_enough(self, place: tuple[str, int, str], kind: type) -> bool:
        line = self._lines.get(place)
        return line is not None and line.building >= MOST_COUNTED and kind.__qualname__ in line.classes

    def _count(self, module: nn.Module, known: _Object, name: str, kind: str, *, is_built: bool) -> None:
        file, number = known.places.get(name) or self._place_in_class(type(module), name)
        line = self._lines.setdefault((file, number, name), Line(file, number, name, kind))
        line.classes.add(type(module).__qualname__)
        line.moves_itself &= speaks_of(type(module), name)
        if is_built:
            line.later += 1
        else:
            line.building += 1
            known.counted[name] = line

    @staticmethod
    def _forget(known: _Object, name: str, *, is_undone: bool) -> None:
        """Forget what was stored in an attribute; what stayed to the end of construction counts, if not undone."""
        known.places.pop(name, None)
        line = known.counted.pop(name, None) if is_undone else None
        if line is not None:
            line.building -= 1

    def _of_project(self, kind: type) -> bool:
        module = sys.modules.get(kind.__module__)
        return self._file(getattr(module, "__file__", None) or "") is not None

    def _place_in_class(self, kind: type, name: str) -> tuple[str, int]:
        """Return where a class speaks of an attribute: what stores past ``nn.Module`` does not say where."""
        if (kind, name) not in self._spoken:
            self._spoken[kind, name] = self._row_in_class(kind, name)
        return self._spoken[kind, name]

    def _row_in_class(self, kind: type, name: str) -> tuple[str, int]:
        for base in kind.__mro__:
            file = self._file(getattr(sys.modules.get(base.__module__), "__file__", None) or "")
            if file is not None:
                with suppress(OSError, TypeError):  # a class that was not read from a file
                    rows, first = inspect.getsourcelines(base)
                    number = _row_of(rows, name)
                    if number is not None:
                        return file, first + number
        code: CodeType | None = getattr(vars(kind).get("__init__"), "__code__", None)
        file = self._file(code.co_filename) if code is not None else None
        return (file, code.co_firstlineno) if code is not None and file is not None else ("", 0)

    def _file(self, filename: str) -> str | None:
        """Return a file's path relative to the root, None where it is elsewhere or installed."""
        if filename not in self._files:
            path = Path(filename).resolve()
            inside = path.is_file() and path.is_relative_to(self._root)
            inside = inside and not set(_INSTALLED).intersection(path.parts)
            self._files[filename] = path.relative_to(self._root).as_posix() if inside else None
        return self._files[filename]


_KEPT = frozenset(vars(nn.Module()))
_NOTES: dict[tuple[int, str], Callable[..., None]] = {}
"""What recorders do after a method of ``nn.Module`` has run; torch's compiler takes no bound method in a closure."""
_IS_COMPILING: Any = getattr(torch.compiler, "is_compiling", None) or torch._dynamo.is_compiling  # noqa: SLF001


def _noting(original: Callable[..., Any], key: tuple[int, str]) -> FunctionType:
    """Return what does what a method does, and notes it."""

    def noting(module: nn.Module, *arguments: Any, **named: Any) -> Any:
        if _IS_COMPILING():
            return original(module, *arguments, **named)
        result = original(module, *arguments, **named)
        try:  # noqa: SIM105  so often that a ``with`` would be felt
            _NOTES[key](module, *arguments, **named)
        except Exception:  # noqa: BLE001, S110
            pass
        return result

    return cast("FunctionType", noting)


def _assigning(original: Callable[..., Any], key: tuple[int, str]) -> FunctionType:
    """Return what does what ``__setattr__`` does, and notes it; as above, and faster, since it runs most often."""

    def assigning(module: nn.Module, name: str, value: Any) -> None:
        original(module, name, value)
        if _IS_COMPILING():
            return
        try:  # noqa: SIM105
            _NOTES[key](module, name, value)
        except Exception:  # noqa: BLE001, S110
            pass

    return cast("FunctionType", assigning)


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


def may_hold_tensors(value: Any) -> bool:
    """Whether a value is a tensor, or one may be found in it, now or later."""
    if isinstance(value, FunctionType):
        bound = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
        return bool(value.__closure__) or any(type(one) not in _PLAIN for one in bound)
    if type(value) is tuple and all(type(one) in _PLAIN for one in value):
        return False  # nobody can add to it
    return type(value) not in _PLAIN and not isinstance(value, (type, BuiltinFunctionType))


def stores_silently(kind: type[nn.Module]) -> bool:
    """Whether a class has attributes of which ``nn.Module`` is not told when they are stored, its own included."""
    if any(True for value in class_attributes(kind).values() for _ in tensors_in(value)):
        return True
    own = [vars(base) for base in kind.__mro__ if not is_of_torch(base)]
    if any("__slots__" in names for names in own):
        return True
    codes = [one.__code__ for names in own for one in names.values() if inspect.isfunction(one)]
    return any(_PAST_MODULE & names_in(code) for code in codes)


def _row_of(rows: Sequence[str], name: str) -> int | None:
    """Return the number of the row that makes an attribute of a class, or that has its name as a text."""
    made = re.compile(rf"\s*{re.escape(name)}\s*[:=](?!=)|.*[\"']{re.escape(name)}[\"']")
    return next((number for number, row in enumerate(rows) if made.match(row)), None)


def speaks_of(kind: type[nn.Module], attribute: str) -> bool:
    """Whether an ``_apply`` or ``to`` of a class's own names an attribute, or asks for attributes by no name at all."""
    own = (vars(base).get(name) for base in kind.__mro__ if not is_of_torch(base) for name in _MOVERS)
    names = {name for one in own if inspect.isfunction(one) for name in names_in(one.__code__)}
    return attribute in names or bool(names & {"__dict__", "vars", "getattr", "setattr"})


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
