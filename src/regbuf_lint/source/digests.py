"""Digests of what files hold."""

from __future__ import annotations

import hashlib


def digest_of(data: bytes) -> str:
    """The digest of some content."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
