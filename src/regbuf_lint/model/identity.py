"""What a finding is about, told without its place: the same in the next run, though lines have moved meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.mention import without_rows

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding


def identity(finding: Finding) -> tuple[str, str, str]:
    """Return code, class and attribute; of a finding that names no attribute, its message without rows instead."""
    about = finding.attribute or without_rows(finding.message)
    return finding.code, finding.class_name or "", about
