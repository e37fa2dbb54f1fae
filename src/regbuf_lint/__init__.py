"""Find tensors that an ``nn.Module`` neither moves, casts nor saves, and register them as buffers.

What the package offers is in ``__all__`` and described in ``docs/python-api.md``. It is imported with its first use, so
that the command line and other tools start without it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for the one of `typing`, which takes longer to import than all else here

if TYPE_CHECKING:
    from regbuf_lint.api import (
        SCHEMA_VERSION,
        Applicability,
        Checker,
        Decision,
        Edit,
        Evidence,
        ExplainedUse,
        Explanation,
        FileError,
        FileResult,
        Finding,
        Fix,
        FixedSource,
        Position,
        RunResult,
        SettingsError,
        Span,
        check_paths,
        check_source,
        explain_source,
        fix_source,
        to_records,
    )

__version__ = "0.1.0"
__all__ = (
    "SCHEMA_VERSION",
    "Applicability",
    "Checker",
    "Decision",
    "Edit",
    "Evidence",
    "ExplainedUse",
    "Explanation",
    "FileError",
    "FileResult",
    "Finding",
    "Fix",
    "FixedSource",
    "Position",
    "RunResult",
    "SettingsError",
    "Span",
    "check_paths",
    "check_source",
    "explain_source",
    "fix_source",
    "to_records",
)


if not TYPE_CHECKING:  # type checkers see the imports above, and no other names

    def __getattr__(name: str) -> object:
        if name not in __all__:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from regbuf_lint import api  # noqa: PLC0415  start-up time

        return getattr(api, name)

    def __dir__() -> list[str]:
        return [*globals(), *__all__]
