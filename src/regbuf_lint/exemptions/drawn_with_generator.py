"""The tensor serves draws with a generator that stays where it is."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "drawn-with-generator",
    "it is read only for draws with a generator of the object, which cannot move",
    lambda context, attribute: context.trace(attribute).is_drawn_by_generator(attribute),
)
