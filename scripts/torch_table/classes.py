"""The class table: torch's classes, their bases, and the names that its nn.SourceFile classes take."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from torch_table.knowledge import EXTENSION_CLASSES
from torch_table.members import Members
from torch_table.sources import Found
from torch_table.specs import Json
from torch_table.syntax import dotted, leaf

if TYPE_CHECKING:
    from torch_table.sources import SourceFile, Sources


class Classes:
    """Finds torch's classes, their bases, and the names that its nn.Module classes take."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.found = {
            f"{file.name}.{name}": Found(file, name)
            for file in sources.all_files()
            for name in file.classes
            if self.sources.find(file.name, name) == Found(file, name)
        }

    def bases(self, path: str) -> list[str]:
        """The bases of a class, by the path of their definition where it lies in torch."""
        found = self.found[path]
        result = []
        for base in found.file.classes[found.name].bases:
            node = base.value if isinstance(base, ast.Subscript) else base  # Generic[T]
            name = dotted(node)
            if name:
                result.append(self.resolve(found.file, name))
        return result

    def resolve(self, file: SourceFile, name: str) -> str:
        """The path of the class that a dotted name in a file stands for."""
        head, _, rest = name.partition(".")
        if not rest:
            found = self.sources.find(file.name, head)
            found = self._assigned(found) if found else None
            return found.path if found else name
        if head in file.aliases:
            return self._within(f"{file.aliases[head]}.{rest}")
        if head in file.imports:
            return self._within(".".join([*file.imports[head], rest]))
        return self._within(name)

    def _assigned(self, found: Found) -> Found:
        """Through ``Name = other.Name``."""
        value = found.file.values.get(found.name)
        if value is None or found.name in found.file.classes or not leaf(value):
            return found
        path = self.resolve(found.file, dotted(value)) if dotted(value) != found.name else ""
        return self.found.get(path, found)

    def _within(self, name: str) -> str:
        source, _, last = name.rpartition(".")
        found = self.sources.find(source, last)
        return self._assigned(found).path if found else name

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """The bases of every class."""
        return {path: self.bases(path) for path in self.found}

    def derived(self, root: str) -> set[str]:
        """A class and all that derive from it."""
        result = {root}
        grown = True
        while grown:
            more = {path for path, bases in self.lines.items() if path not in result and result & {*bases}}
            result |= more
            grown = bool(more)
        return result

    def aliases(self) -> dict[str, str]:
        """Public paths under which a class is importable beside that of its definition."""
        result: dict[str, str] = {}
        for file in self.sources.all_files():
            if _is_private(file.name):
                continue
            for name in self._offered(file):
                found = self.sources.find(file.name, name)
                if found is not None and found.file is not file and found.path in self.found:
                    result[f"{file.name}.{name}"] = found.path
        return result

    def _offered(self, file: SourceFile) -> set[str]:
        names = self.sources.public_names(file.name, imported=file.name.startswith("torch.nn."))
        if file.name.startswith("torch.nn."):
            names |= {name for name in file.imports if _is_class_name(name)}
        if file.is_package:
            names |= {name for name in file.imports if not name.startswith("_")}
        return names

    def entry(self, path: str) -> dict[str, Json]:
        """The names that one file class defines itself."""
        found = self.found[path]
        members = Members()
        members.read(found.file.classes[found.name])
        entry: dict[str, Json] = {"bases": list[Json](self.lines[path])}
        if members.forward is not None:
            entry["forward"] = members.forward
        if members.makes:
            entry["making"] = True
        for key, names in (
            ("attributes", members.attributes - members.parameters - members.buffers),
            ("buffers", members.buffers),
            ("parameters", members.parameters),
        ):
            if names:
                entry[key] = list[Json](sorted(names))
        return entry


def _is_class_name(name: str) -> bool:
    return bool(re.fullmatch(r"_?[A-Z]\w*", name))


def _is_private(path: str) -> bool:
    """Whether a dotted path leads through a private package."""
    return any(part.startswith("_") for part in path.split("."))


def _is_listed(path: str) -> bool:
    file, _, name = path.rpartition(".")
    return not _is_private(file) and (not name.startswith("_") or path.startswith("torch.nn.modules."))


def classes_table(sources: Sources, version: str) -> dict[str, Json]:
    """The whole class table."""
    classes = Classes(sources)
    module_classes = classes.derived("torch.nn.modules.module.Module")
    distributions = classes.derived("torch.distributions.distribution.Distribution")
    aliases = classes.aliases()
    # A class with a private path stays where a public name leads to it, or where a file class builds on it.
    kept = {path for path in module_classes if _is_listed(path)} | (module_classes & set(aliases.values()))
    for path in sorted(kept):
        kept |= _ancestors(path, classes.lines) & module_classes
    others = {path: path for path in classes.found if _is_listed(path)} | aliases
    return {
        "torch": version,
        "module_classes": {path: classes.entry(path) for path in sorted(kept)},
        "aliases": {path: home for path, home in sorted(aliases.items()) if home in kept},
        "distributions": list[Json](
            sorted(path for path, home in others.items() if home in distributions and _is_listed(path))
        ),
        "other_classes": list[Json](
            sorted(
                {path for path, home in others.items() if home not in module_classes | distributions}
                | {f"torch.{name}" for name in EXTENSION_CLASSES}
            )
        ),
    }


def _ancestors(path: str, lines: dict[str, list[str]]) -> set[str]:
    result: set[str] = set()
    pending = [path]
    while pending:
        for base in lines.get(pending.pop(), ()):
            if base not in result:
                result.add(base)
                pending.append(base)
    return result
