"""``python -m regbuf_lint.verify``."""

from __future__ import annotations

import sys

from regbuf_lint.verify.cli import main

if __name__ == "__main__":
    sys.exit(main())
