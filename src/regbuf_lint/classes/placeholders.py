"""Attributes that start as a placeholder, and methods that fill them with what they make of their arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, receiver_name
from regbuf_lint.classes.stores import is_own, own_values, stores_in
from regbuf_lint.index.scopes import nested_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_UNINITIALISED = frozenset({"empty", "empty_like", "empty_strided"})
_FILLED = frozenset({"tensor", "zeros", "ones", "Tensor", "FloatTensor", "LongTensor"})
_JOINING = frozenset({"cat", "concat", "concatenate", "hstack", "vstack", "dstack", "stack"})
_LISTING = frozenset({"append", "extend", "insert"})
_ABOUT_SHAPE = frozenset({"shape", "dtype", "ndim", "size", "dim", "numel", "training"})
_NUMBERS = frozenset({"int", "float", "bool", "str"})


def starts_as_placeholder(definition: ClassDefinition, attribute: str, building: frozenset[str]) -> bool:
    """Whether the methods that build the object put nothing but placeholders into an attribute.

    A placeholder is memory that nobody has initialised, a tensor without elements, a single number as a tensor, or a
    list or tuple of those.
    """
    values = _first_values(definition, attribute, building)
    return bool(values) and all(_is_placeholder(value) for value in values)


def stands_for_none(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether an attribute starts as a tensor without elements, which is of no use until another one replaces it.

    Either some method asks whether it has elements by now, or methods add something to it, which fails while it has
    none. What a method joins with other tensors is of use while it has no elements, too.
    """
    values = [value for one in definitions for value in _first_values(one, attribute, building)]
    if not values or not all(map(_is_without_elements, values)):
        return False
    functions = [function for one in definitions for function in one.methods.values()]
    if any(_joins(function, attribute) for function in functions):
        return False
    is_asked_for = any(_asks_for_elements(function, attribute) for function in functions)
    return is_asked_for or _accumulates(functions, attribute)


def starts_with_nothing(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether an attribute starts as a list, tuple or dict whose tensors have no elements, all of them."""
    values = [value for one in definitions for value in _first_values(one, attribute, building)]
    return any(_is_without_elements(node) for value in values for node in ast.walk(value)) and all(
        map(_holds_nothing, values)
    )


def _holds_nothing(value: ast.expr) -> bool:
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(map(_holds_nothing, value.elts))
    if isinstance(value, ast.Dict):
        return all(map(_holds_nothing, value.values))
    return isinstance(value, ast.Constant) or _is_without_elements(value)


def may_start_empty(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether some method that builds the object puts a tensor without elements into an attribute."""
    values = [value for one in definitions for value in _first_values(one, attribute, building)]
    return any(_is_without_elements(node) for value in values for node in ast.walk(value))


def _first_values(definition: ClassDefinition, attribute: str, building: frozenset[str]) -> list[ast.expr]:
    return [
        value
        for method in building & definition.methods.keys()
        for value in own_values(definition.methods[method], receiver_name(definition.methods[method]), attribute)
    ]


def _is_without_elements(value: ast.AST) -> bool:
    """``torch.tensor([])``, ``torch.Tensor()``, ``torch.empty(0)``, ``torch.zeros((0,))``."""
    if not isinstance(value, ast.Call) or last_name(value.func) not in _FILLED | _UNINITIALISED:
        return False
    first = value.args[0] if value.args else None
    if last_name(value.func) == "tensor":
        return isinstance(first, (ast.List, ast.Tuple)) and not first.elts
    sizes = first.elts if isinstance(first, (ast.List, ast.Tuple)) else value.args
    is_legacy = last_name(value.func).endswith("Tensor") and not value.args
    return is_legacy or any(isinstance(size, ast.Constant) and size.value == 0 for size in sizes)


def _asks_for_elements(function: FunctionNode, attribute: str) -> bool:
    """Whether a method compares the number of elements, or of rows, with 0."""
    compared = (node for node in ast.walk(function) if isinstance(node, ast.Compare))
    return any(
        _counts(node.left, receiver_name(function), attribute)
        for node in compared
        if any(isinstance(one, ast.Constant) and one.value == 0 for one in node.comparators)
    )


def _accumulates(functions: Sequence[FunctionNode], attribute: str) -> bool:
    """Whether methods replace the attribute and add to it, and do nothing else with it but to compute."""
    nodes = [(node, receiver_name(function)) for function in functions for node in ast.walk(function)]
    added_to = any(isinstance(node, ast.AugAssign) and is_own(node.target, name, attribute) for node, name in nodes)
    return added_to and all(_loads(function, attribute) <= _operands(function) for function in functions)


def _loads(function: FunctionNode, attribute: str) -> set[ast.AST]:
    receiver = receiver_name(function)
    own = (node for node in ast.walk(function) if is_own(node, receiver, attribute))
    return {node for node in own if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}


def _operands(function: FunctionNode) -> set[ast.AST]:
    """What a method calculates with, and what it returns."""
    nodes = (node for node in ast.walk(function) if isinstance(node, (ast.BinOp, ast.Return)))
    return {child for node in nodes for child in ast.iter_child_nodes(node)}


def _counts(node: ast.expr, receiver: str | None, attribute: str) -> bool:
    """``self.x.numel()``, ``len(self.x)`` or ``self.x.shape[0]``."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return is_own(node.value.value, receiver, attribute)
    if not isinstance(node, ast.Call) or last_name(node.func) not in {"numel", "nelement", "len", "size"}:
        return False
    counted = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args
    return any(is_own(one, receiver, attribute) for one in counted)


def _joins(function: FunctionNode, attribute: str) -> bool:
    """Whether a method makes a tensor of the attribute and of others, or puts it into a list."""
    receiver = receiver_name(function)
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    joined = (argument for call in calls if last_name(call.func) in _JOINING for argument in call.args)
    listed = (argument for call in calls if last_name(call.func) in _LISTING for argument in call.args)
    inside = (node for argument in joined for node in ast.walk(argument))
    return any(is_own(node, receiver, attribute) for node in (*inside, *listed))


def _is_placeholder(value: ast.expr) -> bool:
    if isinstance(value, (ast.List, ast.Tuple)):
        return bool(value.elts) and all(_is_placeholder(item) for item in value.elts)
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    if name in _UNINITIALISED:
        return True
    if name not in _FILLED or len(value.args) > 1:
        return False
    first = value.args[0] if value.args else None
    if isinstance(first, ast.Constant):
        return name == "tensor" or first.value == 0
    if not isinstance(first, (ast.List, ast.Tuple)):
        return first is None
    return not first.elts or (name == "tensor" and len(first.elts) == 1 and isinstance(first.elts[0], ast.Constant))


def called_in_forward(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that any ``forward`` of a file calls, on whatever object."""
    forwards = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "forward")
    calls = (node.func for forward in forwards for node in ast.walk(forward) if isinstance(node, ast.Call))
    return frozenset(function.attr for function in calls if isinstance(function, ast.Attribute))


