"""The tables as text, made from the installed torch."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import json
import sys
from pathlib import Path

import numpy as np

from torch_table.classes import classes_table
from torch_table.flow import Api, flow_traits
from torch_table.functions import Functions
from torch_table.members import Members
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


def names_of_others(sources: Sources) -> set[str]:
    """Names that objects of Python, NumPy arrays, nn.Modules and distributions have."""
    kinds = (bool, bytes, complex, dict, float, int, io.TextIOWrapper, list, np.ndarray, set, str, tuple)
    names = {name for kind in kinds for name in dir(kind)}
    for path in ("torch.nn.modules.module.Module", "torch.distributions.distribution.Distribution"):
        file, _, name = path.rpartition(".")
        found = sources.file(file)
        if found is not None:
            members = Members()
            members.read(found.classes[name])
            names |= members.attributes
    return names


def api_table(sources: Sources, version: str) -> dict[str, Json]:
    """The whole API table."""
    schemas = sources.root.parent / "torchgen" / "packaged" / "ATen" / "native" / "native_functions.yaml"
    operators = read_operators(schemas)
    tensors = Tensors(sources)
    reader = Functions(sources, operators)
    functions = reader.read()
    methods = tensors.methods(functions)
    properties = tensors.properties()
    taking_tensor = [reader.taking_tensor(place) for place in range(2)]
    api = Api(operators, functions, methods, properties, tensors.casts(), taking_tensor, names_of_others(sources))
    flow = flow_traits(api)
    return {
        "torch": version,
        "functions": dict(functions),
        "methods": dict(methods),
        "properties": dict(properties),
        "constants": dict(tensors.constants()),
        "generator_methods": dict(tensors.generator_methods()),
        "traits": {
            key: list[Json](names) for key, names in (traits(operators, {*functions}, {*methods}) | flow).items()
        },
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
