"""``get_extra_state`` saves the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_saved(context: ClassContext, attribute: str) -> bool:
    return set(context.trace(attribute).by_entry(attribute)) == {"get_extra_state"}


EXEMPTION = Exemption("in-extra-state", "nothing but `get_extra_state` reads it, so `state_dict()` has it", _is_saved)
