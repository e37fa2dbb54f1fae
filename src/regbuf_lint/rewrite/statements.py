"""Rewriting one assignment into registrations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.rewrite.layout import Argument, Place, call, code
from regbuf_lint.rewrite.style import TextStyle

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


class CannotRewrite(Exception):  # noqa: N818  (an outcome, not an error)
    """The statement has no form that a registration could take; the message says why."""


@dataclass(frozen=True, slots=True)
class Registered:
    """How one attribute is to be registered.

    Attributes:
        persistent: whether ``state_dict()`` shall have it.
        clone: whether ``.clone()`` is put behind the value.
    """

    persistent: bool
    clone: bool = False


def parse_statement(source: SourceText, span: Span) -> cst.BaseSmallStatement:
    """The tree of one simple statement.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    try:
        tree = cst.parse_module(source.slice(span))
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        msg = "libcst cannot parse the statement"
        raise CannotRewrite(msg) from None
    line = tree.body[0]
    if len(tree.body) != 1 or not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        msg = "it is no simple statement"
        raise CannotRewrite(msg)
    return line.body[0]


def place_of(source: SourceText, span: Span, style: TextStyle) -> Place:
    """Where a statement stands; one behind a ``;`` or a ``:`` on the same line must stay on its line."""
    before = source.line(span.start.row)[: span.start.column - 1]
    behind = source.line(span.end.row)[span.end.column - 1 :]
    indent = before[: len(before) - len(before.lstrip())]
    width = style.width
    if before.strip() or behind.lstrip().startswith(";"):
        width = 10_000
    return Place(indent, style.unit, width, _columns_behind(behind), source.newline)


def stands_alone(source: SourceText, span: Span) -> bool:
    """Whether nothing but a comment shares the statement's lines."""
    before = source.line(span.start.row)[: span.start.column - 1]
    behind = source.line(span.end.row)[span.end.column - 1 :].strip()
    return not before.strip() and (not behind or behind.startswith("#"))


def _columns_behind(behind: str) -> int:
    comment = behind.strip()
    pragma = comment.lstrip("#").lstrip().lower().startswith(("noqa", "type:", "pyright:", "pylint:", "nosec"))
    return 0 if not comment or pragma else len(behind.rstrip())


def register(source: SourceText, span: Span, wanted: dict[str | None, Registered], style: TextStyle) -> Edit:
    """The statement at ``span`` with the attributes in ``wanted`` registered instead of assigned.

    Args:
        source: the file.
        span: the simple statement.
        wanted: attribute to how it is registered; the key None stands for a name known only at run time.
        style: what the new text looks like.

    Raises:
        CannotRewrite: the statement has no such form.
    """
    statement = parse_statement(source, span)
    place = place_of(source, span, style)
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        (how,) = wanted.values()
        return Edit(span, _single(statement.target, statement.value, how, place, style))
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        return Edit(span, _setattr(statement.value, next(iter(wanted.values())), place, style))
    if not isinstance(statement, cst.Assign):
        msg = "it is no plain assignment"
        raise CannotRewrite(msg)
    target = statement.targets[0].target
    if len(statement.targets) == 1 and not isinstance(target, (cst.Tuple, cst.List)):
        (how,) = wanted.values()
        return Edit(span, _single(target, statement.value, how, place, style))
    if not stands_alone(source, span):
        msg = "it shares its line with another statement"
        raise CannotRewrite(msg)
    if len(statement.targets) == 1:
        return Edit(span, _unpacked(statement, wanted, place, style))
    return Edit(span, _chained(statement, wanted, place, style))


def _single(
    target: cst.BaseExpression, value: cst.BaseExpression, how: Registered, place: Place, style: TextStyle
) -> str:
    if not isinstance(target, cst.Attribute):
        msg = "its target is no attribute"
        raise CannotRewrite(msg)
    return _registration(target, _argument_value(value, how), how, place, style)


def _registration(
    target: cst.Attribute, value: cst.BaseExpression, how: Registered, place: Place, style: TextStyle
) -> str:
    flags = [] if how.persistent else [Argument("persistent=", cst.Name("False"))]
    if style.buffer_style is BufferStyle.NN_BUFFER and not _is_none(value):
        return call(f"{code(target)} = {style.buffer_name}(", [Argument("", value), *flags], place)
    name = cst.SimpleString(f"{style.quote}{target.attr.value}{style.quote}")
    return call(f"{code(target.value)}.register_buffer(", [Argument("", name), Argument("", value), *flags], place)