def set_from_outside(tree: ast.Module, attribute: str) -> bool:
    """Whether any ``forward`` of a file sets an attribute of that name, of an object other than its own ``self``."""
    forwards = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "forward")
    return any(
        isinstance(target, ast.Attribute)
        and target.attr == attribute
        and not is_own(target, receiver_name(forward), attribute)
        for forward in forwards
        for target, _ in stores_in(forward)
    )


def read_outside(tree: ast.Module, definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a file reads an attribute of that name from an object other than its ``self``.

    One that passes it on, under the same name, leaves the question to whoever reads it there.
    """
    receivers = {receiver_name(one) for definition in definitions for one in definition.methods.values()}
    passed_on = {id(value) for target, value in stores_in(tree) if getattr(target, "attr", None) == attribute}
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
        and id(node) not in passed_on
        and not (isinstance(node.value, ast.Name) and node.value.id in receivers)
        for node in ast.walk(tree)
    )


def fill_before_reading(functions: Sequence[FunctionNode], attribute: str) -> bool:
    """Whether methods, each time they run, give the attribute a value from their arguments before they read it.

    An ``if`` that compares the attribute's device may decide that the value of the time before still serves. No method
    at all fills nothing.
    """
    return bool(functions) and all(_fills_before_reading(function, attribute) for function in functions)


def sets_before_reading(functions: Sequence[FunctionNode], attribute: str) -> bool:
    """Whether methods never read the attribute before they give it a value, like a local.

    The value has to come from their arguments or from what else the object holds: one that is made on the spot lies
    on the CPU. What a method reads in another way than by ``self.attribute`` it has not set.
    """
    return all(
        any(own_values(function, receiver_name(function), attribute))
        and _fills_before_reading(function, attribute, from_object=True) is not None
        for function in functions
    )


def names_own(function: FunctionNode, attribute: str) -> bool:
    """Whether a method reads or sets ``self.attribute``."""
    receiver = receiver_name(function)
    return any(is_own(node, receiver, attribute) for node in ast.walk(function))


def _fills_before_reading(function: FunctionNode, attribute: str, *, from_object: bool = False) -> bool | None:
    """Whether the attribute is filled when the method ends; None where it is read before, or filled otherwise."""
    name = receiver_name(function)
    if name is None:
        return None
    try:
        return _Filling(function, name, attribute, from_object=from_object).block(function.body, filled=False)
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
        from_object: whether values that are made of what the object holds fill it, too.
    """

    def __init__(self, function: FunctionNode, receiver: str, attribute: str, *, from_object: bool) -> None:
        self._receiver = receiver
        self._attribute = attribute
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
        checked = self._checks_device(statement.test)
        if self._reads(statement.test) and not (filled or checked):
            raise _Otherwise
        then = self.block(statement.body, filled=filled)
        otherwise = self.block(statement.orelse, filled=filled)
        return then and (otherwise or checked)

    def _simple(self, statement: ast.stmt, *, filled: bool) -> bool:
        values = list(own_values(statement, self._receiver, self._attribute))
        if values and isinstance(statement, (ast.Assign, ast.AnnAssign)):
            if (self._reads(statement) and not filled) or not all(self._is_fresh(value) for value in values):
                raise _Otherwise
            return True
        if any(not isinstance(one.ctx, ast.Load) for one in self._mentions(statement)):
            raise _Otherwise
        if self._reads(statement) and not filled:
            raise _Otherwise
        return filled

    def _is_fresh(self, value: ast.expr) -> bool:
        """Whether a value is made of what the method was given, or is what a submodule offers."""
        if _is_made_of(value, self._given):
            return True
        inner = value.value if isinstance(value, ast.Attribute) and value.attr not in _ABOUT_SHAPE else None
        return isinstance(inner, ast.Attribute) and is_own(inner, self._receiver, inner.attr)

    def _checks_device(self, test: ast.expr) -> bool:
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == "device"
            and is_own(node.value, self._receiver, self._attribute)
            for compare in ast.walk(test)
            if isinstance(compare, ast.Compare)
            for node in ast.walk(compare)
        )

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
    stores = list(stores_in(function))
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
