"""``get_extra_state`` saves the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.use import Sink

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_saved(context: ClassContext, attribute: str) -> bool:
    by_entry = dict(context.trace(attribute).by_entry(attribute))
    if not by_entry.pop("get_extra_state", ()):
        return False
    return all(use.sink is Sink.MUTATED or use.ends_on_host for uses in by_entry.values() for use in uses)


EXEMPTION = Exemption(
    "in-extra-state",
    "`get_extra_state` gives it to `state_dict()`, and other methods only fill it or make numbers of it",
    _is_saved,
)
