"""``_init_weights`` of a pretrained model, and what the constructor computes said once more for it.

``from_pretrained`` of transformers builds a model on ``meta``, loads what the checkpoint holds, and calls
``_init_weights(module)`` with each nn.Module that still lacks something (transformers 5.23).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import bound_in, is_name, names_in, positional_names, receiver_name, stored_in
from regbuf_lint.classes.stores import is_own
from regbuf_lint.index.tree import of_kind, walk
from regbuf_lint.model.span import Position, Span
from regbuf_lint.placement.early_assignment import initialising_call
from regbuf_lint.placement.method_place import last_row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import FunctionNode

METHOD = "_init_weights"

_UNREPEATABLE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, ast.JoinedStr)
_LOOSE = (ast.BoolOp, ast.IfExp)
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)


class WeightInitialiser(Struct, frozen=True):
    """The one method of a file that gives the parts of a pretrained model their values.

    Attributes:
        function: the method.
        owner: name of the class around it.
        part: its argument: the nn.Module at hand.
        tail: its last row without the indentation.
        indent: white space before its statements.
        after_block: whether its last statement holds others.
        last_test: the condition of its last statement, on one line, where that is an ``if`` without further
            branches; else empty.
    """

    function: FunctionNode
    owner: str
    part: str
    tail: Span
    indent: str
    after_block: bool
    last_test: str


class Repeated(Struct, frozen=True):
    """What a statement of the constructor computes, in words of ``_init_weights``.

    Attributes:
        tests: texts of the conditions under which the constructor comes to it.
        value: text of the value.
        indent: white space before the statement.
    """

    tests: tuple[str, ...]
    value: str
    indent: str


def weight_initialiser(file: FileFacts) -> WeightInitialiser | None:
    """The method ``_init_weights`` of a file that text can be put behind; None where it has none, or several."""
    found = [
        (node.name, one)
        for node in walk(file.tree)
        if isinstance(node, ast.ClassDef)
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == METHOD
    ]
    if len(found) != 1:
        return None
    owner, function = found[0]
    arguments = positional_names(function)
    last = function.body[-1]
    leaves = any(isinstance(node, (ast.Return, ast.Raise)) for node in walk(function))
    if len(arguments) != 1 or receiver_name(function) is None or leaves or isinstance(last, ast.Pass):
        return None
    if last.lineno == function.lineno or file.source.line(last.lineno)[: last.col_offset].strip():
        return None
    row = last_row(file.source, function.end_lineno or last.lineno, file.source.indent(function.lineno))
    start = len(file.source.indent(row)) + 1
    return WeightInitialiser(
        function,
        owner,
        arguments[0],
        Span(Position(row, start), Position(row, len(file.source.line(row)) + 1)),
        indent=file.source.indent(last.lineno),
        after_block=isinstance(last, _BLOCKS),
        last_test=_test(file, last),
    )


def _test(file: FileFacts, statement: ast.stmt) -> str:
    """The condition of an ``if`` that has one branch, on rows of its own; else empty."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return ""
    test = file.span(statement.test)
    return " ".join(file.source.slice(test).split()) if statement.body[0].lineno > test.end.row else ""


