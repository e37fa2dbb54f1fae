"""Where the file of an import name lies, and where a project's packages are."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

from regbuf_lint.index.files import import_name
from regbuf_lint.index.reads import Entry, Memo
from regbuf_lint.index.word_search import MOST_FOLDERS, TOP_LEVEL
from regbuf_lint.source.disk_questions import entry_names
from regbuf_lint.source.python_files import PACKAGE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from regbuf_lint.index.reads import Reads
    from regbuf_lint.index.word_search import WordSearch

_NEVER_READ = sys.stdlib_module_names | {
    "builtins", "torch", "numpy", "scipy", "jax", "jaxtyping", "tensorflow", "torchtyping",
    "IPython", "PIL", "cv2", "h5py", "matplotlib", "mpmath", "networkx", "nltk", "omegaconf", "pandas", "plotly",
    "pyarrow", "requests", "rich", "seaborn", "skimage", "sympy", "tqdm", "wandb", "yaml",
}  # fmt: skip
"""Packages of which a table says what there is to know, and those that many projects call and that make no tensors."""
_PROJECT_MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
_ROOT_MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What only the root of a repository, or of one of the projects in it, holds."""
_DEEPEST_NAMESPACE = 8
"""Directories from a file upward that are looked at for the project's."""
_FURTHEST_PROJECT = 3
"""Directories above a top-level package, or a file without one, that are looked at for the project's."""


def is_read(name: str) -> bool:
    """Whether the files behind a dotted import name are read: most of what is known of some packages is in tables."""
    return name.partition(".")[0] not in _NEVER_READ


class Locator:
    """Finds files by import name; each directory is listed once.

    Args:
        roots: directories in which top-level packages of the project are looked for, behind the directory from which
            the importing file itself is imported and before installed packages; the first is the project's.
        installed: directories of installed packages.
        search: finds top-level packages anywhere in the project.
        reads: where questions are noted.
    """

    def __init__(self, roots: Iterable[Path], installed: tuple[Path, ...], search: WordSearch, reads: Reads) -> None:
        self._roots = list(dict.fromkeys(roots))
        self._search = search
        self._installed = installed
        self._reads = reads
        self._listings: dict[Path, frozenset[str]] = {}
        self._located: Memo[tuple[Path | None, str], tuple[Path, ...]] = Memo(reads)

    def locate(self, name: str, near: Path | None) -> Path | None:
        """The file that ``import name`` would run, None where there is none to read.

        Args:
            name: dotted import name.
            near: the directory from which the importing file itself is imported; its packages come first.
        """
        return next(iter(self._located.found((near, name), self._locate)), None)

    def beside(self, path: Path, name: str) -> Path | None:
        """The file that a name without dots means where a script is run; None where no other file has that name."""
        found = path.parent / f"{name}.py"
        is_meant = "." not in name and is_read(name) and found != path
        return found if is_meant and self._has(path.parent, found.name) else None

    def import_name(self, path: Path) -> tuple[str, Path]:
        """Import name and root of a file; directories without ``__init__.py`` below a root are packages too."""
        name, root = import_name(path, self._has)
        if "." in name:
            return name, root
        for known in (*self._project_roots(root), *self._roots):
            if root != known and root.is_relative_to(known):
                inside = root.relative_to(known).parts
                if all(part.isidentifier() for part in inside):
                    return ".".join((*inside, name)), root
        return name, root

    def project_around(self, near: Iterable[Path], *, is_package: bool) -> Path | None:
        """The closest directory around some code that is a project's; None where none is near.

        Without a file that says so it is the one from which the package is imported, or one of the project's. Around an
        installed package lie others that have nothing to do with it.

        Args:
            near: the directories around the code, the closest first.
            is_package: whether the code is a top-level package.
        """
        looked_at = list(near)[:_FURTHEST_PROJECT]
        if any(map(self.is_installed, looked_at)):
            return None
        marked = (one for one in looked_at if any(self._has(one, marker) for marker in _PROJECT_MARKERS))
        roots = {*self._roots, *looked_at[:is_package]}
        return next(marked, None) or next((one for one in looked_at if one in roots), None)

    def _locate(self, asked: tuple[Path | None, str]) -> tuple[Path, ...]:
        near, name = asked
        parts = name.split(".")
        if not is_read(name):
            return ()
        roots = chain(self._roots_near(near, parts[0]), self._installed, self._anywhere(parts[0]))
        return next(((path,) for root in roots if (path := self._below(root, parts)) is not None), ())

    def is_installed(self, root: Path) -> bool:
        """Whether what is imported from a directory is an installed package, and none of the project's own."""
        return root in self._installed and root not in self._roots

    def _roots_near(self, near: Path | None, top: str) -> Iterator[Path]:
        """Where the top-level package ``top`` may lie for a file that is imported from ``near``, the closest first.

        A namespace package has no file that says where it begins, so the directories around the file tell: one of that
        name, and the project's. Where the run starts does not matter then.
        """
        if near is not None:
            yield near
        yield from self._roots
        if near is not None:
            yield from (one.parent for one in (near, *near.parents)[:_DEEPEST_NAMESPACE] if one.name == top)
            yield from self._project_roots(near)
            yield from self._of_scripts(near)

    def _of_scripts(self, near: Path) -> Iterator[Path]:
        """The directories of the project around ``near``, the closest first: a script in one imports what lies there.

        Python puts the directory of the script in front of all others (documentation of ``sys.path``, Python 3.13).
        """
        around = near.parents[:_DEEPEST_NAMESPACE]
        return (one for one in around if any(one != root and one.is_relative_to(root) for root in self._roots))

    def _anywhere(self, top: str) -> Iterator[Path]:
        """From where a top-level package is imported that lies elsewhere in the project, if one alone has the name."""
        found = self._search.files(self._roots[0], TOP_LEVEL, top, MOST_FOLDERS) if self._roots else ()
        yield from (path.parent.parent for path in found if len(found) == 1)

    def _project_roots(self, directory: Path) -> tuple[Path, ...]:
        """The directories around one in which a project keeps its top-level packages, the outermost first."""
        marked = []
        for one in (directory, *directory.parents)[:_DEEPEST_NAMESPACE]:
            if any(self._has(one, marker) for marker in _ROOT_MARKERS):
                marked.append(one)
            if self._has(one, ".git"):
                break
        return tuple(root for one in reversed(marked) for root in (one, one / "src"))

    def _below(self, root: Path, parts: list[str]) -> Path | None:
        directory = root
        for part in parts[:-1]:
            if not self._has(directory, part):
                return None
            directory = directory / part
        last = parts[-1]
        if self._has(directory, last) and self._has(directory / last, PACKAGE_FILE):
            return directory / last / PACKAGE_FILE
        return directory / f"{last}.py" if self._has(directory, f"{last}.py") else None

    def _has(self, directory: Path, name: str) -> bool:
        if directory not in self._listings:
            self._listings[directory] = entry_names(directory)
        exists = name in self._listings[directory]
        self._reads.note(Entry(str(directory), name, exists))
        return exists
