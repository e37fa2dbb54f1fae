"""The generated table of torch's functions, methods and properties; torch itself is not needed to read it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct


class Table(Struct, frozen=True):
    """The generated table, its lists turned into sets."""

    functions: dict[str, Any]
    methods: dict[str, Any]
    properties: dict[str, Any]
    constants: dict[str, str]
    generator_methods: dict[str, Any]
    traits: dict[str, frozenset[str]]


@cache
def table() -> Table:
    """The table of the torch version that it was generated from."""
    text = Path(__file__).with_name("data").joinpath("torch_api.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    return Table(
        raw["functions"],
        raw["methods"],
        raw["properties"],
        raw["constants"],
        raw["generator_methods"],
        {name: frozenset(names) for name, names in raw["traits"].items()},
    )
