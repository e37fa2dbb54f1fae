"""The files of torch: which names they bind, and where a name is defined."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch_table.syntax import leaf, strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from torch_table.syntax import FunctionNode


@dataclass
class SourceFile:
    """The names that one file of torch binds at its top level."""

    name: str
    is_package: bool
    functions: dict[str, list[FunctionNode]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    exported: list[str] = field(default_factory=list)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def fill(self, body: Iterable[ast.stmt]) -> None:
        """Take in the statements of a file, those under ``if`` and ``try`` too."""
        for statement in body:
            self._take(statement)

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._take_function(statement)
            case ast.ClassDef():
                self.classes.setdefault(statement.name, statement)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                self.annotations.setdefault(name, statement.annotation)
                if statement.value is not None:
                    self._bind(statement.target, statement.value)
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                self.exported += strings(value)
            case _:
                self._take_other(statement)

    def _take_other(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=names):
                self.aliases.update({alias.asname: alias.name for alias in names if alias.asname})
            case ast.ImportFrom():
                self._take_import(statement)
            case ast.If() | ast.Try():
                self._take_branches(statement)
            case _:
                pass

    def _take_branches(self, statement: ast.If | ast.Try) -> None:
        self.fill(statement.body)
        for handler in statement.handlers if isinstance(statement, ast.Try) else ():
            self.fill(handler.body)
        self.fill(statement.orelse)

    def _take_function(self, node: FunctionNode) -> None:
        known = self.functions.setdefault(node.name, [])
        if any(leaf(decorator) == "overload" for decorator in node.decorator_list):
            known.append(node)
        elif not any(one.returns for one in known):
            # The implementation under overloads says less than they do.
            self.functions[node.name] = [node]

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            return
        if target.id == "__all__":
            self.exported = strings(value)
        else:
            self.values.setdefault(target.id, value)

    def _take_import(self, node: ast.ImportFrom) -> None:
        source = node.module or ""
        if node.level:
            parts = self.package.split(".")
            source = ".".join([*parts[: len(parts) - node.level + 1], *([source] if source else [])])
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(source)
            else:
                self.imports.setdefault(alias.asname or alias.name, (source, alias.name))

    @property
    def own_names(self) -> set[str]:
        """All names that the file binds, star imports left out."""
        return {*self.functions, *self.classes, *self.values, *self.annotations, *self.imports}


def _parse(path: Path) -> ast.Module:
    text = path.read_text(encoding="utf-8")
    try:
        return ast.parse(text, type_comments="# type: (" in text)
    except SyntaxError:
        # A comment elsewhere that only looks like a type comment.
        return ast.parse(text)


@dataclass(frozen=True)
class Found:
    """Where a name is defined."""

    file: SourceFile
    name: str

    @property
    def path(self) -> str:
        """The dotted path of the definition."""
        return f"{self.file.name}.{self.name}"


class Sources:
    """The files of one installed torch."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._files: dict[str, SourceFile | None] = {}
        self._open: set[tuple[str, bool]] = set()

    def file(self, name: str) -> SourceFile | None:
        """The file of that dotted name: its stub, completed by its source."""
        if name not in self._files:
            self._files[name] = self._load(name)
        return self._files[name]

    def _load(self, name: str) -> SourceFile | None:
        base = self.root.parent.joinpath(*name.split("."))
        init = base / "__init__"
        is_package = any(init.with_suffix(suffix).is_file() for suffix in (".py", ".pyi"))
        stem = init if is_package else base
        files = [path for suffix in (".pyi", ".py") if (path := stem.parent / f"{stem.name}{suffix}").is_file()]
        if not files:
            return None
        file = SourceFile(name, is_package)
        for path in files:
            part = SourceFile(name, is_package)
            part.fill(_parse(path).body)
            _merge(file, part)
        return file

    def find(self, file_name: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Found | None:
        """Follow imports until the definition of a name."""
        file = self.file(file_name)
        if file is None or (file_name, name) in seen:
            return None
        seen |= {(file_name, name)}
        if name in file.functions or name in file.classes:
            return Found(file, name)
        if name in file.imports:
            return self.find(*file.imports[name], seen)
        if name in file.values or name in file.annotations:
            return Found(file, name)
        for star in file.stars:
            found = self.find(star, name, seen) if name in self.star_names(star) else None
            if found is not None:
                return found
        return None

    def star_names(self, file_name: str) -> set[str]:
        """The names that ``from file import *`` binds."""
        file = self.file(file_name)
        if file is None:
            return set()
        return set(file.exported) if file.exported else self.public_names(file_name, imported=True)

    def public_names(self, file_name: str, *, imported: bool = False) -> set[str]:
        """The public names of a file; of those it only imports, the ones it passes on, or all."""
        file = self.file(file_name)
        if file is None or (file_name, imported) in self._open:
            return set()
        self._open.add((file_name, imported))  # ends a cycle of star imports
        names = file.own_names - file.imports.keys() | set(file.exported)
        home = f"{file.name}."
        names |= {name for name, (source, _) in file.imports.items() if imported or f"{source}.".startswith(home)}
        for star in file.stars:
            names |= self.star_names(star)
        self._open.discard((file_name, imported))
        return {name for name in names if not name.startswith("_")}

    def all_files(self) -> Iterator[SourceFile]:
        """Every file of torch whose classes a user may meet."""
        # Compilers, test suites and vendored code: large, and no user derives from their classes.
        skipped = {"_inductor", "_dynamo", "_vendor", "testing", "_functorch", "_export", "lib", "bin"}
        for path in sorted(self.root.rglob("*.py")):
            parts = path.relative_to(self.root.parent).with_suffix("").parts
            if skipped.isdisjoint(parts):
                file = self.file(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
                if file is not None:
                    yield file


def _merge(file: SourceFile, part: SourceFile) -> None:
    """Add what a source file has and the stub before it lacks."""
    for name, overloads in part.functions.items():
        known = file.functions.get(name)
        if known is None or not any(one.returns for one in known):
            file.functions[name] = overloads
    file.classes = part.classes | file.classes
    file.values = part.values | file.values
    file.annotations = part.annotations | file.annotations
    file.imports = part.imports | file.imports
    file.aliases = part.aliases | file.aliases
    file.stars += part.stars
    file.exported += part.exported


# ---------------------------------------------------------------------------------------------------------------------
