"""A list or tuple of tensors as numbered buffers."""

from __future__ import annotations

import builtins
from keyword import iskeyword
from typing import TYPE_CHECKING

import libcst as cst
from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Span
from regbuf_lint.rewrite.breaks import flattened, has_comments
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import comment_behind
from regbuf_lint.rewrite.listing_property import Listing, listing_property, numbered_name
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import Place, columns, is_pragma, place_of
from regbuf_lint.rewrite.registration import Registered, from_setattr, registration

if TYPE_CHECKING:
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

MOST_NAMED = 6
"""A literal of more items is registered in a loop."""


class Numbered(Struct, frozen=True):
    """What becomes of a list or tuple.

    Attributes:
        attribute: its name, which the property takes.
        kind: ``list`` or ``tuple``.
        generic: how the file writes it before the type of its items; empty where it can't.
        how: how each item is registered; nothing where inference does not tell them apart.
        how_all: how they are registered where one statement does it for all.
        tensor: how the file spells ``torch.Tensor``; empty where it can't.
        annotation: return annotation that the property gets instead; empty for one made from ``tensor``.
        counter: attribute that keeps the number of items where a run alone can tell it.
        indent: white space before the ``def`` of the property.
        makers: how functions are called that make a new list at each call.
    """

    attribute: str
    kind: str
    generic: str
    how: tuple[Registered, ...]
    how_all: Registered
    tensor: str
    annotation: str
    counter: str
    indent: str
    makers: frozenset[str]


class Rewritten(Struct, frozen=True):
    """The new texts.

    Attributes:
        assignment: what replaces the assignment, with the comment behind it.
        prop: the property, without a line end before or behind it.
        keys: names of the buffers; a pattern where their number is known to a run only.
        is_named: whether they are written out one by one.
    """

    assignment: Edit
    prop: str
    keys: tuple[str, ...]
    is_named: bool


def numbered(source: SourceText, span: Span, wanted: Numbered, style: TextStyle) -> Rewritten:
    """The assignment ``self.x = [...]`` at ``span`` as registrations, and the property.

    Raises:
        CannotRewrite: the value has no form that is known to make a new list or tuple.
    """
    statement = parse_statement(source, span)
    place = place_of(source, span, style)
    if not place.alone:
        msg = "another statement shares its line"
        raise CannotRewrite(msg)
    with refusing_what_libcst_refuses():
        list_ = _List(*_parts(statement), wanted, replace(place, behind=0), style)
        length = list_.length
        is_named = length is not None and length == len(wanted.how) <= MOST_NAMED and not has_comments(list_.value)
        comment, end = comment_behind(source, span)
        text = list_.named(comment) if is_named else list_.looped(comment)
        listing = Listing(
            wanted.attribute,
            wanted.kind,
            wanted.generic,
            code(list_.target.value),
            length,
            wanted.counter,
            is_named,
            wanted.tensor,
            wanted.annotation,
        )
        prop = listing_property(listing, replace(place, indent=wanted.indent), style)
    if max(columns(line) for line in (*prop.splitlines(), text.splitlines()[-1])) > style.width:
        msg = "the lines would be too long"
        raise CannotRewrite(msg)
    keys = [f"{wanted.attribute}_{index}" for index in ("*" if length is None else range(length))]
    return Rewritten(Edit(Span(span.start, end), text), prop, tuple(keys), is_named)


def _parts(statement: cst.BaseSmallStatement) -> tuple[cst.Attribute, cst.BaseExpression]:
    target: cst.BaseExpression | None = None
    value: cst.BaseExpression | None = None
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0].target, statement.value
    elif isinstance(statement, cst.AnnAssign):
        target, value = statement.target, statement.value
    if not isinstance(target, cst.Attribute) or value is None:
        msg = "it is no plain assignment"
        raise CannotRewrite(msg)
    return target, value


