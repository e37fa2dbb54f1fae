"""Findings as diagnostics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint import Finding, Span
    from regbuf_lint.server.places import Places

SOURCE = "regbuf-lint"
_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "info": DiagnosticSeverity.Information,
}


def diagnostic(finding: Finding, uri: str, places_of: Callable[[str], Places]) -> Diagnostic:
    """Return a finding as a diagnostic: its help in a second line, its evidence as related information.

    Args:
        finding: the finding.
        uri: address of its document.
        places_of: gives the places in the text of an address.
    """
    return Diagnostic(
        range=places_of(uri).range_of(finding.span),
        message=f"{finding.message}\nhelp: {finding.help}" if finding.help else finding.message,
        severity=_SEVERITIES[finding.rule.severity.value],
        code=finding.code,
        code_description=CodeDescription(finding.rule.url),
        source=SOURCE,
        related_information=[
            DiagnosticRelatedInformation(Location(where, places_of(where).range_of(span)), message)
            for where, span, message in _related(finding, uri)
        ],
    )


def _related(finding: Finding, uri: str) -> Iterator[tuple[str, Span, str]]:
    """Places where the defect hurts, and further ones that belong to it, with the address of the file."""
    for one in finding.evidence:
        yield uri if one.path is None else Path(one.path).absolute().as_uri(), one.span, one.message
    for other in finding.related:
        yield uri, other.span, other.message
