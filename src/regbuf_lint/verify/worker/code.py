"""What the changed files and their classes have by name, seen once they are imported and the module is built."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.worker.importing import classes_of, import_file, place_of, shown
from regbuf_lint.verify.worker.values import code_text, digest, parts

if TYPE_CHECKING:
    from types import CodeType

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


_OF_USERS = frozenset({"__all__", "__constants__"})
"""Names of Python and TorchScript whose values programs set."""


def names_of_files(subject: Subject) -> Facts:
    """Return the names of each changed file and of its classes after a call, with the values of those that are data."""
    with suppress(Exception, SystemExit):  # where it cannot be called, another check says so
        subject.call(subject.fresh())
    modules = list(map(import_file, subject.files))
    return {
        "files": {shown(module.__name__): _values(vars(module)) for module in modules},
        "classes": {kind.__qualname__: _values(vars(kind)) for module in modules for kind in classes_of(module)},
    }


def _values(names: Any) -> dict[str, str]:
    return {
        name: _head(value) if _is_code(value) else digest(value)
        for name, value in names.items()
        if name in _OF_USERS or not (name.startswith("__") and name.endswith("__") and not inspect.isroutine(value))
    }


def _is_code(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, (type, property)) or hasattr(type(value), "__get__")


def special(subject: Subject) -> list[str]:
    """Return the methods of the files' classes that take the place of inherited ones, or that Python calls itself."""
    found = []
    for file in subject.files:
        for kind in classes_of(import_file(file)):
            inherited = {name for base in kind.__mro__[1:] for name in vars(base)}
            own = (name for name, value in vars(kind).items() if _is_code(value))
            found += [f"{place_of(kind)}.{name}" for name in own if name in inherited or name.startswith("__")]
    return sorted(found)


def _head(value: Any) -> str:
    """Return what can be told of code besides the bodies of functions with names, which are compared elsewhere."""
    if isinstance(value, type):
        return f"{type(value).__qualname__} {value.__qualname__} {[base.__qualname__ for base in value.__bases__]}"
    if isinstance(value, property):
        return " ".join(["property", *map(_head, (value.fget, value.fset, value.fdel))])
    inner = getattr(value, "__func__", value)
    code = getattr(inner, "__code__", None)
    kind = type(value).__qualname__
    if code is None:
        return f"{kind} {getattr(inner, '__module__', '')} {getattr(inner, '__qualname__', '')}"
    return f"{kind} {_named(code)} {_data_of(inner)} {inspect.signature(inner)}"


def _named(code: CodeType) -> str:
    """Return the name of a function, and of one that has none, what it does."""
    return code_text(code) if code.co_name.startswith("<") else code.co_name


def _data_of(function: Any) -> list[str]:
    """Return what a function has taken along from the functions around it, other functions left out."""
    return [digest(one) for _, one in parts(function) if not _is_code(one)]


def fixed_by_class(subject: Subject) -> dict[str, list[str]]:
    """Return the classes whose objects have the attributes that no longer hold plain tensors, with those."""
    found: dict[str, list[str]] = {}
    classes = [kind for file in subject.files for kind in classes_of(import_file(file))]
    for place in sorted(subject.places - set(subject.plain.values())):
        path, _, name = place.rpartition(".")
        owner = type(subject.module.get_submodule(path))
        for kind in classes:
            if owner in kind.__mro__ or kind in owner.__mro__:
                found.setdefault(place_of(kind), []).append(name)
    return found


def hidden(subject: Subject, fixed: dict[str, list[str]]) -> list[str]:
    """Return the attributes of subclasses that have the name of one that is registered, which then cannot be done.

    Args:
        subject: the version.
        fixed: what ``fixed_by_class`` gives of it.
    """
    kinds = {place_of(kind): kind for file in subject.files for kind in classes_of(import_file(file))}
    registered = {name.rpartition(".")[2] for name in subject.tensors(subject.module)}
    return sorted(
        f"{kind.__qualname__}.{name}"
        for place, attributes in fixed.items()
        for kind in kinds.values()
        if kinds[place] in kind.__mro__[1:]
        for name in attributes
        if name in vars(kind) and not _is_code(vars(kind)[name]) and name in registered
    )


def bases(subject: Subject) -> dict[str, list[list[str]]]:
    """Return the names of the built objects' classes, with the bases of each class of that name."""
    found: dict[str, list[list[str]]] = {}
    for kind in {type(one) for one in subject.module.modules()}:
        found.setdefault(kind.__qualname__, []).append([base.__qualname__ for base in kind.__mro__])
    return {name: sorted(several) for name, several in found.items()}
