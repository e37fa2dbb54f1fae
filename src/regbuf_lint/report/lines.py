"""Lines that text formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.fix import Applicability

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileError
    from regbuf_lint.model.span import Position
    from regbuf_lint.report.style import Style

_MOST_NAMES = 5


def header(path: str, finding: Finding, style: Style) -> str:
    """Return ``path:row:column: CODE [*] message``; ``[*]`` marks a safe fix."""
    mark = f"[{style.cyan('*')}] " if has_safe_fix(finding) else ""
    return f"{place(path, finding.span.start, style)} {style.red(finding.code)} {mark}{finding.message}"


def place(path: str, position: Position, style: Style) -> str:
    """Return ``path:row:column:``, of a notebook ``path:cell 3:row:column:``."""
    colon = style.cyan(":")
    cell = f"{colon}cell {position.cell}" if position.cell else ""
    return f"{style.bold(path)}{cell}{colon}{position.row}{colon}{position.column}{colon}"


def row_and_column(position: Position) -> str:
    """Return ``row:column``, of a notebook ``cell 3:row:column``."""
    cell = f"cell {position.cell}:" if position.cell else ""
    return f"{cell}{position.row}:{position.column}"


def error_line(error: FileError, style: Style) -> str:
    """Return ``path: error: message``."""
    return f"{style.bold(error.path)}{style.cyan(':')} {style.red('error')}: {error.message}"


def has_safe_fix(finding: Finding) -> bool:
    """Whether ``--fix`` alone fixes the finding."""
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


def has_unsafe_fix(finding: Finding) -> bool:
    """Whether ``--fix`` needs ``--unsafe-fixes`` to fix the finding."""
    return finding.fix is not None and finding.fix.applicability is Applicability.UNSAFE


def count(number: int, noun: str) -> str:
    """Return a number with its noun ("1 finding", "2 classes")."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith(('s', 'x')) else 's'}"


def some(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + rest
