"""What there is to verify: pairs of files under a directory, or classes that the user names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from regbuf_lint.verify.declared import nothing_declared
from regbuf_lint.verify.model import Build, Case, CaseError, Claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from regbuf_lint.verify.declared import Declaring

FIXED = ".fixed.py"
PROJECT = "project_"
MAIN = "main.py"
_EXPECT = re.compile(r"# expect: (.*)$", re.MULTILINE)
_CODE = re.compile(r"\bRBF\d{3}\b")
_WITHHELD = re.compile(r"\b(?:withheld|display)\b")
_TODO = re.compile(r"# todo: RBF\d{3}")
_STAYS = re.compile(r"^# stays plain: (.*)$", re.MULTILINE)
_EXEMPT = re.compile(r"^# not verified: ([\w-]+): (.*)$", re.MULTILINE)
_MAKE = re.compile(r"^def make\(", re.MULTILINE)


def pairs(root: Path, declared: Declaring = nothing_declared) -> Iterator[Case]:
    """Yield the cases of a directory, or of one file.

    A case is ``NAME.py`` with ``make()`` and, for a pair, ``NAME.fixed.py`` beside it; or a directory ``project_NAME``
    with ``main.py``. Comments ``# expect: CODE WORD`` say which rules the original breaks, and whether a fix was
    withheld; ``# stays plain: NAME, ...`` names attributes that are not fixed on purpose, and ``# not verified:
    CHECK: REASON`` a check that does not count.
    A file without a fixed version is a case where it says that something is wrong in it. A pair that cannot be built
    is a case, too, and says what it lacks.

    Args:
        root: the directory or file.
        declared: gives what is said of the fixes of some of the files.

    Raises:
        CaseError: there is nothing of the kind.
    """
    base = (root if root.is_dir() else root.parent).resolve()
    if root.is_file():
        cases = [_alone(root.resolve(), base)]
    else:
        cases = [_project(one, base) for one in sorted(base.rglob(f"{PROJECT}*")) if one.is_dir()]
        cases += [_alone(one, base) for one in sorted(base.rglob("*.py")) if _stands_alone(one, base)]
        cases += [_widowed(one, base) for one in sorted(base.rglob(f"*{FIXED}"))]
    real = [case for case in cases if case is not None]
    if not real:
        msg = f"{root}: nothing with make() and a fixed version, or with a statement of what is wrong"
        raise CaseError(msg)
    for case in sorted(real, key=lambda case: case.name):
        yield _declaring(case, declared)


def _declaring(case: Case, declared: Declaring) -> Case:
    """Return a case that knows the keys which its fixes declare."""
    if case.fixed is None:
        return case
    said = declared(case.fixed.replaced)
    return replace(case, claims=replace(case.claims, declared=said.declared, adds=said.adds, removes=said.removes))


def _stands_alone(path: Path, base: Path) -> bool:
    if path.name.endswith(FIXED):
        return False
    return not any(part.startswith(PROJECT) for part in path.relative_to(base).parts[:-1])


def _alone(path: Path, base: Path) -> Case | None:
    fixed = path.with_name(path.stem + FIXED)
    pair = ((str(path), str(fixed)),) if fixed.exists() else ()
    return _case(path, (path,), pair, (), base)


def _widowed(fixed: Path, base: Path) -> Case | None:
    """Return a case that says that a fixed version has no original, None where it has one."""
    path = fixed.with_name(fixed.name.removesuffix(FIXED) + ".py")
    if path.exists():
        return None
    name = path.relative_to(base).with_suffix("").as_posix()
    return Case(name, Build(str(path)), lacks=f"there is no {path.name} beside {fixed.name}")


def _project(directory: Path, base: Path) -> Case | None:
    files = tuple(one for one in sorted(directory.rglob("*.py")) if not one.name.endswith(FIXED))
    both = ((one, one.with_name(one.stem + FIXED)) for one in files)
    pair = tuple((str(one), str(fixed)) for one, fixed in both if fixed.exists())
    return _case(directory / MAIN, files, pair, (str(directory),), base)


def _case(
    path: Path, files: Iterable[Path], replaced: tuple[tuple[str, str], ...], paths: tuple[str, ...], base: Path
) -> Case | None:
    text = "\n".join(_text(file) for file in files)
    stated = [word for match in _EXPECT.finditer(text) for word in match[1].split(",")]
    has_make = path.is_file() and bool(_MAKE.search(_text(path)))
    if not replaced and not (has_make and stated):
        return None
    place = path.relative_to(base)
    rule = next((part for part in path.parts[::-1] if _CODE.fullmatch(part)), "")
    stated_codes = {code for word in stated for code in _CODE.findall(word)}
    withheld = any(_WITHHELD.search(word) for word in stated) or bool(_TODO.search(text))
    build = Build(str(path), make=f"{path}::make", inputs=f"{path}::inputs", paths=paths)
    fixed = Build(build.file, build.make, inputs=build.inputs, paths=paths, replaced=replaced) if replaced else None
    return Case(
        name=(place.parent if place.name == MAIN and paths else place.with_suffix("")).as_posix(),
        original=build,
        fixed=fixed,
        claims=Claims(
            codes=frozenset({rule} if rule else stated_codes),
            withheld=withheld,
            stays=frozenset(name.strip() for match in _STAYS.finditer(text) for name in match[1].split(",")),
            exempt=tuple((match[1], match[2]) for match in _EXEMPT.finditer(text)),
        ),
        rule=rule,
        is_defect=fixed is None,
        lacks="" if has_make else f"there is no make() in {path.name}",
    )


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
