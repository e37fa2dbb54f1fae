"""Fixes as code actions."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    OptionalVersionedTextDocumentIdentifier,
    Position,
    Range,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

from regbuf_lint import Applicability
from regbuf_lint.server.diagnostics import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lsprotocol.types import Diagnostic

    from regbuf_lint import Finding
    from regbuf_lint.server.places import Places

FIX_ALL = f"{CodeActionKind.SourceFixAll.value}.{SOURCE}"
_NEEDS_LOOK = " (needs a look)"


def quick_fix(
    finding: Finding, shown: Diagnostic, document: OptionalVersionedTextDocumentIdentifier, places: Places
) -> CodeAction | None:
    """Return the fix of one finding; None where there is none, or it is only half of what has to be written.

    Args:
        finding: the finding.
        shown: its diagnostic.
        document: the document as it was checked.
        places: its places.
    """
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY:
        return None
    is_safe = fix.applicability is Applicability.SAFE
    return CodeAction(
        title=fix.message if is_safe else f"{fix.message}{_NEEDS_LOOK}",
        kind=CodeActionKind.QuickFix,
        diagnostics=[shown],
        is_preferred=is_safe,
        edit=_edit(document, (TextEdit(places.range_of(one.span), one.content) for one in fix.edits)),
    )


def fix_all(after: str, document: OptionalVersionedTextDocumentIdentifier, places: Places) -> CodeAction | None:
    """Return what makes the rows of a text those of another one; None where they are.

    Args:
        after: the text as fixed.
        document: the document as it was fixed.
        places: its places.
    """
    edits = list(_changed_rows(places.rows, type(places)(after, places.codec).rows))
    if not edits:
        return None
    return CodeAction(title="Register what regbuf-lint can register safely", kind=FIX_ALL, edit=_edit(document, edits))


def _changed_rows(before: list[str], after: list[str]) -> Iterator[TextEdit]:
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield TextEdit(Range(Position(start, 0), Position(end, 0)), "".join(after[new_start:new_end]))


def _edit(document: OptionalVersionedTextDocumentIdentifier, edits: Iterable[TextEdit]) -> WorkspaceEdit:
    return WorkspaceEdit(document_changes=[TextDocumentEdit(document, list(edits))])
