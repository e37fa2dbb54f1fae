"""What becomes of a tensor in a function, method or property of torch: the traits of names, by their table.

`scripts/torch_table/flow.py` defines the traits.
"""

from __future__ import annotations

from regbuf_lint.torch_facts.table import table


def has(trait: str, name: str) -> bool:
    """Whether a name is listed under a trait.

    Args:
        trait: its name and the kind of names, as in ``view_methods`` or ``random_functions``.
        name: the dotted name of a function, the bare name of a method or property.
    """
    return name in table().traits.get(trait, ())
