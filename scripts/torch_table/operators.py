"""Operator schemas: ``native_functions.yaml``, which torch's wheel carries for its code generator."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_table.specs import Json

if TYPE_CHECKING:
    from pathlib import Path

    from torch_table.specs import Spec


@dataclass(frozen=True)
class Operator:
    """One ``- func:`` entry."""

    name: str
    overload: str
    arguments: tuple[str, ...]
    returns: str
    is_method: bool
    is_function: bool
    namespace: str
    is_random: bool
    is_data_dependent: bool
    is_of_any_length: bool
    is_elementwise: bool

    @property
    def is_view(self) -> bool:
        """Whether a result may share memory with the input that it does not change."""
        return bool(re.search(r"\(a[^)!]*\)", self.returns)) and not self.name.endswith("_")

    @property
    def is_out(self) -> bool:
        """Whether this is the variant that writes into ``out``."""
        return any("!" in argument and " out" in argument for argument in self.arguments) or "out" in self.overload

    @property
    def kinds(self) -> list[str]:
        """The types of its arguments."""
        return [argument.split()[0] for argument in self.arguments if argument != "*"]

    @property
    def path(self) -> str:
        """Where users call it as a function."""
        space = {"": "torch", "nn": "torch.nn.functional"}.get(self.namespace, f"torch.{self.namespace}")
        return f"{space}.{self.name.removeprefix(f'{self.namespace}_')}"

    def spec(self) -> Spec:
        """What it returns."""
        text = self.returns.strip()
        if text == "()":
            return "none"
        if not text.startswith("("):
            return schema_type(text)[0]
        items = [schema_type(part) for part in split(text[1:-1])]
        result: dict[str, Json] = {"tuple": [spec for spec, _ in items]}
        names = [name for _, name in items]
        if all(names):
            result["fields"] = list[Json](names)
        return result


def schema_type(text: str) -> tuple[Spec, str]:
    """What ``Tensor(a) name`` declares, and the name."""
    kind, _, name = re.sub(r"\([^)]*\)", "", text).strip().partition(" ")
    if kind.endswith("[]"):
        return {"list": schema_type(kind[:-2])[0]}, name
    names = {"Tensor": "tensor", "int": "int", "SymInt": "int", "float": "float", "bool": "bool", "Scalar": "number"}
    return names.get(kind, "dtype" if kind == "ScalarType" else "unknown"), name


def split(text: str) -> list[str]:
    """Split at the commas that stand in no bracket."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def read_operators(path: Path) -> list[Operator]:
    """Read the operator schemas."""
    operators = []
    for entry in re.split(r"(?m)^- func: ", path.read_text(encoding="utf-8"))[1:]:
        head, _, rest = entry.partition("\n")
        matched = re.match(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.*)", head)
        if matched is None:
            continue
        attributes = dict(re.findall(r"(?m)^  (variants|python_module|tags): *(.*?) *(?:#.*)?$", rest))
        variants = attributes.get("variants", "function")
        operators.append(
            Operator(
                name=matched[1],
                overload=matched[2] or "",
                arguments=tuple(split(matched[3])),
                returns=matched[4],
                is_method="method" in variants,
                is_function="function" in variants,
                namespace=attributes.get("python_module", ""),
                is_random="nondeterministic_seeded" in attributes.get("tags", ""),
                is_data_dependent="data_dependent_output" in attributes.get("tags", ""),
                is_of_any_length="dynamic_output_shape" in attributes.get("tags", ""),
                is_elementwise="pointwise" in attributes.get("tags", ""),
            )
        )
    return operators


# ---------------------------------------------------------------------------------------------------------------------
