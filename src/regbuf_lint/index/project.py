"""All files that can be read, found by import name, and what a name means across them."""

from __future__ import annotations

import ast
from copy import copy
from typing import TYPE_CHECKING

from regbuf_lint.index.calls import named_in
from regbuf_lint.index.files import FileFacts, installed_roots
from regbuf_lint.index.frameworks import is_of_another_framework, is_torch
from regbuf_lint.index.locating import Locator, is_read
from regbuf_lint.index.needed_files import NeededFiles
from regbuf_lint.index.outline import outline
from regbuf_lint.index.parsing import ParseError
from regbuf_lint.index.reads import Content, Memo, Reads
from regbuf_lint.index.scopes import (
    AssignBinding,
    ClassBinding,
    FunctionBinding,
    ImportBinding,
    Scope,
    is_parameter,
)
from regbuf_lint.index.statements import Room, by_parts
from regbuf_lint.index.symbols import (
    ClassSymbol,
    External,
    FileSymbol,
    FunctionSymbol,
    Symbol,
    Unresolved,
    ValueSymbol,
    is_builtin,
    is_missing,
)
from regbuf_lint.index.word_search import MOST_FOLDERS, WordSearch
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from regbuf_lint.index.reads import Collected
    from regbuf_lint.index.statements import Statements
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText

_MOST_BESIDE = 24
"""Files beside a package that are looked at for calls of one class."""
_MOST_HOPS = 12
_MOST_DERIVING = 64
_ON_SELF = "called_on_self"


