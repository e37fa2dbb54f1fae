"""The generated tables, as the linter reads them."""

from __future__ import annotations

import importlib.metadata
import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import regbuf_lint

PACKAGE = Path(regbuf_lint.__file__).parent
API: dict[str, Any] = json.loads((PACKAGE / "torch_facts" / "data" / "torch_api.json").read_text(encoding="utf-8"))
CLASSES: dict[str, Any] = json.loads((PACKAGE / "index" / "data" / "torch_classes.json").read_text(encoding="utf-8"))


def installed_version() -> str | None:
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


needs_that_torch = pytest.mark.skipif(installed_version() != API["torch"], reason="another torch than the table's")


def members(path: str, key: str) -> set[str]:
    entry = CLASSES["module_classes"].get(CLASSES["aliases"].get(path, path))
    if entry is None:
        return set()
    return reduce(set.union, (members(base, key) for base in entry["bases"]), set(entry.get(key, ())))
