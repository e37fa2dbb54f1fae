"""torch itself confirms what the linter says: the verifier, the audit of live modules, the pytest plugin.

Importing this package does not import torch; using one of its names does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regbuf_lint.verify.assertion import assert_state_follows_module
    from regbuf_lint.verify.stragglers import Straggler, audit

__all__ = ["Straggler", "assert_state_follows_module", "audit"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from regbuf_lint.verify import assertion, stragglers  # noqa: PLC0415  imports torch

    return getattr(assertion if name == "assert_state_follows_module" else stragglers, name)
