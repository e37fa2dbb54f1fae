"""What fixes declare, read from the linter's own report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.model import CaseError, Claims

if TYPE_CHECKING:
    from collections.abc import Iterator

SEPARATOR = "::"


def declared(file: str, fixed: tuple[tuple[str, str], ...]) -> Claims:
    """Read what the linter says of the files that are to be replaced.

    Args:
        file: what the linter wrote with ``--output-format json``.
        fixed: pairs of files; the first of each is what the findings are about.

    Raises:
        CaseError: the file is not what the linter writes.
    """
    files = {before for before, _ in fixed}
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        findings = (one for one in data if one["code"] is not None)  # else it says that a class is too large
        own = [one for one in findings if str(Path(one["filename"]).resolve()) in files]
        adds = tuple(key for one in own for key in _declared(one, "adds"))
        removes = tuple(key for one in own for key in _declared(one, "removes"))
        withheld = any(one["fix"] is None or one["fix"]["applicability"] == "display" for one in own)
        return Claims(
            codes=frozenset(one["code"] for one in own),
            declared=True,
            adds=adds,
            removes=removes,
            withheld=withheld,
            fixed=frozenset(one["attribute"] for one in own if one["fix"] is not None and one["attribute"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"--findings: {file}: not what `regbuf-lint --output-format json` writes ({type(error).__name__})"
        raise CaseError(msg) from error


def _declared(finding: dict[str, Any], which: str) -> Iterator[tuple[str, str]]:
    owner = f"{Path(finding['filename']).resolve()}{SEPARATOR}{finding['class']}" if finding["class"] else ""
    for key in (finding["fix"] or {}).get("state_dict", {}).get(which, []):
        yield owner, str(key)
