"""How Python sees a name that is written in a class."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


def free_name(attribute: str, taken: AbstractSet[str]) -> str:
    """The name of a local that holds what an attribute will hold: that of the attribute, if no other local has it."""
    name = attribute
    while name in taken or name.startswith("__"):
        name = f"{name.lstrip('_')}_"
    return name


def attribute_key(name: str, class_name: str) -> str:
    """The string under which an object keeps the attribute that code in a class spells ``self.name``.

    Python normalises identifiers, and mangles those with two leading underscores; it does neither to strings.

    Args:
        name: the attribute as it is written.
        class_name: name of the innermost class around the code.
    """
    name = normalize("NFKC", name)
    owner = class_name.rpartition(".")[2].lstrip("_")
    if not name.startswith("__") or name.endswith("__") or not owner:
        return name
    return f"_{owner}{name}"
