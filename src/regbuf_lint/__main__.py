"""``python -m regbuf_lint``."""

from __future__ import annotations

from regbuf_lint.cli.process import run

if __name__ == "__main__":
    run()