class Project:
    """Finds and keeps the files that a run needs, each parsed once and only when something in it is asked for.

    Attributes:
        needed: which files checks rest on.

    Args:
        roots: directories in which top-level packages of the project are looked for, behind the directory from which
            the importing file itself is imported and before installed packages.
        settings: where installed packages are, the linter's own where that is not said, and what is left out.
        written: words of files as they are on the disk, by path, as ``written`` in ``index/words.py`` writes them.
    """

    def __init__(self, roots: Iterable[Path], settings: Settings, written: Mapping[str, str] | None = None) -> None:
        self.reads = Reads()
        self._overlay = Overlay()
        self._search = WordSearch(self._overlay, settings, self.reads, written)
        self._locator = Locator(roots, settings.packages or installed_roots(), self._search, self.reads)
        self._look: Callable[[str, Room], tuple[str, Statements]] = by_parts
        self._start()

    def _start(self) -> None:
        self._by_path: dict[Path, FileFacts | None] = {}
        self.needed = NeededFiles(self.reads)
        self._read_for: dict[Path, Collected] = {}
        self._resolving: set[ast.expr] = set()
        self._members: Memo[tuple[ValueSymbol, str], tuple[Symbol, ...]] = Memo(self.reads)
        self._exports: Memo[tuple[FileFacts, str], tuple[Symbol, ...]] = Memo(self.reads)
        self._exporting: set[tuple[FileFacts, str]] = set()
        self._cycles = 0
        self._room = Room()

    def outlined(self) -> Project:
        """The same files, of each of which no more is known than its outline tells."""
        other = copy(self)
        other._look = outline  # noqa: SLF001  it is one of its own kind
        other._start()  # noqa: SLF001
        return other

    def close(self) -> None:
        """Give up all files; nothing found in them can be used any more."""
        self._give_up(self._by_path)
        self._exports.clear()

    def make_room(self, most: int) -> None:
        """Give up files, but for those that most checks rested on of late, and all answers that rest on what goes.

        Args:
            most: how many characters the files that are kept may have.
        """
        left, gone = most, []
        for path in self.needed.by_need([*reversed(self._by_path)]):
            file = self._by_path[path]
            size = 0 if file is None else file.statements.characters
            if size <= left:
                left -= size
            else:
                gone.append(path)
        self.reads.give_up(Content(str(path)) for path in gone)
        self._give_up(gone)

    @property
    def characters(self) -> int:
        """Length of the texts whose trees are kept, and a share of that of others, which take less memory."""
        return self._room.characters

    def _give_up(self, paths: Iterable[Path]) -> None:
        for path in list(paths):
            file = self._by_path.pop(path)
            self._read_for.pop(path, None)
            if file is not None:
                file.close()
        self._room.characters = sum(one.statements.characters for one in self._by_path.values() if one is not None)

    def add(self, path: Path, source: SourceText) -> FileFacts:
        """Take in a file that is to be checked, with the text that counts (it may differ from the disk).

        Raises:
            ParseError: it does not parse.
        """
        known = self._by_path.get(path)
        if known is not None and known.is_of(source):
            self.reads.numbers |= self._read_for[path].numbers
            known.statements.complete()
            return known
        with self.reads.collecting() as self._read_for[path]:
            facts = self._facts(path, source)
        facts.statements.complete()
        if path in self._by_path:
            self._exports.clear()
        self._by_path[path] = facts
        return facts

    def see(self, overlay: Overlay) -> None:
        """From now on, read some files as they are in ``overlay``, and all others as they are on the disk."""
        for path in [path for path in self._by_path if overlay.holds(path) or self._overlay.holds(path)]:
            self.forget(path)
        self._overlay = overlay
        self._search.see(overlay)

    def forget(self, path: Path) -> None:
        """Read a file anew when it is needed again."""
        self._by_path.pop(path, None)
        self._exports.clear()

    def take_fresh_words(self) -> dict[str, str]:
        """Words of files as they are on the disk, by path, found since this was asked for the last time."""
        return self._search.take_fresh()

    def has_other_text(self, path: Path, source: SourceText) -> bool:
        """Whether a file is known with another text than this one."""
        known = self._by_path.get(path)
        return known is not None and not known.is_of(source)

    def is_installed(self, file: FileFacts) -> bool:
        """Whether a file belongs to an installed package, and not to the project."""
        return self._locator.is_installed(file.root)

    def file(self, name: str, near: Path | None) -> FileFacts | None:
        """The file that ``import name`` would run, or None where there is none to read.

        Args:
            name: dotted import name.
            near: the directory from which the importing file itself is imported; its packages come first.
        """
        path = self._locator.locate(name, near)
        return self._read(path) if path is not None else None

    def resolve(self, scope: Scope, expression: ast.expr) -> tuple[Symbol, ...]:
        """Everything that a name, dotted, subscripted or chosen one, can stand for where ``scope`` is the innermost."""
        if isinstance(expression, ast.Name):
            return self.lookup(scope, expression.id)
        if isinstance(expression, ast.Subscript):
            return self.resolve(scope, expression.value)
        if isinstance(expression, ast.IfExp):
            return (*self.resolve(scope, expression.body), *self.resolve(scope, expression.orelse))
        if not isinstance(expression, ast.Attribute):
            return (Unresolved(ast.unparse(expression)),)
        if expression in self._resolving:
            return ()
        self._resolving.add(expression)
        try:
            owners = self.resolve(scope, expression.value)
            return tuple(dict.fromkeys(found for owner in owners for found in self.member(owner, expression.attr)))
        finally:
            self._resolving.discard(expression)
            if not self._resolving:
                self._members.clear()

    def lookup(self, scope: Scope, name: str, hops: int = 0) -> tuple[Symbol, ...]:
        """Everything that ``name`` can stand for, looked up as Python does: class scopes only from themselves."""
        current: Scope | None = scope
        while current is not None:
            visible = current is scope or not isinstance(current.node, ast.ClassDef)
            if visible and name in current.bindings:
                return self._bound(current, name, hops)
            if visible and is_parameter(current, name):
                return (Unresolved(name),)
            current = current.parent
        found = self._from_stars(scope.file, name, hops)
        if found:
            return found
        if scope.file.scope.star_imports and not is_builtin(name):
            origins = scope.file.scope.star_imports
            outside = [origin for origin in origins if self.file(origin, scope.file.root) is None]
            return tuple(External(f"{origin}.{name}") for origin in outside) or (Unresolved(name),)
        return (External(f"builtins.{name}"),) if is_builtin(name) else (Unresolved(name),)

    def member(self, owner: Symbol, name: str, hops: int = 0) -> tuple[Symbol, ...]:
        """What ``owner.name`` can stand for."""
        if hops > _MOST_HOPS:
            return (Unresolved(name),)
        if isinstance(owner, External):
            return (
                self._from(owner.name, name, None, hops + 1)
                if is_read(owner.name)
                else (External(f"{owner.name}.{name}"),)
            )
        if isinstance(owner, FileSymbol):
            return self._exported(owner.file, name, hops)
        if isinstance(owner, ClassSymbol) and name in owner.scope.bindings:
            return self._bound(owner.scope, name, hops + 1)
        if isinstance(owner, ValueSymbol) and not owner.path:
            return self._member_of_value(owner, name, hops)
        return (Unresolved(name),)

    def _member_of_value(self, owner: ValueSymbol, name: str, hops: int) -> tuple[Symbol, ...]:
        """What an attribute of a name's value can be; asked once for each question from outside.

        Names that are bound again and again to each other's attributes lead to more paths than anybody can follow.
        """
        if owner.value in self._resolving:
            return ()

        def find(_: tuple[ValueSymbol, str]) -> tuple[Symbol, ...]:
            owners = self.resolve(owner.scope, owner.value)
            every = (found for one in owners if one != owner for found in self.member(one, name, hops + 1))
            return tuple(dict.fromkeys(every))

        found = self._members.found((owner, name), find, meanwhile=(Unresolved(name),))
        if not self._resolving:
            self._members.clear()  # what was found on the way rests on where the question came from
        return found

    def imported(self, origin: str, name: str, near: Path | None) -> tuple[Symbol, ...]:
        """What ``from origin import name`` binds in a file that is imported from ``near``."""
        return self._from(origin, name, near, 0)

    def follow(self, symbol: Symbol, hops: int = 0) -> tuple[Symbol, ...]:
        """``symbol`` with names that are plain copies of others (``Base = nn.Module``) replaced by what they copy."""
        if not isinstance(symbol, ValueSymbol) or symbol.path or hops > _MOST_HOPS:
            return (symbol,)
        if not isinstance(symbol.value, (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp)):
            return (symbol,)
        found = self.resolve(symbol.scope, symbol.value)
        return tuple(last for one in found if one != symbol for last in self.follow(one, hops + 1))

    def files_deriving(self, file: FileFacts, word: str) -> Iterator[FileFacts]:
        """``file``, and by path the other files of its top-level package where a class has ``word`` among its bases."""
        yield file
        for path in self._deriving(file, word):
            other = self._read(path) if path != file.path else None
            if other is not None:
                yield other

    def is_derived_from_elsewhere(self, file: FileFacts, word: str) -> bool:
        """Whether a class of another file of the package has ``word`` among its bases."""
        return any(path != file.path for path in self._deriving(file, word))

    def files_calling(self, file: FileFacts, name: str) -> Iterator[FileFacts]:
        """``file``, and by path the other files of its top-level package where something with a class's name is called.

        A name that does not begin with a capital letter is looked for in ``file`` alone.
        """
        yield file
        top = file.package_directory
        if top is None:
            return
        calling = self._search.files(top, "called", name)
        yield from self._read_each(path for path in calling if path != file.path)

    def files_beside_calling(self, file: FileFacts, name: str) -> Iterator[FileFacts]:
        """By path, the files of a file's project outside its top-level package where a class's name is called.

        Nothing for a name that so many files call that several classes will have it, and for projects of thousands of
        folders.
        """
        top, project = file.package_directory, self._project_of(file)
        if project is None:
            return
        calling = self._search.files(project, "called", name, MOST_FOLDERS)
        beside = [path for path in calling if path != file.path and (top is None or top not in path.parents)]
        if len(beside) <= _MOST_BESIDE:
            yield from self._read_each(beside)

    def _project_of(self, file: FileFacts) -> Path | None:
        """The directory of a file's project, around its top-level package."""
        top = file.package_directory
        return self._locator.project_around((top or file.path).parents, is_package=top is not None)

    def _read_each(self, paths: Iterable[Path]) -> Iterator[FileFacts]:
        """Those of some files that can be read."""
        return (file for file in map(self._read, paths) if file is not None)

    def files_reading(self, file: FileFacts, attribute: str) -> Iterator[FileFacts]:
        """By path, the files of a file's top-level package where a name stands behind a dot and is not called."""
        return self._files_having(file, "read", attribute)

    def has_behind_dot(self, file: FileFacts, name: str) -> bool:
        """Whether a file of its package, or beside one without, has a name behind a dot: it sets or reads the name."""
        top, beside = file.package_directory, file.path.parent
        if top is None and self._locator.is_installed(beside):
            return False
        return bool(self._search.files(top or beside, "read", name, None if top else MOST_FOLDERS))

    def files_calling_anywhere(self, file: FileFacts, name: str) -> Iterator[FileFacts]:
        """``file``, and the others of its project that seem to call it, if they name a class of another package."""
        top, project = file.package_directory, self._project_of(file)
        around = [(one, limit) for one, limit in ((top, None), (project, MOST_FOLDERS)) if one is not None]
        calling = {path for one, limit in around for path in self._search.files(one, "called", name, limit)}
        every = (file, *self._read_each(sorted(calling - {file.path})))
        return (one for one in every if name in named_in(one.tree))

    def is_given(self, file: FileFacts, attribute: str) -> bool:
        """Whether a file of the same top-level package gives an attribute of that name to some object but its own."""
        top = file.package_directory
        return top is not None and bool(self._search.files(top, "given", attribute))

    def files_calling_method(self, file: FileFacts, name: str) -> Iterator[FileFacts]:
        """By path, the files of a file's top-level package where a name behind a dot is called."""
        return self._files_having(file, "methods", name)

    def files_defining(self, file: FileFacts, function: str) -> Iterator[FileFacts]:
        """By path, the files of a file's top-level package that define a function whose name begins with ``_``."""
        return self._files_having(file, "defined", function)

    def _files_having(self, file: FileFacts, kind: str, word: str) -> Iterator[FileFacts]:
        """By path, the files of a file's top-level package that have a word; of a file without package, it alone."""
        top = file.package_directory
        if top is None:
            yield file
            return
        yield from self._read_each(self._search.files(top, kind, word))

    def called_where_derived(self, file: FileFacts, word: str) -> frozenset[str]:
        """Names of methods called on ``self`` or ``super()`` in the files other than ``file`` that derive from it."""
        others = [path for path in self._deriving(file, word) if path != file.path]
        return frozenset[str]().union(*(self._search.words(one, _ON_SELF) for one in others[:_MOST_DERIVING]))

    def calls_on_self(self, file: FileFacts) -> frozenset[str]:
        """Names of methods called on ``self`` or ``super()`` in a file."""
        return self._search.words(file.path, _ON_SELF)

    def _deriving(self, file: FileFacts, word: str) -> tuple[Path, ...]:
        top = file.package_directory
        if top is None:
            return ()
        return self._search.files(top, "bases", word)

    def _bound(self, scope: Scope, name: str, hops: int) -> tuple[Symbol, ...]:
        found: list[Symbol] = []
        for binding in scope.bindings.of(name):
            if isinstance(binding, ImportBinding):
                found.extend(self._imported(binding, scope.file, hops))
            elif isinstance(binding, ClassBinding):
                found.append(ClassSymbol(scope.child(binding.node)))
            elif isinstance(binding, FunctionBinding):
                found.append(FunctionSymbol(scope.child(binding.node)))
            elif isinstance(binding, AssignBinding):
                found.append(
                    ValueSymbol(f"{scope.file.name}.{name}", scope, binding.value, binding.path, binding.annotation)
                )
            else:
                found.append(Unresolved("bound in a loop, with or augmented assignment"))
        if len(found) > 1:
            fitting = [symbol for symbol in found if not is_of_another_framework(symbol)]
            found = [symbol for symbol in found if is_torch(symbol)] or fitting or found
        return tuple(dict.fromkeys(found))

    def _imported(self, binding: ImportBinding, importer: FileFacts, hops: int) -> tuple[Symbol, ...]:
        if hops > _MOST_HOPS:
            return (Unresolved(binding.origin),)
        if binding.member is None:
            file = self.file(binding.origin, importer.root) or self.beside(importer, binding.origin)
            return (FileSymbol(file) if file is not None else External(binding.origin),)
        inner = self._from_itself(binding.origin, binding.member, importer)
        if inner is not None:
            return (FileSymbol(inner),)
        outside = (External(f"{binding.origin}.{binding.member}"),)
        if binding.origin == importer.path.stem and self.file(binding.origin, importer.root) is importer:
            return outside  # no file imports from itself: it has the name of an outside package
        found = self._from(binding.origin, binding.member, importer.root, hops + 1)
        return found if found != outside else self._from_beside(binding, importer, hops) or found

    def _from_beside(self, binding: ImportBinding, importer: FileFacts, hops: int) -> tuple[Symbol, ...] | None:
        """What a script in a package takes from a file beside it, if that file has such a name of its own."""
        file, name = self.beside(importer, binding.origin), binding.member or ""
        if file is None or all(isinstance(one, ImportBinding) for one in file.scope.bindings.of(name)):
            return None
        return self._exported(file, name, hops + 1)

    def beside(self, importer: FileFacts, origin: str) -> FileFacts | None:
        """The file that a script in a package takes from its own directory; none that serves a package of its name."""
        path = self._locator.beside(importer.path, origin)
        file = self._read(path) if path is not None else None
        return None if file is None or origin in file.imported_packages else file

    def _from_itself(self, origin: str, name: str, importer: FileFacts) -> FileFacts | None:
        """What ``from . import name`` in a package's own ``__init__.py`` imports: the package does not have it yet."""
        is_own = importer.is_package and origin == importer.name
        return self.file(f"{origin}.{name}", importer.root) if is_own else None

    def _from(self, origin: str, name: str, near: Path | None, hops: int) -> tuple[Symbol, ...]:
        file = self.file(origin, near)
        if file is not None:
            return self._exported(file, name, hops)
        inner = self.file(f"{origin}.{name}", near)
        return (FileSymbol(inner) if inner is not None else External(f"{origin}.{name}"),)

    def _exported(self, file: FileFacts, name: str, hops: int) -> tuple[Symbol, ...]:
        if hops > _MOST_HOPS:
            return (Unresolved(f"{file.name}.{name}"),)
        key = (file, name)
        known = self._exports.get(key)
        if known is not None:
            return known
        if key in self._exporting:
            self._cycles += 1
            return (Unresolved(f"{file.name}.{name}"),)
        cycles = self._cycles
        self._exporting.add(key)
        with self.reads.collecting() as collected:
            found = self._find_export(file, name, hops)
        self._exporting.discard(key)
        if self._cycles == cycles or not self._exporting:
            # An answer from inside a cycle of imports depends on where it was entered.
            self._exports.keep(key, found, collected)
        return found

    def _find_export(self, file: FileFacts, name: str, hops: int) -> tuple[Symbol, ...]:
        if name in file.scope.bindings:
            return self._bound(file.scope, name, hops + 1)
        found = self._from_stars(file, name, hops + 1)
        if found:
            return found
        inner = self.file(f"{file.name}.{name}", file.root) if file.is_package else None
        return (FileSymbol(inner) if inner is not None else External(f"{file.name}.{name}"),)

    def _from_stars(self, file: FileFacts, name: str, hops: int) -> tuple[Symbol, ...]:
        """What the first of a file's star imports that has a name gives for it; first of those that are for torch."""
        instead: tuple[Symbol, ...] = ()
        for origin in file.scope.star_imports:
            found = self._from(origin, name, file.root, hops) if origin != file.name else ()
            if all(is_missing(symbol, origin, name) for symbol in found):
                continue
            if not all(map(is_of_another_framework, found)):
                return found
            instead = instead or found
        return instead

    def _facts(self, path: Path, source: SourceText) -> FileFacts:
        name, root = self._locator.import_name(path)
        file = FileFacts(path, name, root, source, self._look, self._room)
        self.reads.note(file.seen)
        return file

    def _read(self, path: Path) -> FileFacts | None:
        if path not in self._by_path:
            with self.reads.collecting() as self._read_for[path]:
                self._by_path[path] = self._read_anew(path)
        else:
            self.reads.numbers |= self._read_for[path].numbers
        return self._by_path[path]

    def _read_anew(self, path: Path) -> FileFacts | None:
        try:
            return self._facts(path, self._overlay.read_imported(path))
        except (SourceError, ParseError):
            self.reads.note(Content(str(path)))
            return None
