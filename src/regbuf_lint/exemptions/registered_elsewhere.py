"""The constructor alone reads the attribute, which is registered under another name or by another object."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "registered-elsewhere",
    "the same tensor is registered elsewhere, and nothing but the constructor reads it here",
    lambda context, attribute: context.registered_elsewhere(attribute),
)
