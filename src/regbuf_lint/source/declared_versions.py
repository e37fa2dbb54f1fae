"""Which releases of torch and of Python a project says that it runs with."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from regbuf_lint.source.disk_questions import has_entry, is_file
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.ini_files import ini_section
from regbuf_lint.source.shown_paths import shown_path
from regbuf_lint.source.toml_files import PYPROJECT, read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from regbuf_lint.source.directory_files import DirectoryFiles

SETUP = "setup.cfg"
_REQUIREMENTS = "requirements*.txt"
DECLARING_FILES = (PYPROJECT, SETUP, _REQUIREMENTS, "setup.py")
"""Files in which a project says what it runs with."""
_PACKAGE = "torch"
_LOWER_ENDS = frozenset({">=", ">", "~=", "==", "==="})
_LOWER_END = re.compile(r"(?:>=?|~=|===?)\s*(\d+)(?:\.(\d+))?")
_PYTHON_REQUIRES = re.compile(r"""\bpython_requires\s*=\s*["']([^"']+)""")
_FIRST_NUMBER = re.compile(r"\btorch\b[^\d\n]*(\d+)(?:\.(\d+))?", re.IGNORECASE)
"""The release that stands first behind torch's name, in whatever file: quick, and never later than an upper end."""
_NAMES_PACKAGE = re.compile(r"torch(?![\w.-])", re.IGNORECASE)


class _Declared(Struct, frozen=True):
    """One requirement of a project.

    Attributes:
        path: the file that has it.
        text: the requirement as it is written.
        specifiers: which releases it allows; those of poetry are translated.
    """

    path: Path
    text: str
    specifiers: str


def declaring_directory(start: Path, files: DirectoryFiles) -> Path | None:
    """The nearest directory, upwards, with a ``pyproject.toml``, ``setup.cfg`` or ``requirements*.txt``.

    None where the repository around has none.
    """
    directory = Path(os.path.abspath(start))  # noqa: PTH100  symbolic links stay as the user wrote them
    for one in (directory, *directory.parents):
        if is_file(one / PYPROJECT) or is_file(one / SETUP) or files.has_any(one, [_REQUIREMENTS]):
            return one
        if has_entry(one, ".git"):
            return None
    return None


def runs_with_older_torch(directory: Path | None, release: str) -> str | None:
    """What says that a project runs with releases of torch before ``release``, in a few words.

    What is broken in its files is another tool's to say. A requirement counts by the oldest release that it names; one
    that names none counts where it allows older ones only.

    Args:
        directory: the ``declaring_directory`` of the project.
        release: a release of torch.
    """
    from packaging.version import Version  # noqa: PLC0415  slow to load

    wanted = Version(release)
    for one in _declared_torch(directory):
        found = _specifiers(one.specifiers)
        if found is None:
            continue
        lowest = _lowest(found)
        if lowest is not None and lowest < (wanted.major, wanted.minor):
            return f"{shown_path(one.path)} allows {_PACKAGE} {lowest[0]}.{lowest[1]} (`{one.text}`)"
        if _excludes_from(found, wanted):
            return f"{shown_path(one.path)} excludes it (`{one.text}`)"
    return None


def runs_only_before_torch(directory: Path | None, release: str) -> str | None:
    """What says that a project runs with no release of torch from ``release`` on, in a few words.

    That is an upper end, or one release that is pinned.

    Args:
        directory: the ``declaring_directory`` of the project.
        release: a release of torch.
    """
    wanted = tuple(map(int, release.split(".")))
    if directory is None or not _may_name_older(directory, wanted):
        return None
    from packaging.version import Version  # noqa: PLC0415  slow to load

    for one in _declared_torch(directory):
        found = _specifiers(one.specifiers)
        if found is not None and (_excludes_from(found, Version(release)) or _pins_before(found, wanted)):
            return f"{shown_path(one.path)} excludes it (`{one.text}`)"
    return None


def _may_name_older(directory: Path, release: tuple[int, ...]) -> bool:
    """Whether the text of a declaring file names an older release behind torch."""
    paths = (directory / PYPROJECT, directory / SETUP, *directory.glob(_REQUIREMENTS))
    named = (_FIRST_NUMBER.findall(_text(one)) for one in paths)
    return any((int(major), int(minor or 0)) <= release for every in named for major, minor in every)


def _pins_before(specifiers: SpecifierSet, release: tuple[int, ...]) -> bool:
    """Whether one release alone is allowed, or patches of one, and it is older."""
    patches = (one for one in specifiers if one.operator == "~=" and one.version.count(".") > 1)
    pins = (one for one in specifiers if one.operator in {"==", "==="})
    return any(_release(one.version) < release for one in (*patches, *pins))


def _declared_torch(directory: Path | None) -> list[_Declared]:
    """Requirements of torch; those of extras count where the others name no oldest release."""
    if directory is None:
        return []
    main, extras = [*_of_pyproject(directory)], [*_extras_of_pyproject(directory)]
    setup, setup_extras = _of_setup(directory)
    main += [*setup, *_of_requirements(directory)]
    named = [one for one in main if _lowest_of(one) is not None]
    return main if named else [*main, *extras, *setup_extras]


def oldest_python(directory: Path | None) -> tuple[int, int] | None:
    """The oldest Python that a project says it runs with; None where it does not say.

    Args:
        directory: the ``declaring_directory`` of the project.
    """
    if directory is None:
        return None
    document = _document(directory)
    written = _table(document, "project").get("requires-python")
    if not isinstance(written, str):
        poetry = _table(document, "tool", "poetry", "dependencies").get("python")
        written = _from_poetry(poetry)[0] if isinstance(poetry, str) else None
    if written is None:
        written = (ini_section(directory / SETUP, "options") or {}).get("python_requires")
    if written is None:
        called = _PYTHON_REQUIRES.search(_text(directory / "setup.py"))
        written = called[1] if called is not None else None
    lower = ((int(major), int(minor or 0)) for major, minor in _LOWER_END.findall(written or ""))
    return max(lower, default=None)


def _document(directory: Path) -> dict[str, Any]:
    try:
        return read_document(directory / PYPROJECT) or {}
    except SettingsError:
        return {}


def _table(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A table within a document; an empty one where something else stands there."""
    for key in keys:
        found = document.get(key)
        document = found if isinstance(found, dict) else {}
    return document


def _of_pyproject(directory: Path) -> Iterator[_Declared]:
    document, path = _document(directory), directory / PYPROJECT
    yield from _parsed(path, _strings(_table(document, "project").get("dependencies")))
    poetry = _table(document, "tool", "poetry")
    tables = [_table(poetry, "dependencies"), _table(poetry, "dev-dependencies")]
    tables += [_table(poetry, "group", name, "dependencies") for name in _table(poetry, "group")]
    for table in tables:
        for text in _poetry_versions(table.get(_PACKAGE)):
            yield from (_Declared(path, f"{_PACKAGE} = {text}", one) for one in _from_poetry(text))


def _extras_of_pyproject(directory: Path) -> Iterator[_Declared]:
    for extra in _table(_document(directory), "project", "optional-dependencies").values():
        yield from _parsed(directory / PYPROJECT, _strings(extra))


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _poetry_versions(value: object) -> Iterator[str]:
    """The versions of one of poetry's dependencies: a string, a table, or several tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _poetry_versions(value.get("version"))
    elif isinstance(value, list):
        for one in value:
            yield from _poetry_versions(one)


def _from_poetry(text: str) -> list[str]:
    """Poetry's constraint as specifiers, one for each alternative; upper ends of ``^`` and ``~`` are left out."""
    alternatives = (re.split(r"[\s,]+(?=[\^~<>=!\d*])", one.strip()) for one in re.split(r"\|\|?", text))
    return [",".join(_poetry_part(part) for part in parts) for parts in alternatives]


def _poetry_part(part: str) -> str:
    part = part.strip()
    if part == "*":
        return ""
    if part[:1].isdigit():
        return f"=={part}"
    return f">={part[1:].strip()}" if part[:1] in {"^", "~"} and not part.startswith("~=") else part


def _of_setup(directory: Path) -> tuple[list[_Declared], list[_Declared]]:
    path = directory / SETUP
    main = (ini_section(path, "options") or {}).get("install_requires", "").splitlines()
    extras = "\n".join((ini_section(path, "options.extras_require") or {}).values()).splitlines()
    return [*_parsed(path, main)], [*_parsed(path, extras)]


def _of_requirements(directory: Path) -> Iterator[_Declared]:
    for path in sorted(directory.glob(_REQUIREMENTS)):
        rows = (re.sub(r"(^|\s)(#|--hash).*", "", row) for row in _text(path).replace("\\\n", " ").splitlines())
        yield from _parsed(path, rows)


def _text(path: Path) -> str:
    """What a file holds; nothing where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _parsed(path: Path, texts: Iterable[str]) -> Iterator[_Declared]:
    for text in texts:
        if _NAMES_PACKAGE.match(text.strip()) is None:
            continue
        from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415  slow to load

        try:
            yield _Declared(path, text.strip(), str(Requirement(text.strip()).specifier))
        except InvalidRequirement:
            continue


def _specifiers(text: str) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415  slow to load

    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def _lowest_of(declared: _Declared) -> tuple[int, int] | None:
    found = _specifiers(declared.specifiers)
    return None if found is None else _lowest(found)


def _lowest(specifiers: SpecifierSet) -> tuple[int, int] | None:
    """The first two numbers of the oldest release that specifiers name; None where they name no lower end."""
    lower = (one.version for one in specifiers if one.operator in _LOWER_ENDS)
    return max((_release(version) for version in lower), default=None)


def _excludes_from(specifiers: SpecifierSet, release: Version) -> bool:
    """Whether everything from a release on is excluded by an upper end."""
    from packaging.version import Version  # noqa: PLC0415  slow to load

    below = any(Version(one.version) <= release for one in specifiers if one.operator == "<")
    return below or any(Version(one.version) < release for one in specifiers if one.operator == "<=")


def _release(version: str) -> tuple[int, int]:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415  slow to load

    try:
        found = Version(version.removesuffix(".*"))
    except InvalidVersion:
        return 0, 0
    return found.major, found.minor
