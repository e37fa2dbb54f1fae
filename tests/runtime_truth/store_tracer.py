"""What a running program really stores on its nn.Module objects, line by line.

``nn.Module.__setattr__`` is patched, so that every ``self.x = value`` (also by ``setattr``) of any module is seen. A
trace function watches the frames of ``__init__`` and ``__post_init__``: an object is under construction while one of
them runs with that object as its first argument. When the construction of the outermost object ends, what has become
of each attribute is looked up, which tells a tensor that stays from one that is deleted, registered, or made a
Parameter in the end. The same trace function notes which of some given lines run at all.

Only what happens in files below one directory is recorded. The traced program is not changed otherwise.
"""

from __future__ import annotations

import dis
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from regbuf_lint.verify.own_moves import moved_by_class
from regbuf_lint.verify.recorder import INITIALISERS, first_argument, stored_kind, storing_frame, value_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType, FrameType

HELD = frozenset({"tensor", "container", "distribution"})
"""Kinds that hold tensors which ``nn.Module`` does not know."""


@dataclass
class Store:
    """All stores of one attribute by one line.

    Attributes:
        classes: names of the classes of the objects.
        building: how often which kind of value was stored while the object was under construction.
        later: the same after construction.
        final: what became of the attribute, for each construction in which this line stored a kind of ``HELD``.
        moved: names of the classes whose own ``_apply`` or ``to`` reaches the value.
    """

    classes: set[str] = field(default_factory=set)
    building: Counter[str] = field(default_factory=Counter)
    later: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)
    moved: set[str] = field(default_factory=set)


@dataclass
class _Object:
    """An object whose construction has begun.

    Attributes:
        module: the object; holding it keeps its ``id`` from being used again.
        depth: how many of its initialisers run now.
        stores: the lines that stored tensors, with the attribute.
        failed: whether construction ended with an exception.
    """

    module: nn.Module
    depth: int = 0
    stores: dict[str, list[Store]] = field(default_factory=dict)
    failed: bool = False


class _Thread(threading.local):
    """The objects under construction in one thread, by ``id``."""

    def __init__(self) -> None:
        self.objects: dict[int, _Object] = {}
        self.running = 0
        self.paused = False


