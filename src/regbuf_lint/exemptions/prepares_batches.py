"""Loader workers, which run on the CPU, read the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_sampled_on_cpu(context: ClassContext, attribute: str) -> bool:
    """Whether only methods that prepare batches for a loader (``collate_fn=self.sample``) read the attribute."""
    collating = frozenset(context.family_uses.collating)
    if not collating:
        return False
    readers = context.readers(attribute)
    preparing = context.inference.reached_from(context.built, collating) | context.building
    return readers <= preparing and not readers <= context.building


EXEMPTION = Exemption(
    "prepares-batches",
    "only methods that serve a loader as `collate_fn` read it, and these run on the CPU",
    _is_sampled_on_cpu,
)
