"""The tables as text, made from the installed torch."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path

from torch_table.classes import classes_table
from torch_table.functions import Functions
from torch_table.operators import read_operators
from torch_table.sources import Sources
from torch_table.specs import Json
from torch_table.tensors import Tensors
from torch_table.traits import traits


def torch_root() -> Path:
    """The folder of the installed torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        sys.exit("torch is not installed")
    return Path(spec.origin).parent


def api_table(sources: Sources, version: str) -> dict[str, Json]:
    """The whole API table."""
    schemas = sources.root.parent / "torchgen" / "packaged" / "ATen" / "native" / "native_functions.yaml"
    operators = read_operators(schemas)
    tensors = Tensors(sources)
    functions = Functions(sources, operators).read()
    methods = tensors.methods(functions)
    return {
        "torch": version,
        "functions": dict(functions),
        "methods": dict(methods),
        "properties": dict(tensors.properties()),
        "constants": dict(tensors.constants()),
        "generator_methods": dict(tensors.generator_methods()),
        "traits": {key: list[Json](names) for key, names in traits(operators, {*functions}, {*methods}).items()},
    }


def tables() -> dict[str, str]:
    """The text of each table, by its path in the package."""
    sources = Sources(torch_root())
    version = importlib.metadata.version("torch").partition("+")[0]
    return {
        "torch_facts/data/torch_api.json": _render(api_table(sources, version)),
        "index/data/torch_classes.json": _render(classes_table(sources, version)),
    }


def _render(table: dict[str, Json]) -> str:
    return json.dumps(table, indent=1, sort_keys=True) + "\n"
