"""What this layer raises for inputs it cannot work with."""

from __future__ import annotations


class SourceError(Exception):
    """A file that cannot be read, decoded, encoded or written; the message is one line and does not name the file."""


class SettingsError(Exception):
    """A configuration that cannot be used; the message is one line and says where the mistake is."""


def os_error_text(error: OSError) -> str:
    """Return what went wrong as one lower-case phrase without the path ("permission denied")."""
    text = error.strerror or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
