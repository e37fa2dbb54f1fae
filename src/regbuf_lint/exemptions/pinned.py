"""The tensor lies in pinned memory of the host."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.value import tensors_inside

EXEMPTION = Exemption(
    "pinned",
    "it lies in pinned memory of the host, to be copied from",
    lambda context, attribute: any(one.pinned for one in tensors_inside(context.value_of(attribute))),
)