def repeated(
    definition: ClassDefinition,
    statement: Span,
    attributes: Sequence[str],
    initialiser: WeightInitialiser,
    *,
    is_model: bool,
) -> Repeated | None:
    """What a statement of the constructor assigns, as ``_init_weights`` can say it; None where it can't.

    Args:
        definition: the class whose constructor it is.
        statement: the assignment.
        attributes: what it has to assign, and nothing else.
        initialiser: the ``_init_weights`` that shall say it.
        is_model: whether the class is a model itself, whose base keeps the configuration as ``self.config``.
    """
    function = definition.methods.get("__init__")
    receiver = receiver_name(function) if function is not None else None
    if function is None or receiver is None:
        return None
    file = definition.symbol.scope.file
    path = _path(file, function.body, statement)
    value = _assigned(path[-1], attributes) if path else None
    if not path or value is None or _is_used(initialiser, attributes):
        return None
    kept = _kept(function, receiver, initialiser.part, is_model=is_model)
    filled = {f"{initialiser.part}.{attribute}" for attribute in attributes}
    names = {receiver: initialiser.part, **{name: said for name, said in kept.items() if said not in filled}}
    hidden = bound_in(function) | bound_in(initialiser.function)
    tests = [one.test for one in path if isinstance(one, ast.If)]
    texts = [_said(file, one, names, hidden) for one in (*tests, value)]
    if None in texts:
        return None
    said = [text or "" for text in texts]
    joined = [f"({text})" if isinstance(one, _LOOSE) else text for one, text in zip(tests, said, strict=False)]
    return Repeated(tuple(joined), said[-1], file.source.indent(statement.start.row))


def _path(file: FileFacts, block: list[ast.stmt], statement: Span) -> list[ast.stmt] | None:
    """The ``if`` statements around a statement of a block, and itself; None where it stands in something else."""
    for one in block:
        if file.span(one) == statement:
            return [one]
        if isinstance(one, ast.If):
            inside = _path(file, one.body, statement)
            if inside is not None:
                return [one, *inside]
    return None


def _assigned(statement: ast.stmt, attributes: Sequence[str]) -> ast.expr | None:
    """The value of an assignment to just these attributes, one target or a tuple of them."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    items = targets[0].elts if isinstance(targets[0], ast.Tuple) else targets
    named = [one.attr if isinstance(one, ast.Attribute) else "" for one in items]
    return statement.value if len(targets) == 1 and named == list(attributes) else None


def _is_used(initialiser: WeightInitialiser, attributes: Sequence[str]) -> bool:
    """Whether the method does something with one of the attributes, or has a name that a local would need."""
    used = {node.attr for node in of_kind(initialiser.function, ast.Attribute)}
    return not (used | names_in(initialiser.function)).isdisjoint(attributes)


def _kept(function: FunctionNode, receiver: str, part: str, *, is_model: bool) -> Mapping[str, str]:
    """How the object built can give the constructor's arguments back: those that it keeps as they are."""
    arguments = {one.arg for one in of_kind(function.args, ast.arg)} - stored_in(function)
    kept: dict[str, str] = {}
    for statement in function.body:
        for attribute, name in _copies(statement, receiver):
            if name in arguments:
                kept.setdefault(name, f"{part}.{attribute}")
        call = initialising_call(statement, receiver) if is_model and "config" in arguments else None
        if call is not None and call.args and is_name(call.args[0], "config"):
            kept.setdefault("config", f"{part}.config")
    return kept


def _copies(statement: ast.stmt, receiver: str) -> Iterator[tuple[str, str]]:
    """Attribute and name of ``self.x = name``."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return
    for target in statement.targets:
        if isinstance(target, ast.Attribute) and is_own(target, receiver, target.attr):
            yield target.attr, statement.value.id


def _said(file: FileFacts, node: ast.expr, names: Mapping[str, str], hidden: Collection[str]) -> str | None:
    """The text of an expression with some names replaced; None where it needs a name that means nothing there."""
    inner = list(walk(node))
    own = stored_in(node)
    if own & set(names) or any(isinstance(one, _UNREPEATABLE) for one in inner):
        return None
    replaced: list[tuple[Span, str]] = []
    for one in inner:
        if not isinstance(one, ast.Name) or one.id in own:
            continue
        if one.id in names:
            replaced.append((file.span(one), names[one.id]))
        elif one.id in hidden or one.id == "super":
            return None
    return _with(file, file.span(node), sorted(replaced))


def _with(file: FileFacts, span: Span, replaced: list[tuple[Span, str]]) -> str:
    """A piece of a file with pieces of it replaced."""
    text = ""
    at = span.start
    for place, new in replaced:
        text += file.source.slice(Span(at, place.start)) + new
        at = place.end
    return text + file.source.slice(Span(at, span.end))
