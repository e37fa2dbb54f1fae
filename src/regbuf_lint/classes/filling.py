"""Methods that give an attribute a value from their arguments, each time, before they read it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, last_name, receiver_name
from regbuf_lint.classes.stores import is_own, own_values, stores_in, values_in
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import nested_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from regbuf_lint.index.scopes import FunctionNode

_ABOUT_SHAPE = frozenset({"shape", "dtype", "ndim", "size", "dim", "numel", "training"})
_ABOUT_DEVICE = frozenset({"device", "type", "is_cuda", "get_device"})
_NUMBERS = frozenset({"int", "float", "bool", "str"})


def fill_before_reading(functions: Sequence[FunctionNode], attribute: str) -> bool:
    """Whether methods, each time they run, give the attribute a value from their arguments before they read it.

    An ``if`` that compares the attribute's device, or that of one set beside it, may decide that the value of the time
    before still serves, in the branch that does not set it. No method at all fills nothing.
    """
    return bool(functions) and all(_fills_before_reading(function, attribute) for function in functions)


def sets_before_reading(functions: Sequence[FunctionNode], attribute: str, replacing: Sequence[FunctionNode]) -> bool:
    """Whether methods never read the attribute before they, or others that they call, give it a value, like a local.

    The value has to come from their arguments or from what else the object holds: one that is made on the spot lies
    on the CPU. What a method reads in another way than by ``self.attribute`` it has not set.

    Args:
        functions: the methods.
        attribute: the attribute.
        replacing: all methods of the class, its bases and its subclasses that assign the attribute.
    """
    called = frozenset[str]().union(*map(_called_alone, functions))
    setters = _setters([one for one in replacing if one.name in called], attribute)
    return all(
        _sets(function, attribute, setters)
        and _fills_before_reading(function, attribute, from_object=True, setters=setters) is not None
        for function in functions
    )


def _setters(functions: Sequence[FunctionNode], attribute: str) -> frozenset[str]:
    """Names of methods that set the attribute whenever they run, whichever one of the name that is."""
    failing = {
        one.name for one in functions if _ends_early(one) or not _fills_before_reading(one, attribute, from_object=True)
    }
    return frozenset(one.name for one in functions) - failing


@once_per_node
def _ends_early(function: FunctionNode) -> bool:
    return any(isinstance(node, ast.Return) and node is not function.body[-1] for node in ast.walk(function))


def _sets(function: FunctionNode, attribute: str, setters: frozenset[str]) -> bool:
    return not setters.isdisjoint(_called_alone(function)) or bool(values_in([function], attribute))


@once_per_node
def _called_alone(function: FunctionNode) -> frozenset[str]:
    """The methods that a method calls in statements that do nothing else."""
    name = receiver_name(function)
    called = (_called_for_itself(node, name) for node in ast.walk(function))
    return frozenset(one for one in called if one is not None)


def _called_for_itself(node: ast.AST, receiver: str | None) -> str | None:
    """The method that a statement calls and does nothing else: ``self.method(...)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return call.func.attr if is_name(call.func.value, receiver) else None


def _fills_before_reading(
    function: FunctionNode, attribute: str, *, from_object: bool = False, setters: frozenset[str] = frozenset()
) -> bool | None:
    """Whether the attribute is filled when the method ends; None where it is read before, or filled otherwise."""
    name = receiver_name(function)
    if name is None:
        return None
    filling = _Filling(function, name, attribute, setters, from_object=from_object)
    try:
        return filling.block(function.body, filled=False)
    except _Otherwise:
        return None


class _Otherwise(Exception):  # noqa: N818  (an outcome, not an error)
    """The attribute is read before it is filled, or filled with something else."""


