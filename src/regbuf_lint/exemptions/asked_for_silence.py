"""The configuration names the attribute."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "asked-for-silence",
    "`ignore-attributes` in the configuration names it",
    lambda context, attribute: context.is_ignored_by_settings(attribute),
)
