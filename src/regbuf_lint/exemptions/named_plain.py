"""The names that the author chose say that a plain tensor is meant."""

from __future__ import annotations

from regbuf_lint.classes.reasons import names_say_plain
from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "named-plain",
    "its name, or that of its class, says that a plain tensor is meant",
    lambda context, attribute: names_say_plain(context.name, attribute),
)
