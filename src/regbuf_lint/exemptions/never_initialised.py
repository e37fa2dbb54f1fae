"""The object cannot be moved at all."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "never-initialised",
    "the class never runs `nn.Module.__init__`, so that nobody can move the object",
    lambda context, attribute: context.lives_with_arguments(attribute),
)
