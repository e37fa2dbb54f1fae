"""``python -m regbuf_lint``."""

from __future__ import annotations

import sys

from regbuf_lint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