class Tracer:
    """Records the stores in files below ``root`` between ``start`` and ``stop``.

    Args:
        root: directory whose files are looked at.
        lines: the lines whose execution is of interest, by file relative to ``root``.
    """

    def __init__(self, root: Path, lines: Mapping[str, Iterable[int]] | None = None) -> None:
        self.stores: dict[tuple[str, int, str], Store] = {}
        self.executed: dict[str, set[int]] = {}
        self._root = root.resolve()
        self._wanted = {file: frozenset(numbers) for file, numbers in (lines or {}).items()}
        self._files: dict[str, str | None] = {}
        self._codes: dict[int, tuple[CodeType, bool, frozenset[int]]] = {}
        self._asked: set[tuple[type, str]] = set()
        self._thread = _Thread()
        self._original: Any = None

    def start(self) -> None:
        """Patch ``nn.Module`` and begin to trace."""
        original = self._original = nn.Module.__setattr__

        def traced(module: nn.Module, name: str, value: Any) -> None:
            original(module, name, value)
            if not self._thread.paused:
                self._record(module, name, value)

        traced.__name__ = "__setattr__"
        nn.Module.__setattr__ = traced  # type: ignore[method-assign, assignment]
        self.resume()

    def resume(self) -> None:
        """Trace again after something else has set a trace function; what was under construction then is forgotten."""
        if sys.gettrace() != self._on_call:
            self._thread.objects.clear()
            self._thread.running = 0
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)

    def stop(self) -> None:
        """Undo ``start``."""
        sys.settrace(None)
        threading.settrace(None)
        nn.Module.__setattr__ = self._original  # type: ignore[method-assign]

    def as_json(self) -> dict[str, Any]:
        """What was seen."""
        stores = [
            {
                "file": file,
                "line": line,
                "attribute": attribute,
                "classes": sorted(store.classes),
                "building": dict(store.building),
                "later": dict(store.later),
                "final": dict(store.final),
                "moved": sorted(store.moved),
            }
            for (file, line, attribute), store in sorted(self.stores.items())
        ]
        return {"stores": stores, "executed": {file: sorted(lines) for file, lines in sorted(self.executed.items())}}

    # ---- stores ------------------------------------------------------------------------------------------------------

    def _record(self, module: nn.Module, name: str, value: Any) -> None:
        frame = storing_frame(__file__)
        file = self._file(frame.f_code.co_filename) if frame is not None else None
        if frame is None or file is None:
            return
        kind = stored_kind(module, name, value)
        store = self.stores.setdefault((file, frame.f_lineno, name), Store())
        store.classes.add(type(module).__qualname__)
        known = self._thread.objects.get(id(module))
        if known is None or not known.depth:
            store.later[kind] += 1
            return
        store.building[kind] += 1
        if kind in HELD:
            known.stores.setdefault(name, []).append(store)

    def _file(self, filename: str) -> str | None:
        """A file's path relative to the root, None where it is elsewhere."""
        if filename not in self._files:
            path = Path(filename).resolve()
            inside = path.is_relative_to(self._root)
            self._files[filename] = path.relative_to(self._root).as_posix() if inside else None
        return self._files[filename]

    # ---- frames ------------------------------------------------------------------------------------------------------

    def _on_call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, code.co_name in INITIALISERS, self._lines(code))
        _, initialiser, lines = known
        module = first_argument(frame) if initialiser else None
        if not isinstance(module, nn.Module):
            return self._watch_lines(frame, lines) if lines else None
        return self._watch_initialiser(frame, module, lines)

    def _lines(self, code: CodeType) -> frozenset[int]:
        """The lines of interest in a function."""
        file = self._file(code.co_filename)
        wanted = self._wanted.get(file) if file is not None else None
        return wanted & {line for *_, line in code.co_lines() if line is not None} if wanted else frozenset()

    def _watch_lines(self, frame: FrameType, lines: frozenset[int]) -> Any:
        executed = self.executed.setdefault(self._file(frame.f_code.co_filename) or "", set())

        def on_event(frame: FrameType, event: str, _argument: Any) -> Any:
            if event == "line" and frame.f_lineno in lines:
                executed.add(frame.f_lineno)
            return on_event

        return on_event

    def _watch_initialiser(self, frame: FrameType, module: nn.Module, lines: frozenset[int]) -> Any:
        thread = self._thread
        known = thread.objects.setdefault(id(module), _Object(module))
        known.depth += 1
        thread.running += 1
        on_line = self._watch_lines(frame, lines) if lines else None
        frame.f_trace_lines = bool(lines)

        def on_event(frame: FrameType, event: str, argument: Any) -> Any:
            if on_line is not None:
                on_line(frame, event, argument)
            if event == "return" and thread.objects.get(id(module)) is known:
                known.depth -= 1
                thread.running -= 1
                known.failed |= not known.depth and not _returns(frame)
                if not thread.running:
                    self._finish()
            return on_event

        return on_event

    # ---- ends of constructions ---------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Look up what has become of the attributes, now that the outermost object is built."""
        thread = self._thread
        objects = list(thread.objects.values())
        thread.objects.clear()
        for known in objects:
            kinds = {name: "failed" if known.failed else final_kind(known.module, name) for name in known.stores}
            for name, stores in known.stores.items():
                for store in {id(store): store for store in stores}.values():
                    store.final[kinds[name]] += 1
            thread.paused = True
            try:
                self._ask_what_moves(known, [name for name, kind in kinds.items() if kind in HELD])
            finally:
                thread.paused = False

    def _ask_what_moves(self, known: _Object, names: list[str]) -> None:
        """Note which values a class's own ``_apply`` or ``to`` reaches; each class is asked once per attribute."""
        kind = type(known.module)
        asked = [name for name in names if (kind, name) not in self._asked]
        self._asked.update((kind, name) for name in asked)
        for name in moved_by_class(known.module, asked):
            for store in known.stores[name]:
                store.moved.add(kind.__qualname__)


# ---- values ----------------------------------------------------------------------------------------------------------


def final_kind(module: nn.Module, name: str) -> str:
    """What an attribute is; ``absent`` where it is gone."""
    for registry, kind in (("_parameters", "parameter"), ("_buffers", "buffer"), ("_modules", "module")):
        if name in _registered(module, registry):
            return kind
    return value_kind(module.__dict__[name]) if name in module.__dict__ else "absent"


def _registered(module: nn.Module, registry: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = module.__dict__.get(registry) or {}
    return found


# ---- frames ----------------------------------------------------------------------------------------------------------


def _returns(frame: FrameType) -> bool:
    """Whether a frame that ends does so by returning, not by an exception."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("RETURN")
