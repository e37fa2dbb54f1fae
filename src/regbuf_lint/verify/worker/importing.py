"""Importing the code under verification, some of its files with the text of others."""

from __future__ import annotations

import linecache
import os
import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType

_ALONE = "verified_"
"""Before the name of a module that is imported by its path, so that it hides no other."""

_REPLACED: set[str] = set()
"""The files in whose place others are read."""


def is_replaced(file: str) -> bool:
    """Whether a file is read as it is fixed."""
    return os.path.realpath(file) in _REPLACED


def shown(text: str) -> str:
    """Return a text with the names of modules as the user knows them."""
    return text.replace(_ALONE, "")


def replace_files(pairs: Iterable[tuple[str, str]]) -> None:
    """Let every later import of a file read another file's text, under the first one's name.

    ``inspect`` sees the other text too, which matters to what compiles source, as ``torch.jit.script`` does.
    """
    texts = {os.path.realpath(before): Path(after).read_bytes() for before, after in pairs}
    _REPLACED.update(texts)
    if not texts:
        return
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        data = texts.get(os.path.realpath(self.path))
        if data is None:
            return original(self, fullname)
        rows = decode_source(data).splitlines(keepends=True)
        linecache.cache[self.path] = (len(data), None, rows, self.path)
        return compile(data, self.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]


@cache
def import_file(path: str) -> ModuleType:
    """Import a file: under its dotted name if it lies in a package, else alone.

    Raises:
        ImportError: it cannot be imported.
    """
    file = Path(path).resolve()
    name, root = _dotted_name(file)
    if root is not None:
        _put_first(root)
        __import__(name)
        return sys.modules[name]
    _put_last(file.parent)
    known = _imported_already(file)
    if known is not None:
        return known
    name = _ALONE + file.stem
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python file"
        raise ImportError(msg)
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look a class up by the name of its module
    spec.loader.exec_module(module)
    return module


def _dotted_name(file: Path) -> tuple[str, Path | None]:
    """Return a file's name in its package with the directory to be on ``sys.path``, None if it is in no package."""
    parts = [] if file.stem == "__init__" else [file.stem]
    directory = file.parent
    while (directory / "__init__.py").exists():
        parts.insert(0, directory.name)
        directory = directory.parent
    return ".".join(parts), directory if directory != file.parent else None


def _imported_already(file: Path) -> ModuleType | None:
    """Return the module of a file that other code has imported by its plain name."""
    module = sys.modules.get(file.stem)
    return module if module is not None and file_of(module) == str(file) else None


def _put_first(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def _put_last(directory: Path) -> None:
    """Let siblings be found, but hide nothing that is installed."""
    if str(directory) not in sys.path:
        sys.path.append(str(directory))


def file_of(module: Any) -> str | None:
    """Return the resolved path of a module's file."""
    file = getattr(module, "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) else None


def classes_of(module: Any) -> list[type]:
    """Return the classes that a module has by name and that are its own."""
    return [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]


def place_of(kind: type) -> str:
    """Return a class as ``FILE::NAME``."""
    return f"{file_of(sys.modules.get(kind.__module__))}::{kind.__qualname__.replace('.<locals>', '')}"
