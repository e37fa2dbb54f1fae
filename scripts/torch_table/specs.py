"""What a value is, as the tables say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


Json: TypeAlias = "str | bool | list[Json] | dict[str, Json]"
Spec: TypeAlias = "str | dict[str, Json]"

TENSOR: Spec = "tensor"
UNKNOWN: Spec = "unknown"
TENSORS: Spec = {"list": "tensor"}


# Last name of an annotation to what a value of that type is.
TYPE_NAMES: dict[str, str] = {
    "Any": "unknown",
    "BoolLikeType": "bool",
    "Device": "other",
    "DType": "dtype",
    "FloatLikeType": "float",
    "Generator": "generator",
    "IntLikeType": "int",
    "LiteralString": "str",
    "NoReturn": "none",
    "Never": "none",
    "None": "none",
    "Number": "number",
    "Parameter": "tensor",
    "Self": "unknown",
    "Size": "size",
    "Storage": "storage",
    "SymBool": "bool",
    "SymFloat": "float",
    "SymInt": "int",
    "Tensor": "tensor",
    "TypeGuard": "bool",
    "TypeIs": "bool",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "finfo": "limits",
    "iinfo": "limits",
    "_TypeGuard": "bool",
    "_TypeIs": "bool",
    "_Node": "other",
    "_bool": "bool",
    "_complex": "number",
    "_device": "device",
    "_dtype": "dtype",
    "_float": "float",
    "_int": "int",
    "_layout": "other",
    "_qscheme": "other",
    "_size": "size",
    "_str": "str",
    "bool": "bool",
    "complex": "number",
    "device": "device",
    "dtype": "dtype",
    "float": "float",
    "int": "int",
    "layout": "other",
    "memory_format": "other",
    "ndarray": "numpy",
    "object": "unknown",
    "str": "str",
}
SEQUENCES = {"Sequence", "List", "list", "Iterable", "Iterator", "Tuple", "tuple", "set", "Generator"}
NUMBERS = {"int", "float", "bool", "number"}


def has_tensor(spec: Json) -> bool:
    """Whether a value so described is, holds, or may be a tensor."""
    if isinstance(spec, str):
        return spec in {"tensor", "optional-tensor", "unknown"}
    if isinstance(spec, list):
        return any(map(has_tensor, spec))
    return isinstance(spec, dict) and any(has_tensor(value) for key, value in spec.items() if key != "fields")


def union(specs: Sequence[Spec]) -> Spec:
    """What a value is that is one of ``specs``."""
    different = [spec for index, spec in enumerate(specs) if spec not in specs[:index]]
    if len(different) == 1:
        return different[0]
    if sorted(map(str, different)) == ["none", "tensor"]:
        return "optional-tensor"
    if any(map(has_tensor, different)):
        return UNKNOWN
    return "number" if all(isinstance(spec, str) and spec in NUMBERS for spec in different) else "other"
