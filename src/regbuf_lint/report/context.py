"""What a reporter is told beside the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.model.rule import RuleDocs


class ReportContext(Struct, frozen=True):
    """What a reporter is told beside the result.

    Attributes:
        color: whether to colour; only formats for people are told so.
        docs: gives the pages of the rules by their codes; asked only by formats that carry them: loading takes time.
    """

    color: bool = False
    docs: Callable[[], Mapping[str, RuleDocs]] = dict
