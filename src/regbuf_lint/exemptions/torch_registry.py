"""The attribute is one of nn.Module's own dictionaries."""

from __future__ import annotations

from regbuf_lint.classes.definition import REGISTRIES
from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "torch-registry",
    "it is one of nn.Module's own dictionaries, which `.to()` and `state_dict()` read",
    lambda _context, attribute: attribute in REGISTRIES,
)
