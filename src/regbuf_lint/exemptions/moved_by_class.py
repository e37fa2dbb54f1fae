"""The class moves the attribute by itself."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "moved-by-class",
    "the class moves it, or makes it anew, when the object is moved",
    lambda context, attribute: context.moved_by_hand(attribute),
)
