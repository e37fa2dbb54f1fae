"""Write the tables of torch's API that the linter reads at run time.

The tables come from the text of an installed torch: its type stubs, its Python sources, and the operator schemas that
its wheel carries. Nothing of torch is imported or run.

    python scripts/generate_torch_table.py            # write the tables
    python scripts/generate_torch_table.py --check    # exit with 1 where a table differs from what would be written

Written are ``src/regbuf_lint/torch_facts/data/torch_api.json`` (what functions, methods and properties return) and
``src/regbuf_lint/index/data/torch_classes.json`` (which classes are nn.Module classes, and which names they take).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from torch_table.tables import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "regbuf_lint"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or compare them."""
    parser = argparse.ArgumentParser(description="Write the tables of torch's API that the linter reads.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit with 1 on a difference")
    check = parser.parse_args(arguments).check
    differs = False
    for name, text in tables().items():
        path = PACKAGE / name
        if check:
            same = path.is_file() and path.read_text(encoding="utf-8") == text
            differs |= not same
            print(f"{path.name}: {'up to date' if same else 'differs'}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