class _List:
    """The assignment of a list or tuple.

    Raises:
        CannotRewrite: the value has no form that is known to make a new one.
    """

    def __init__(
        self, target: cst.Attribute, value: cst.BaseExpression, wanted: Numbered, place: Place, style: TextStyle
    ) -> None:
        self.target = target
        self.value = value
        self._wanted = wanted
        self._place = place
        self._style = style
        self._items: list[cst.BaseExpression] = []
        self.length: int | None = None
        if isinstance(value, (cst.List, cst.Tuple)):
            if any(isinstance(one, cst.StarredElement) for one in value.elements):
                msg = "its value unpacks another list"
                raise CannotRewrite(msg)
            self._items = [one.value for one in value.elements]
            self.length = len(self._items)
        elif not _makes_list(value, wanted.makers):
            msg = "its value is neither written out nor a comprehension, nor made by a function whose source is at hand"
            raise CannotRewrite(msg)

    def named(self, comment: str) -> str:
        """A registration for each item."""
        lines = [
            registration(self._numbered_target(index), item, how, self._place, self._style)
            for index, (item, how) in enumerate(zip(self._items, self._wanted.how, strict=True))
        ]
        if comment and is_pragma(comment):
            lines[0] = f"{lines[0]}  {comment}"
        elif comment:
            lines.insert(0, comment)
        return self._place.joined(lines)

    def _numbered_target(self, index: int) -> cst.Attribute:
        return self.target.with_changes(attr=cst.Name(f"{self._wanted.attribute}_{index}"))

    def looped(self, comment: str) -> str:
        """A local takes the list, a loop registers its items, and where it has to be known their number is kept."""
        index, one, every = self._locals()
        flat = flattened(self.value)
        head = f"{every} = "
        fits = flat is not None and self._place.fits(head + flat)
        first = head + (flat if fits and flat is not None else code(self.value))
        owner = code(self.target.value)
        inner = replace(self._place.deeper(), behind=0)
        key = numbered_name(self._wanted.attribute, index, self._style)
        setting = cst.ensure_type(cst.parse_expression(f"setattr({owner}, {key}, {one})"), cst.Call)
        lines = [
            f"{first}  {comment}" if comment else first,
            f"for {index}, {one} in enumerate({every}):",
            self._place.unit + from_setattr(setting, self._wanted.how_all, inner, self._style),
        ]
        if self.length is None:
            lines.append(f"{owner}.{self._wanted.counter} = len({every})")
        return self._place.joined(lines)

    def _locals(self) -> tuple[str, str, str]:
        """Names for the number of an item, the item, and all items."""
        base = self._wanted.attribute.lstrip("_")
        for singular, plural in ((_singular(base), base), ("tensor", "tensors")):
            taken = {*self._style.taken_names, *vars(builtins)}
            every = _free([plural, "tensors"], taken)
            one = _free([singular, "tensor"], taken)
            index = _free(["i", "index", "number"], taken)
            if self._place.fits(f"for {index}, {one} in enumerate({every}):"):
                break
        return index, one, every


def _makes_list(value: cst.BaseExpression, makers: frozenset[str]) -> bool:
    """Whether a value is certainly a new list or tuple."""
    if isinstance(value, cst.IfExp):
        return _makes_list(value.body, makers) and _makes_list(value.orelse, makers)
    if isinstance(value, cst.Call):
        return _is_built_from_generator(value) or code(value.func) in makers
    return isinstance(value, (cst.ListComp, cst.List, cst.Tuple))


def _is_built_from_generator(value: cst.Call) -> bool:
    """Whether a value is ``tuple(... for ...)`` or ``list(... for ...)``."""
    if not isinstance(value.func, cst.Name) or len(value.args) != 1:
        return False
    return value.func.value in {"list", "tuple"} and isinstance(value.args[0].value, cst.GeneratorExp)


def _free(candidates: list[str], taken: set[str]) -> str:
    """The first name that is not taken, else the first with trailing underscores; it is taken from then on."""
    names = [name for name in candidates if name and not iskeyword(name)]
    free = next((name for name in names if name not in taken), "")
    if not free:
        free = f"{names[0]}_"
        while free in taken:
            free += "_"
    taken.add(free)
    return free


def _singular(name: str) -> str:
    """``mask`` of ``masks``; ``tensor`` where the plural is another one."""
    if name.endswith(("ches", "shes", "sses", "xes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is", "ices", "ies")) and len(name) > len("as"):
        return name[:-1]
    return "tensor"
