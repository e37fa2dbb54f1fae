"""Write the JSON schema of the configuration table from the keys that the linter takes.

Run with ``python scripts/generate_settings_schema.py``; ``tests/source/test_settings_schema.py`` compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regbuf_lint.model.addresses import SETTINGS_SCHEMA
from regbuf_lint.rules import RULES
from regbuf_lint.source.setting_keys import KEYS

PLACE = Path(__file__).resolve().parent.parent / "docs" / "regbuf-lint.schema.json"
_SHORTEST = len("RBF")


def schema() -> dict[str, Any]:
    """Return the schema of what stands below ``[tool.regbuf-lint]``, and at the top of ``regbuf-lint.toml``."""
    codes = [rule.meta.code for rule in RULES]
    selectors = sorted({code[:end] for code in codes for end in range(_SHORTEST, len(code) + 1)})
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SETTINGS_SCHEMA,
        "title": "regbuf-lint",
        "description": "Configuration of regbuf-lint: [tool.regbuf-lint] in pyproject.toml, or regbuf-lint.toml.",
        "type": "object",
        "additionalProperties": False,
        "definitions": {"code": {"enum": ["ALL", *selectors]}},
        "properties": {key: {"description": one.meaning, **one.schema} for key, one in KEYS.items()},
    }


def main() -> None:
    """Write the schema."""
    PLACE.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
