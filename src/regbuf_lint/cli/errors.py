"""Mistakes of the user."""

from __future__ import annotations

STDIN_IS_CLOSED = "standard input is closed"


class UsageError(Exception):
    """A command line that cannot be run; the message is one line."""
