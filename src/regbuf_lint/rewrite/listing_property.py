"""The property that gives numbered buffers as a list or tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.rewrite.layout import Argument, call
from regbuf_lint.rewrite.places import columns

if TYPE_CHECKING:
    from regbuf_lint.rewrite.places import Place
    from regbuf_lint.rewrite.style import TextStyle

_MOST_TYPES = 3
"""The annotation of a longer tuple does not list its items."""


class Listing(Struct, frozen=True):
    """What a property lists.

    Attributes:
        attribute: name of the property; the buffers are called like it, with a number behind.
        kind: ``list`` or ``tuple``.
        generic: how the file writes it before the type of its items; empty where it can't.
        receiver: name of ``self``.
        length: number of the buffers, None where ``counter`` keeps it.
        counter: attribute that keeps the number of the buffers.
        is_named: whether the buffers are written out one by one.
        tensor: how the file spells ``torch.Tensor``; empty where it can't.
        annotation: what the property returns, if the file says that already.
    """

    attribute: str
    kind: str
    generic: str
    receiver: str
    length: int | None
    counter: str
    is_named: bool
    tensor: str
    annotation: str


def listing_property(listing: Listing, place: Place, style: TextStyle) -> str:
    """Text of the property, without a line end before or behind it; ``place`` is that of its ``def``."""
    head = f"def {listing.attribute}({listing.receiver})"
    returned = listing.annotation or _annotation(listing)
    line = f"{head} -> {returned}:" if returned else f"{head}:"
    if columns(place.indent + line) > style.width:
        line = f"{head}:"
    body = replace(place.deeper(), behind=0)
    given = _written_out(listing, body) if listing.is_named else _comprehension(listing, body, style)
    return place.newline.join([f"{place.indent}@property", f"{place.indent}{line}", f"{body.indent}{given}"])


def numbered_name(attribute: str, index: str, style: TextStyle) -> str:
    """The f-string that makes the name of a buffer of the number in a variable."""
    return f"f{style.quote}{attribute}_{{{index}}}{style.quote}"


def _annotation(listing: Listing) -> str:
    if not listing.tensor or not listing.generic:
        return ""
    if listing.kind == "list":
        return f"{listing.generic}[{listing.tensor}]"
    if listing.is_named and listing.length is not None and listing.length <= _MOST_TYPES:
        return f"{listing.generic}[{', '.join([listing.tensor] * listing.length)}]"
    return f"{listing.generic}[{listing.tensor}, ...]"


def _written_out(listing: Listing, place: Place) -> str:
    """``return [self.x_0, self.x_1]``."""
    names = [f"{listing.receiver}.{listing.attribute}_{index}" for index in range(listing.length or 0)]
    if listing.kind == "tuple":
        if len(names) == 1:
            return f"return ({names[0]},)"
        bare = f"return {', '.join(names)}"
        if place.fits(bare):
            return bare
    opening, closing = ("[", "]") if listing.kind == "list" else ("(", ")")
    return call(f"return {opening}", [Argument(cst.parse_expression(name)) for name in names], place, closing)


def _comprehension(listing: Listing, place: Place, style: TextStyle) -> str:
    """``return [getattr(self, f"x_{i}") for i in range(self._x_count)]``, split as formatters do it."""
    number = f"{listing.receiver}.{listing.counter}" if listing.length is None else str(listing.length)
    element = f"getattr({listing.receiver}, {numbered_name(listing.attribute, 'i', style)})"
    clause = f"for i in range({number})"
    opening, closing = ("[", "]") if listing.kind == "list" else ("tuple(", ")")
    whole = f"return {opening}{element} {clause}{closing}"
    if place.fits(whole):
        return whole
    inner = replace(place.deeper(), behind=0)
    inside = f"{element} {clause}"
    if not inner.fits(inside):
        inside = f"{element}{place.newline}{inner.indent}{clause}"
    return f"return {opening}{place.newline}{inner.indent}{inside}{place.newline}{place.indent}{closing}"