class _Filling:
    """Follows the statements of a method in the order in which they run.

    Args:
        function: the method.
        receiver: name of its first parameter.
        attribute: the attribute.
        setters: names of methods that fill it, called as statements of their own.
        from_object: whether values that are made of what the object holds fill it, too.
    """

    def __init__(
        self, function: FunctionNode, receiver: str, attribute: str, setters: frozenset[str], *, from_object: bool
    ) -> None:
        self._receiver = receiver
        self._attribute = attribute
        self._setters = setters
        self._given = _given(function, receiver, frozenset({receiver}) if from_object else frozenset())

    def block(self, body: list[ast.stmt], *, filled: bool) -> bool:
        """Whether the attribute is filled behind a block, or the block does not end."""
        for statement in body:
            filled = self._statement(statement, filled=filled)
            if isinstance(statement, (ast.Return, ast.Raise)):
                return True
        return filled

    def _statement(self, statement: ast.stmt, *, filled: bool) -> bool:
        if isinstance(statement, ast.If):
            return self._if(statement, filled=filled)
        blocks = list(nested_blocks(statement))
        if not blocks or isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return self._simple(statement, filled=filled)
        if any(self._reads(node) for node in _heads(statement)) and not filled:
            raise _Otherwise
        ends = [self.block(block, filled=filled) for block in blocks]
        return filled or (isinstance(statement, (ast.With, ast.AsyncWith)) and all(ends))

    def _if(self, statement: ast.If, *, filled: bool) -> bool:
        checked = self._checks_device(statement)
        if self._reads(statement.test) and not (filled or checked):
            raise _Otherwise
        blocks = (statement.body, statement.orelse)
        sets = [any(self._sets(one) for one in block) for block in blocks]
        ends = [
            self.block(block, filled=filled or (checked and not is_set))
            for block, is_set in zip(blocks, sets, strict=True)
        ]
        return all(ends) and (filled or not checked or any(sets))

    def _sets(self, statement: ast.stmt) -> bool:
        return bool(own_values(statement, self._receiver, self._attribute))

    def _simple(self, statement: ast.stmt, *, filled: bool) -> bool:
        values = own_values(statement, self._receiver, self._attribute)
        if values and isinstance(statement, (ast.Assign, ast.AnnAssign)):
            if (self._reads(statement) and not filled) or not all(self._is_fresh(value) for value in values):
                raise _Otherwise
            return True
        if any(not isinstance(one.ctx, ast.Load) for one in self._mentions(statement)):
            raise _Otherwise
        if self._reads(statement) and not filled:
            raise _Otherwise
        return filled or _called_for_itself(statement, self._receiver) in self._setters

    def _is_fresh(self, value: ast.expr) -> bool:
        """Whether a value is made of what the method was given, or is what a submodule offers."""
        if _is_made_of(value, self._given):
            return True
        inner = value.value if isinstance(value, ast.Attribute) and value.attr not in _ABOUT_SHAPE else None
        return isinstance(inner, ast.Attribute) and is_own(inner, self._receiver, inner.attr)

    def _checks_device(self, statement: ast.If) -> bool:
        """Whether an ``if`` compares the device of the attribute, or of one that is replaced together with it."""
        blocks = [block for block in (statement.body, statement.orelse) if any(map(self._sets, block))]
        stores = [target for block in blocks for one in block for target, _ in stores_in(one)]
        together = {target.attr for target in stores if isinstance(target, ast.Attribute)} | {self._attribute}
        return any(
            isinstance(node, ast.Attribute) and node.attr in _ABOUT_DEVICE and self._is_own_data(node.value, together)
            for compare in ast.walk(statement.test)
            if isinstance(compare, ast.Compare)
            for node in ast.walk(compare)
        )

    def _is_own_data(self, node: ast.expr, attributes: set[str]) -> bool:
        """``self.x`` or ``self.x.data``."""
        inner = node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node
        return any(is_own(inner, self._receiver, attribute) for attribute in attributes)

    def _reads(self, node: ast.AST) -> bool:
        return any(isinstance(one.ctx, ast.Load) for one in self._mentions(node))

    def _mentions(self, node: ast.AST) -> Iterator[ast.Attribute]:
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute) and is_own(one, self._receiver, self._attribute):
                yield one


def _heads(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a compound statement that are no blocks."""
    inside = {id(one) for block in nested_blocks(statement) for one in block}
    return (node for node in ast.iter_child_nodes(statement) if id(node) not in inside)


def _given(function: FunctionNode, receiver: str, sources: frozenset[str]) -> frozenset[str]:
    """The arguments that are no numbers, other names that count like them, and the locals that are made of them."""
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    names = ({one.arg for one in every if _annotation(one) not in _NUMBERS} - {receiver}) | sources
    if function.args.vararg is not None:
        names.add(function.args.vararg.arg)
    stores = stores_in(function)
    known = -1
    while len(names) > known:
        known = len(names)
        for target, value in stores:
            if _is_made_of(value, frozenset(names)):
                names |= {one.id for one in _bound(target)}
    return frozenset(names)


def _bound(target: ast.expr) -> Iterable[ast.Name]:
    return (one for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def _annotation(argument: ast.arg) -> str:
    return argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""


def _is_made_of(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether a value takes more from one of the names than its shape, and so lies on its device."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute) and node.attr in _ABOUT_SHAPE:
        return False
    if isinstance(node, ast.Call) and last_name(node.func) == "len":
        return False
    return any(_is_made_of(child, names) for child in ast.iter_child_nodes(node))
