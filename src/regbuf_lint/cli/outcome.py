"""What a result means for the exit code."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for the one of `typing`, which takes longer to import than all else here

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.model.result import RunResult

CLEAN = 0
FINDINGS = 1
FAILURE = 2
INTERRUPTED = 130


def exit_code(result: RunResult, arguments: Namespace) -> int:
    """Return the exit code of a run: a path that failed outweighs findings, which ``--exit-zero`` forgives."""
    if result.all_errors:
        return FAILURE
    if arguments.exit_zero:
        return CLEAN
    changed = any(file.fixed is not None and file.fixed.applied for file in result.files)
    if arguments.diff:
        return FINDINGS if changed else CLEAN
    if arguments.exit_non_zero_on_fix and changed:
        return FINDINGS
    if arguments.fix_only:
        return CLEAN
    return FINDINGS if result.findings else CLEAN