def _is_none(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value == "None"


def _argument_value(value: cst.BaseExpression, how: Registered) -> cst.BaseExpression:
    """The value as an argument: without the brackets that only held it together over several lines."""
    if value.lpar and not how.clone and not isinstance(value, (cst.GeneratorExp, cst.NamedExpr, cst.Tuple)):
        text = code(value)
        if "#" not in text:
            value = cast("cst.BaseExpression", value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1]))
    if isinstance(value, cst.Tuple) and not value.lpar:
        msg = "its value is a tuple"
        raise CannotRewrite(msg)
    return _cloned(value) if how.clone else value


def _cloned(value: cst.BaseExpression) -> cst.BaseExpression:
    primary = isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or value.lpar
    inner = value if primary else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Call(cst.Attribute(cast("cst.BaseExpression", inner), cst.Name("clone")))


def _setattr(node: cst.Call, how: Registered, place: Place, style: TextStyle) -> str:
    if len(node.args) != 3 or any(argument.keyword or argument.star for argument in node.args):  # noqa: PLR2004
        msg = "its arguments are not three plain ones"
        raise CannotRewrite(msg)
    owner, name, value = (argument.value for argument in node.args)
    flags = [] if how.persistent else [Argument("persistent=", cst.Name("False"))]
    if style.buffer_style is BufferStyle.NN_BUFFER:
        inner = call(f"{style.buffer_name}(", [Argument("", value), *flags], replace(place, width=10_000))
        built = cst.parse_expression(inner)
        return call("setattr(", [Argument("", owner), Argument("", name), Argument("", built)], place)
    arguments = [Argument("", name), Argument("", _argument_value(value, how)), *flags]
    return call(f"{code(owner)}.register_buffer(", arguments, place)


def _chained(statement: cst.Assign, wanted: dict[str | None, Registered], place: Place, style: TextStyle) -> str:
    """``self.a = b = value``: the other names are bound first, then each attribute is registered from one of them."""
    targets = [target.target for target in statement.targets]
    chosen = [target for target in targets if isinstance(target, cst.Attribute) and target.attr.value in wanted]
    others = [target for target in targets if target not in chosen]
    if any(not isinstance(target, (cst.Name, cst.Attribute)) for target in others):
        msg = "one of its targets is a pattern"
        raise CannotRewrite(msg)
    lines: list[str] = []
    value = statement.value
    if others:
        heads = " = ".join(code(target) for target in others)
        lines.append(f"{heads} = {code(value)}")
        value = cast("cst.BaseExpression", others[-1])
    for target in chosen:
        how = wanted[target.attr.value]
        lines.append(_registration(target, _argument_value(value, how), how, place, style))
        if not others and target is chosen[0]:
            value = target
    return f"{place.newline}{place.indent}".join(lines)


def _unpacked(statement: cst.Assign, wanted: dict[str | None, Registered], place: Place, style: TextStyle) -> str:
    """``self.a, self.b = value``: locals take the items, then each attribute is registered from its local."""
    renamed = _Rename(wanted, style.taken_names)
    changed = cast("cst.Assign", statement.visit(renamed))
    lines = [code(changed)]
    for target, local in renamed.taken:
        how = wanted[target.attr.value]
        lines.append(_registration(target, _argument_value(local, how), how, place, style))
    return f"{place.newline}{place.indent}".join(lines)


class _Rename(cst.CSTTransformer):
    """Puts a local name where one of the attributes is unpacked into."""

    def __init__(self, wanted: dict[str | None, Registered], taken_names: frozenset[str]) -> None:
        super().__init__()
        self._wanted = wanted
        self._taken_names = taken_names
        self._in_value = False
        self.taken: list[tuple[cst.Attribute, cst.Name]] = []

    def visit_Assign_value(self, node: cst.Assign) -> None:  # noqa: ARG002, N802
        self._in_value = True

    def leave_Assign_value(self, node: cst.Assign) -> None:  # noqa: ARG002, N802
        self._in_value = False

    def visit_StarredElement(self, node: cst.StarredElement) -> None:  # noqa: ARG002, N802
        msg = "a starred target takes the rest of its value"
        raise CannotRewrite(msg)

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if self._in_value or original_node.attr.value not in self._wanted:
            return updated_node
        name = original_node.attr.value
        while name in self._taken_names or name.startswith("__"):
            name = f"{name.lstrip('_')}_"
        local = cst.Name(name)
        self.taken.append((original_node, local))
        return local
