"""Classes whose source is not read: torch's own from a generated table, other packages' from a catalogue."""

from __future__ import annotations

import json
import re
import sys
from enum import Enum
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from regbuf_lint.source.toml_files import parse_toml

_WILD = frozenset("*?[")
"""What makes an fnmatch pattern of a name."""


class Verdict(Enum):
    """Whether a class is an nn.Module class."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class TorchClass(Struct, frozen=True):
    """An nn.Module class of torch: what it and its bases register and define.

    Attributes:
        parameters: attributes that hold a Parameter (or None).
        buffers: attributes that are registered buffers.
        names: every other attribute, method and property.
        returns_tensor: whether ``forward`` is annotated to return one tensor.
        is_plain: whether construction makes nothing that it keeps: neither tensors nor parts.
    """

    parameters: frozenset[str]
    buffers: frozenset[str]
    names: frozenset[str]
    returns_tensor: bool
    is_plain: bool


class OutsideClass(Struct, frozen=True):
    """A well-known base class whose source is not at hand.

    Attributes:
        members: names that it gives to its objects.
        moved: attributes that its package moves to the right device by itself; ``*`` for every tensor.
        initialises: whether ``nn.Module.__init__`` has run before the constructor of a subclass does.
        moved_by_trainer: whether its package moves objects to a device of its own choice.
    """

    members: frozenset[str]
    moved: frozenset[str]
    initialises: bool = False
    moved_by_trainer: bool = False

    def moves(self, attribute: str | None) -> bool:
        """Whether its package moves an attribute, None for one whose name is not known."""
        return "*" in self.moved or attribute in self.moved


@cache
def _known_members() -> tuple[tuple[re.Pattern[str], OutsideClass], ...]:
    return tuple(
        (_any_of(tuple(entry["names"])), _outside_class(entry))
        for entry in parse_toml(_data("known_members.toml"))["class"]
    )


def _outside_class(entry: dict[str, Any]) -> OutsideClass:
    return OutsideClass(
        frozenset(entry["members"]),
        frozenset(entry["moved"]),
        entry.get("initialises", False),
        entry.get("moved_by_trainer", False),
    )


def outside_class(name: str) -> OutsideClass | None:
    """What is known of the class imported as ``name``, None where it is not in the list."""
    return next((known for pattern, known in _known_members() if pattern.match(name)), None)


@cache
def _torch_table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(_data("torch_classes.json"))
    table["distributions"] = frozenset(table["distributions"])
    table["other_classes"] = frozenset(table["other_classes"])
    return table


@cache
def _catalogue() -> tuple[dict[str, Verdict], re.Pattern[str], re.Pattern[str]]:
    """What is said of classes by their full names, and the patterns of those that are nn.Module classes or are not."""
    packages = parse_toml(_data("known_bases.toml"))["package"]
    modules = tuple(name for package in packages for name in package["modules"])
    others = tuple(name for package in packages for name in package["not_modules"])
    exact = dict.fromkeys(modules, Verdict.YES) | dict.fromkeys(others, Verdict.NO)
    return exact, _any_of(_wild(modules)), _any_of(_wild(others))


def _data(name: str) -> str:
    return Path(__file__).with_name("data").joinpath(name).read_text(encoding="utf-8")


def _wild(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some names and fnmatch patterns that match more than themselves."""
    return tuple(name for name in names if not _WILD.isdisjoint(name))


@lru_cache(maxsize=8)
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns) or r"(?!)")


def is_tensor_class(name: str) -> bool:
    """Whether a dotted name is ``torch.Tensor`` or one of its legacy typed forms (``torch.LongTensor``)."""
    top, _, rest = name.partition(".")
    last = rest.rpartition(".")[2]
    return top == "torch" and last.endswith("Tensor") and last not in {"SparseTensor", "NestedTensor", "is_tensor"}


def is_torch_distribution(name: str) -> bool:
    """Whether a dotted name is a class of ``torch.distributions``, also by the file that defines it."""
    package, _, last = name.rpartition(".")
    known: frozenset[str] = _torch_table()["distributions"]
    return package.startswith("torch.distributions") and f"torch.distributions.{last}" in known


def torch_class(name: str) -> TorchClass | None:
    """What is known of the torch nn.Module class that is imported as ``name``, None where it is none."""
    table = _torch_table()
    canonical = table["aliases"].get(name, name)
    if canonical not in table["module_classes"]:
        return None
    return _torch_class(canonical)


@cache
def _torch_class(canonical: str) -> TorchClass:
    entry = _torch_table()["module_classes"][canonical]
    bases = [_torch_class(base) for base in entry.get("bases", ()) if base in _torch_table()["module_classes"]]
    return TorchClass(
        frozenset(entry.get("parameters", ())).union(*(base.parameters for base in bases)),
        frozenset(entry.get("buffers", ())).union(*(base.buffers for base in bases)),
        frozenset(entry.get("attributes", ())).union(*(base.names for base in bases)),
        entry["forward"] == "tensor" if "forward" in entry else any(base.returns_tensor for base in bases),
        "making" not in entry and all(base.is_plain for base in bases),
    )


def holds_no_tensors(name: str) -> bool:
    """Whether objects of a class of torch hold no tensors, and what they give is computed from what they are given."""
    known = torch_class(name)
    return known is not None and known.is_plain and known.returns_tensor and not known.parameters | known.buffers


def is_configured(name: str, module_classes: tuple[str, ...]) -> bool:
    """Whether the configuration takes the class imported as ``name`` for an nn.Module class.

    Args:
        name: dotted import name.
        module_classes: what it lists, names or fnmatch patterns; a name counts too where it is the end of the dotted
            name, since directories may be packages or not.
    """
    if not module_classes:
        return False
    return _any_of((*module_classes, *(f"*.{one}" for one in module_classes))).match(name) is not None


def verdict_by_name(name: str, module_classes: tuple[str, ...]) -> Verdict:
    """Whether the class imported as ``name`` is an nn.Module class, going by tables and configuration alone.

    Args:
        name: dotted import name.
        module_classes: names (or fnmatch patterns) that the configuration takes for nn.Module classes.
    """
    if is_configured(name, module_classes):
        return Verdict.YES
    top = name.partition(".")[0]
    if top == "torch":
        if torch_class(name) is not None:
            return Verdict.YES
        known = name in _torch_table()["other_classes"] or is_torch_distribution(name)
        return Verdict.NO if known else Verdict.UNKNOWN
    if top in sys.stdlib_module_names or top in {"builtins", "numpy", "typing_extensions"}:
        return Verdict.NO
    exact, modules, not_modules = _catalogue()
    if name in exact:
        return exact[name]
    if not_modules.match(name):
        return Verdict.NO
    return Verdict.YES if modules.match(name) else Verdict.UNKNOWN
