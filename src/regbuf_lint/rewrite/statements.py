"""Rewriting one assignment into registrations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst
from msgspec.structs import replace

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Span
from regbuf_lint.rewrite.breaks import flattened, has_comments
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import assignment, rejoined
from regbuf_lint.rewrite.lines import comment_behind
from regbuf_lint.rewrite.locals import with_local
from regbuf_lint.rewrite.names import free_name
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import Place, place_of, speaks_to_tool
from regbuf_lint.rewrite.registration import Registered, from_setattr, registration

if TYPE_CHECKING:
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

Wanted: TypeAlias = dict[str, Registered]
"""Text of a target (``self.x``, a whole call of ``setattr``, or one side of a choice) to how it is registered."""

_CLOSED = re.compile(r"\s*[)\]}]")
"""The start of a row that ends a statement as a whole."""
_GAP = 2
"""Columns before a comment that stands below no other one."""


def register(source: SourceText, span: Span, wanted: Wanted, style: TextStyle, local: str = "") -> Edit:
    """The statement at ``span`` with the attributes in ``wanted`` registered instead of assigned.

    A comment behind a statement of one row goes above what takes more rows, where it would stand behind a bracket or
    another statement. One that speaks of the last item of several stays behind that.

    Args:
        source: the file.
        span: the simple statement.
        wanted: what is registered, and how.
        style: what the new text looks like.
        local: what the value reads in the place of the attributes, where these have no value yet.

    Raises:
        CannotRewrite: the statement has no such form.
    """
    statement = parse_statement(source, span)
    place = place_of(source, span, style)
    with refusing_what_libcst_refuses():
        value = getattr(statement, "value", None)
        if local and isinstance(value, cst.BaseExpression):
            statement = statement.with_changes(value=with_local(value, frozenset(wanted), local))
        text = _registered(statement, wanted, place, style)
        comment, end = comment_behind(source, span)
        was_one_row = span.start.row == span.end.row
        is_one_row = was_one_row and place.newline not in text
        if not comment or not place.alone or is_one_row or speaks_to_tool(comment):
            return Edit(span, text)
        bare = replace(place, behind=0)
        if was_one_row:
            return Edit(Span(span.start, end), place.joined([comment, _registered(statement, wanted, bare, style)]))
        if not _CLOSED.match(source.line(span.end.row)):
            inside = _registered(statement, wanted, replace(bare, comment=comment), style)
            if inside.count(comment) > text.count(comment):
                return Edit(Span(span.start, end), inside)
        gap = source.line(end.row)[span.end.column - 1 : end.column - 1].removesuffix(comment)
        return Edit(Span(span.start, end), f"{text}{gap[:_GAP]}{comment}")


def _registered(statement: cst.BaseSmallStatement, wanted: Wanted, place: Place, style: TextStyle) -> str:
    how = next(iter(wanted.values()))
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        target = _attribute(statement.target)
        return registration(target, statement.value, how, place, style, statement.annotation)
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        return from_setattr(statement.value, how, place, style)
    if not isinstance(statement, cst.Assign):
        msg = "it is no plain assignment"
        raise CannotRewrite(msg)
    if len(statement.targets) > 1:
        return _chained(statement, wanted, place, style)
    assigned = statement.targets[0].target
    if isinstance(assigned, (cst.Tuple, cst.List)):
        return _unpacked(statement, wanted, place, style)
    if isinstance(statement.value, cst.IfExp) and code(assigned) not in wanted:
        return _branched(_attribute(assigned), statement.value, wanted, place, style)
    return registration(_attribute(assigned), statement.value, how, place, style)


def _attribute(target: cst.BaseExpression) -> cst.Attribute:
    if not isinstance(target, cst.Attribute):
        msg = "its target is no attribute"
        raise CannotRewrite(msg)
    return target


def _chained(statement: cst.Assign, wanted: Wanted, place: Place, style: TextStyle) -> str:
    """``self.a = b = value``: the other names are bound first, then each attribute is registered from one of them."""
    targets = [target.target for target in statement.targets]
    chosen = [target for target in targets if isinstance(target, cst.Attribute) and code(target) in wanted]
    others = [target for target in targets if target not in chosen]
    if any(not isinstance(target, (cst.Name, cst.Attribute)) for target in others):
        msg = "one of its targets is a pattern"
        raise CannotRewrite(msg)
    lines: list[str] = []
    value = statement.value
    if others:
        kept = [target for target in statement.targets if target.target in others]
        lines.append(_shortened(statement, statement.with_changes(targets=kept), place))
        value = next((other for other in others if isinstance(other, cst.Name)), _attribute_or_name(others[-1]))
    for index, target in enumerate(chosen):
        here = place.of(index, len(chosen))
        lines.append(registration(target, value, wanted[code(target)], here, style))
        if target is chosen[0] and not others:
            value = target
    return place.joined(lines)


def _branched(target: cst.Attribute, value: cst.IfExp, wanted: Wanted, place: Place, style: TextStyle) -> str:
    """``self.a = nn.Parameter(t) if c else t``: an ``if``, in whose branches the sides named in ``wanted`` register."""
    test = flattened(value.test)
    if test is None or has_comments(value):
        msg = "the expression holds comments, which have no place in the `if` that it would become"
        raise CannotRewrite(msg)
    if not place.alone:
        msg = "another statement shares its line, and none can share that of the `if` which it would become"
        raise CannotRewrite(msg)
    lines = [f"if {test}:"]
    for index, side in enumerate((value.body, value.orelse)):
        inner = replace(place, indent=place.indent + place.unit, behind=place.behind * index)
        how = wanted.get(code(side))
        text = assignment(code(target), side, inner) if how is None else registration(target, side, how, inner, style)
        lines += [f"{place.unit}{text}", "else:"][: 2 - index]
    return place.joined(lines)


def _attribute_or_name(target: cst.BaseAssignTargetExpression) -> cst.BaseExpression:
    if isinstance(target, (cst.Name, cst.Attribute)):
        return target
    msg = "one of its targets is a pattern"
    raise CannotRewrite(msg)


def _unpacked(statement: cst.Assign, wanted: Wanted, place: Place, style: TextStyle) -> str:
    """``self.a, self.b = value``: locals take the items, then each attribute is registered from its local.

    The names in ``self.a, self.b = a, b`` are such locals already.
    """
    target = statement.targets[0]
    pairs, lines = _named_items(target.target, statement.value), list[str]()
    if pairs is None or not all(code(attribute) in wanted for attribute, _ in pairs):
        renamed = _Rename(wanted, style.taken_names)
        changed = statement.with_changes(targets=[target.with_changes(target=target.target.visit(renamed))])
        pairs, lines = renamed.taken, [_shortened(statement, changed, place)]
    for index, (attribute, local) in enumerate(pairs):
        here = place.of(index, len(pairs))
        lines.append(registration(attribute, local, wanted[code(attribute)], here, style))
    return place.joined(lines)


def _named_items(target: cst.BaseExpression, value: cst.BaseExpression) -> list[tuple[cst.Attribute, cst.Name]] | None:
    """The attributes of ``self.a, self.b = a, b``, each with the name that it gets; None for anything else."""
    if not isinstance(target, (cst.Tuple, cst.List)) or not isinstance(value, (cst.Tuple, cst.List)):
        return None
    attributes = [one.value for one in target.elements if isinstance(one.value, cst.Attribute)]
    is_starred = any(isinstance(one, cst.StarredElement) for one in (*target.elements, *value.elements))
    names = [one.value for one in value.elements if isinstance(one.value, cst.Name)]
    counts = {len(target.elements), len(value.elements), len(attributes), len(names)}
    if is_starred or len(counts) > 1 or has_comments(value) or has_comments(target):
        return None
    return list(zip(attributes, names, strict=True))


def _shortened(statement: cst.Assign, changed: cst.Assign, place: Place) -> str:
    """What is left of a statement above registrations, on one line where it was only too long for that."""
    return rejoined(statement, changed, place, replace(place, behind=0)) or code(changed)


class _Rename(cst.CSTTransformer):
    """Puts a local name where one of the attributes is unpacked into."""

    def __init__(self, wanted: Wanted, taken_names: frozenset[str]) -> None:
        super().__init__()
        self._wanted = wanted
        self._taken_names = set(taken_names)
        self.taken: list[tuple[cst.Attribute, cst.Name]] = []

    def visit_Attribute(self, node: cst.Attribute) -> bool:  # noqa: ARG002, N802
        return False

    def visit_Subscript(self, node: cst.Subscript) -> bool:  # noqa: ARG002, N802
        return False

    def visit_StarredElement(self, node: cst.StarredElement) -> None:  # noqa: N802
        if isinstance(node.value, cst.Attribute) and code(node.value) in self._wanted:
            msg = "a starred target takes a list"
            raise CannotRewrite(msg)

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if code(original_node) not in self._wanted:
            return updated_node
        name = free_name(original_node.attr.value, self._taken_names)
        self._taken_names.add(name)
        local = cst.Name(name)
        self.taken.append((original_node, local))
        return local
