"""The tensor is put where it is to stay."""

from __future__ import annotations

from regbuf_lint.classes.chosen_devices import starts_where_it_stays
from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "kept-on-cpu",
    "the code itself puts it on the CPU, on a device for data, or on `meta`",
    lambda context, attribute: starts_where_it_stays(context.definitions, attribute, context.building),
)
