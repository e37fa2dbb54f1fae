"""The attribute holds a tensor for each device."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "one-for-each-device",
    "it holds one tensor for each device, and methods choose by the device of what they compute with",
    lambda context, attribute: context.trace(attribute).is_chosen_by_device(attribute),
)
