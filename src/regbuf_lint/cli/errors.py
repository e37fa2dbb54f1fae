"""Mistakes of the user."""

from __future__ import annotations


class UsageError(Exception):
    """A command line that cannot be run; the message is one line."""
