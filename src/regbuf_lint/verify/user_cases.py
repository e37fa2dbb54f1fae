"""Classes that the user names, built by factories or by an expression."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.verify.declared import SEPARATOR, nothing_declared
from regbuf_lint.verify.model import Build, Case, CaseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.verify.declared import Declaring

_BESIDE_FACTORY = "inputs"


def split(place: str, what: str) -> tuple[Path, str]:
    """Split ``FILE::NAME`` into the file, which exists, and the name.

    Raises:
        CaseError: it is no such text, or there is no such file.
    """
    file, separator, name = place.rpartition(SEPARATOR)
    if not separator or not file or not name:
        msg = f"{what}: expected FILE::NAME, not `{place}`"
        raise CaseError(msg)
    if not Path(file).is_file():
        msg = f"{what}: {file}: no such file"
        raise CaseError(msg)
    return Path(file).resolve(), name


def replacements(pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read ``FILE=FIXED_FILE`` texts.

    Raises:
        CaseError: one is no such text, or a file is not there.
    """
    found = []
    for pair in pairs:
        before, separator, after = pair.partition("=")
        if not separator or not Path(before).is_file() or not Path(after).is_file():
            msg = f"--fixed: expected FILE=FIXED_FILE, both there, not `{pair}`"
            raise CaseError(msg)
        found.append((str(Path(before).resolve()), str(Path(after).resolve())))
    return tuple(found)


def _check_expression(option: str, text: str) -> None:
    try:
        compile(text or "None", option, "eval")
    except (SyntaxError, ValueError) as error:
        msg = f"{option}: `{text}` is no expression: {getattr(error, 'msg', error)}"
        raise CaseError(msg) from error


def user_cases(
    targets: Sequence[str],
    *,
    factories: Sequence[str],
    init: str,
    inputs: str,
    fixed: tuple[tuple[str, str], ...] = (),
    declared: Declaring = nothing_declared,
) -> Iterator[Case]:
    """Yield a case for each factory, or for the one expression.

    Args:
        targets: classes, as ``FILE::NAME``.
        factories: functions that return a module, or a module and its inputs, as ``FILE::FUNCTION``.
        init: an expression that gives a module; its names are those of the target's file.
        inputs: an expression that gives the inputs; where empty, those of the factory or of ``inputs()`` beside it.
        fixed: files with the files that would take their place; then both versions are compared.
        declared: gives what is said of the fixes of some files.

    Raises:
        CaseError: a file is not there, or nothing says how to build the classes.
    """
    places = [split(target, "target") for target in targets]
    if bool(factories) == bool(init):
        msg = "say how to build the class: either --factory FILE::FUNCTION or --init EXPRESSION"
        raise CaseError(msg)
    if init and len(places) > 1:
        msg = "--init builds one class; for several give --factory"
        raise CaseError(msg)
    _check_expression("--init", init)
    _check_expression("--inputs", inputs)
    file = str(places[0][0])
    named = tuple(f"{place}{SEPARATOR}{name}" for place, name in places)
    claims = declared(fixed)
    paths = (str(Path.cwd()),)
    builds = [(targets[0], Build(file, init=init, inputs=inputs, paths=paths))] if init else []
    for factory in factories:
        place, name = split(factory, "--factory")
        given = inputs or f"{place}{SEPARATOR}{_BESIDE_FACTORY}"
        builds.append((factory, Build(file, f"{place}{SEPARATOR}{name}", inputs=given, paths=paths)))
    for name, build in builds:
        after = replace(build, replaced=fixed) if fixed else None
        yield Case(name, build, after, claims, targets=named)
