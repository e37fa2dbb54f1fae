"""A terminal of the tests' own."""

from __future__ import annotations

import os


def shown_on(leader: int) -> str:
    """All that is written to a terminal until its last writer ends.

    Args:
        leader: the descriptor of the side that reads; it is closed.
    """
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    return seen.decode()
