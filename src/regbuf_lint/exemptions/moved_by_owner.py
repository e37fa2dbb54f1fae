"""The object that holds this one moves the attribute."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.owners import moved_by_owner

EXEMPTION = Exemption(
    "moved-by-owner",
    "the object that holds this one moves it",
    lambda context, attribute: moved_by_owner(context.inference, context.built, attribute),
)
