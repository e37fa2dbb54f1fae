"""Why a statement cannot be rewritten; known without libcst."""

from __future__ import annotations


class CannotRewrite(Exception):  # noqa: N818  (an outcome, not an error)
    """The statement has no form that the change could take; the message says why, as the end of a sentence."""
