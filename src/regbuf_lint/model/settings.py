"""What a run is asked to do, after command line, configuration file and defaults were put together."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path


DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pytest_cache",
    ".pytype",
    ".regbuf_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "*.egg",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "env",
    "node_modules",
    "site-packages",
    "venv",
)
"""Patterns of what no project wants to have read, unless its configuration says which."""


class Persistence(str, Enum):
    """What to write for ``persistent`` where a fix registers a new buffer."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class BufferStyle(str, Enum):
    """How a fix registers a buffer."""

    REGISTER_BUFFER = "register-buffer"
    NN_BUFFER = "nn-buffer"


class Brackets(str, Enum):
    """How what does not fit on a line is split at its brackets."""

    DEDENTED = "the closing bracket on a line of its own, as black and ruff do it"
    ALIGNED = "the items below one another, behind the opening bracket, as yapf does it"
    HANGING = "the items one level further in, the closing bracket behind the last, as yapf does it where so configured"


class PerFileIgnore(Struct, frozen=True):
    """Codes (or prefixes of codes) that are not reported in files matching a gitignore-style pattern.

    Attributes:
        pattern: the pattern.
        codes: the codes.
        root: what the pattern is relative to; None where that is the root of the settings.
    """

    pattern: str
    codes: tuple[str, ...]
    root: Path | None = None


class PlacedPatterns(Struct, frozen=True):
    """Gitignore-style patterns, and the directory that they are relative to.

    Attributes:
        root: the directory; None where that is the root of the settings.
        patterns: the patterns.
    """

    root: Path | None
    patterns: tuple[str, ...]


class AttributePersistence(Struct, frozen=True):
    """What to write for ``persistent`` where the attribute matches a pattern of ``attr`` or ``Class.attr``."""

    pattern: str
    persistent: Persistence


class Settings(Struct, frozen=True):
    """Everything that decides what is found and what a fix looks like.

    Attributes:
        root: directory of the configuration file (patterns are relative to it), else the working directory.
        sources: directories in which packages of the project are looked for, also in ``src`` below them.
        select: codes or prefixes to run; None means those that are on by default.
        extend_select: codes or prefixes to run beside ``select``.
        ignore: codes or prefixes not to run; a longer prefix wins over a shorter one.
        fixable: codes or prefixes whose fixes may be made.
        unfixable: codes or prefixes whose fixes are shown only; a longer prefix wins over a shorter one.
        per_file_ignores: further ``ignore`` for some files.
        exclude: gitignore-style patterns of paths that discovery leaves out (defaults included).
        inherited_excludes: the same of files that the configuration file extends, which lie elsewhere.
        respect_gitignore: whether discovery leaves out what git ignores.
        force_exclude: whether ``exclude`` also covers paths named on the command line.
        persistent: what fixes write for ``persistent``.
        per_attribute_persistent: what they write for some attributes instead; the longest matching pattern counts.
        buffer_style: how fixes register a buffer.
        without_nn_buffer: why ``nn.Buffer`` may not exist where the project runs; empty where nothing says so.
        without_persistent: why ``register_buffer`` takes no ``persistent`` where the project runs; empty where it does.
        annotate: whether fixes that register a buffer add a class-level annotation.
        oldest_python: the oldest Python that the project says it runs with; None where it does not say.
        line_length: width in columns to which fixes are laid out; 0 where each file has its own.
        brackets: how what does not fit on a line is split at its brackets.
        quote: quotation mark of new strings; empty where each file has its own.
        module_classes: dotted names of classes that are to be taken for nn.Module classes.
        tensor_functions: dotted names of functions that return a tensor.
        ignore_attributes: ``attr`` or ``Class.attr`` patterns (fnmatch) that no rule reports.
        python: the interpreter or environment that the project runs with; empty where nothing says so.
        packages: directories of the packages installed there; none where it is not known.
        files: the configuration file, and those that it extends; none where there is none.
    """

    root: Path
    sources: tuple[Path, ...] = ()
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES
    inherited_excludes: tuple[PlacedPatterns, ...] = ()
    respect_gitignore: bool = True
    force_exclude: bool = False
    persistent: Persistence = Persistence.AUTO
    per_attribute_persistent: tuple[AttributePersistence, ...] = ()
    buffer_style: BufferStyle = BufferStyle.REGISTER_BUFFER
    without_nn_buffer: str = ""
    without_persistent: str = ""
    annotate: bool = False
    oldest_python: tuple[int, int] | None = None
    line_length: int = 88
    brackets: Brackets = Brackets.DEDENTED
    quote: str = ""
    module_classes: tuple[str, ...] = ()
    tensor_functions: tuple[str, ...] = ()
    ignore_attributes: tuple[str, ...] = ()
    python: str = ""
    packages: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
