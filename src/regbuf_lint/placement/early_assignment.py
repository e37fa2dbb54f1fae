"""An attribute that the constructor assigns before ``super().__init__()``, and what it does with it until then."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.attribute_places import assigns, attributes_of, by_statement, is_in_inner_scope
from regbuf_lint.classes.definition import bound_in, is_name, receiver_name
from regbuf_lint.index.tree import of_kind, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.model.span import Position, Span

_UNMOVABLE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_IMMUTABLE = frozenset({"bool", "float", "int", "str"})


class EarlyAssignment(Struct, frozen=True):
    """What stands in a constructor up to the end of the call that initialises the object.

    Attributes:
        call: the statement ``super().__init__(...)`` or ``Base.__init__(self, ...)``.
        places: every place of ``self.x``, by the simple statement that it stands in; by itself in the head of an ``if``
            or the like.
        read: all attributes of ``self`` that are read.
        movable: the one statement that assigns the attribute, where it can as well stand behind the call: nothing
            reads the attribute before, and nothing changes what its value is computed from. None where it can't.
        is_last: whether nothing stands between that statement and the call.
    """

    call: Span
    places: Mapping[Span, tuple[Span, ...]]
    read: frozenset[str]
    movable: Span | None
    is_last: bool


def early_assignment(
    definition: ClassDefinition, attribute: str, initialised_from: Position | None
) -> EarlyAssignment | str:
    """How the constructor treats an attribute before it initialises the object, or why it must not be changed.

    Args:
        definition: the class.
        attribute: the attribute, which is assigned there.
        initialised_from: where the constructor first does something to the initialised object, if it does.
    """
    function = definition.methods.get("__init__")
    receiver = receiver_name(function) if function is not None else None
    if function is None or receiver is None:
        return "the class has no constructor of its own"
    file = definition.symbol.scope.file
    calls = [
        (index, one)
        for index, one in enumerate(function.body)
        if initialising_call(one, receiver) is not None
        and (initialised_from is None or file.span(one).end <= initialised_from)
    ]
    if not calls:
        return "no plain call of it follows in the constructor"
    index, call = calls[-1]
    head = function.body[:index]
    reason = _obstacle([*head, call], receiver, attribute)
    if reason is not None:
        return reason
    if not _binds(head, receiver, attribute):
        return "not on every path that leads there"
    nodes = [node for node in attributes_of([*head, call], receiver) if node.attr == attribute]
    read = (node.attr for node in attributes_of([*head, call], receiver) if isinstance(node.ctx, ast.Load))
    movable = _movable(function, index, receiver, nodes)
    return EarlyAssignment(
        file.span(call),
        by_statement([*head, call], nodes, file.span),
        frozenset(read),
        file.span(movable) if movable is not None else None,
        movable is not None and movable is function.body[index - 1],
    )


def initialising_call(statement: ast.stmt, receiver: str) -> ast.Call | None:
    """The call in ``super().__init__(...)`` or ``Base.__init__(self, ...)``; None for any other statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "__init__":
        return None
    return call if _is_super(call.func.value) or (call.args and is_name(call.args[0], receiver)) else None


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and is_name(node.func, "super")


def _obstacle(statements: list[ast.stmt], receiver: str, attribute: str) -> str | None:
    """What reaches the attribute before the object is initialised in another way than as ``self.x``."""
    attributes = list(attributes_of(statements, receiver))
    if any(node.attr == "__dict__" for node in attributes):
        return "`__dict__` is used before `super().__init__()`"
    if is_in_inner_scope(statements, receiver, attribute):
        return "a function that is made before `super().__init__()` uses it"
    allowed = {id(node.value) for node in attributes}
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Call) and (_is_super(node) or getattr(node.func, "attr", "") == "__init__"):
                allowed.update(id(one) for one in node.args)
    names = (node for statement in statements for node in walk(statement) if is_name(node, receiver))
    if any(id(node) not in allowed for node in names):
        return "the object itself is passed on before `super().__init__()`"
    return None


def _binds(block: list[ast.stmt], receiver: str, attribute: str) -> bool:
    """Whether each path through a block that comes to its end assigns the attribute."""
    return any(_binds_here(statement, receiver, attribute) for statement in block)


def _binds_here(statement: ast.stmt, receiver: str, attribute: str) -> bool:
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.If):
        return all(_binds(block, receiver, attribute) for block in (statement.body, statement.orelse))
    if isinstance(statement, ast.With):
        return _binds(statement.body, receiver, attribute)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    stored = (node for node in attributes_of([statement], receiver) if isinstance(node.ctx, ast.Store))
    return statement.value is not None and any(node.attr == attribute for node in stored)


def _movable(function: FunctionNode, index: int, receiver: str, nodes: list[ast.Attribute]) -> ast.stmt | None:
    """The statement of the constructor that assigns ``nodes``, if it can as well stand behind that at ``index``."""
    at, statement = next(
        (at, one) for at, one in enumerate(function.body) if any(node is nodes[0] for node in walk(one))
    )
    if len(nodes) > 1 or not assigns(statement, nodes[0]):
        return None
    value: ast.expr = statement.value  # type: ignore[attr-defined]
    if any(is_name(node, receiver) or isinstance(node, _UNMOVABLE) for node in walk(value)):
        return None
    names = {node.id for node in of_kind(value, ast.Name)} & bound_in(function)
    changing = names - _numbers(function)
    between = (node for later in function.body[at + 1 : index] for node in walk(later))
    call = (node for node in walk(function.body[index]) if isinstance(getattr(node, "ctx", None), ast.Store))
    found = [node for node in (*between, *call) if isinstance(node, ast.Name) and node.id in names]
    return None if any(node.id in changing or not isinstance(node.ctx, ast.Load) for node in found) else statement


def _numbers(function: FunctionNode) -> set[str]:
    """Parameters that say that they are numbers or strings, which nothing but an assignment changes."""
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return {one.arg for one in every if isinstance(one.annotation, ast.Name) and one.annotation.id in _IMMUTABLE}
