"""What fixes declare, read from the linter's own report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from regbuf_lint.verify.model import CaseError, Claims

SEPARATOR = "::"
Replaced: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of files: one that findings are about, and the one that takes its place."""
Declaring: TypeAlias = Callable[[Replaced], Claims]
"""Gives what is said of the fixes of some files."""
_Keys: TypeAlias = tuple[tuple[str, str], ...]
"""Keys of ``state_dict()``, each after the class that holds it."""


def nothing_declared(_: Replaced) -> Claims:
    """What is said of fixes of which no report speaks."""
    return Claims()


def declared_in(file: str) -> Declaring:
    """Read what the linter says of fixes, once for all files.

    Args:
        file: what the linter wrote with ``--output-format json``; where empty, nothing is said of any fix.

    Raises:
        CaseError: the file is not what the linter writes.
    """
    if not file:
        return nothing_declared
    found: dict[str, list[_Finding]] = {}
    try:
        for one in json.loads(Path(file).read_text(encoding="utf-8")):
            if one["code"] is not None:  # else it says that a class is too large
                place = str(Path(one["filename"]).resolve())
                found.setdefault(place, []).append(_finding(one, place))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"--findings: {file}: not what `regbuf-lint --output-format json` writes ({type(error).__name__})"
        raise CaseError(msg) from error
    return partial(_claims, found)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a finding says of its fix.

    Attributes:
        code: the rule.
        fixed: the attribute that the fix is about; empty where there is no fix.
        withheld: whether no fix was made.
        adds: keys that ``state_dict()`` gains.
        removes: keys that it loses.
    """

    code: str
    fixed: str
    withheld: bool
    adds: _Keys
    removes: _Keys


def _finding(one: dict[str, Any], place: str) -> _Finding:
    fix = one["fix"] or {}
    owner = f"{place}{SEPARATOR}{one['class']}" if one["class"] else ""
    adds, removes = (
        tuple((owner, str(key)) for key in fix.get("state_dict", {}).get(which, [])) for which in ("adds", "removes")
    )
    attribute = (one["attribute"] or "") if fix else ""
    withheld = not fix or fix["applicability"] == "display"
    return _Finding(one["code"], attribute, withheld, adds, removes)


def _claims(findings: dict[str, list[_Finding]], fixed: Replaced) -> Claims:
    own = [one for file in dict.fromkeys(before for before, _ in fixed) for one in findings.get(file, ())]
    return Claims(
        codes=frozenset(one.code for one in own),
        declared=True,
        adds=tuple(key for one in own for key in one.adds),
        removes=tuple(key for one in own for key in one.removes),
        withheld=any(one.withheld for one in own),
        fixed=frozenset(one.fixed for one in own if one.fixed),
    )
