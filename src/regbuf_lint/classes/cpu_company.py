"""Tensors that methods join with others made on the CPU there: moved, they would be apart."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import (
    arguments_with_defaults,
    last_name,
    methods_where,
    name_in_torch,
    receiver_name,
)
from regbuf_lint.classes.first_values import LEAVING, is_put_on_cpu
from regbuf_lint.classes.moves import moves_own
from regbuf_lint.classes.stores import is_own, kept_arguments, names_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_FACTORIES = frozenset({"arange", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "tensor", "zeros"})
_JOINING = frozenset({"cat", "concat", "concatenate", "hstack", "stack", "vstack"})
_PAIRING = frozenset({"add", "div", "dot", "fmod", "matmul", "maximum", "minimum", "mm", "mul", "pow", "sub", "where"})
_MOVING = frozenset({"cpu", "cuda", "numpy", "to", "type_as"})
_OWN, _MADE, _MOVED, _OTHER = "made of the attribute", "made here", "moved to the CPU", "anything else"
_NUMPY = frozenset({"np", "numpy"})
_METADATA = frozenset({"device", "dtype", "ndim", "shape"})


def meets_cpu_tensors(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> bool:
    """Whether a method that runs after construction joins the attribute with tensors that it makes, or moves, there.

    So it does, too, where it assigns what it moves to the CPU (``self.log[i] = x.cpu()``), uses an index that it moves
    there, assigns to parts of what it made there, or calls NumPy with the attribute. Methods none of which moves
    anything only forget where the tensors lie that they make, and so do those of a class whose constructor takes a
    device.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    functions = list(methods_where(definitions, runs_later))
    if not any(map(_moves, functions)) or any(map(_takes_device, definitions)):
        return False
    numbers = _kept_numbers(definitions)
    naming = (function for function in functions if names_own(function, attribute))
    return any(_Company(function, attribute, numbers).meets() for function in naming)


def _moves(function: FunctionNode) -> bool:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(last_name(call.func) in _MOVING or _is_typed(call) for call in calls)


def _is_typed(node: ast.expr) -> bool:
    """``x.type(torch.FloatTensor)``: a cast to the type that only tensors on the CPU have."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "type":
        return False
    return any(name_in_torch(one).endswith("Tensor") for one in node.args)


def _is_plain_number(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


def _takes_device(definition: ClassDefinition) -> bool:
    """Whether who makes an object says where it is to lie."""
    function = definition.methods.get("__init__")
    return function is not None and any(one.arg == "device" for one, _ in arguments_with_defaults(function))


def joins_new_tensors(definitions: Sequence[ClassDefinition], function: FunctionNode, attribute: str) -> bool:
    """Whether a method joins the attribute, and nothing that it is given, with tensors that it makes on the CPU.

    So joined, they work as long as nobody moves the attribute; with what a method is given, they fail before and after.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        function: the method.
        attribute: the attribute.
    """
    return _Company(function, attribute, _kept_numbers(definitions)).joins_alone()


def _kept_numbers(definitions: Sequence[ClassDefinition]) -> frozenset[str]:
    """Attributes that are numbers, as the defaults of the arguments say that they hold."""
    return frozenset(name for one in definitions for name in kept_arguments(one, _is_plain_number))


def is_given_to_numpy(node: ast.AST, receiver: str | None, attribute: str) -> bool:
    """Whether a node is a call such as ``np.sinc(2 * self.x)``, which raises TypeError for CUDA tensors (torch 2.13).

    Args:
        node: any node of a method.
        receiver: what the method calls ``self``.
        attribute: the attribute.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    library = node.func.value
    is_numpy = isinstance(library, ast.Name) and library.id in _NUMPY
    return is_numpy and any(_is_operand(one, receiver, attribute) for one in node.args)


def _is_operand(node: ast.expr, receiver: str | None, attribute: str) -> bool:
    """Whether a value is the attribute itself, or computed with it by operators."""
    if isinstance(node, ast.BinOp):
        return any(_is_operand(one, receiver, attribute) for one in (node.left, node.right))
    return is_own(node.operand if isinstance(node, ast.UnaryOp) else node, receiver, attribute)


class _Company:
    """What the locals of one function always are: made of the attribute, of new tensors on the CPU, or other."""

    def __init__(self, function: FunctionNode, attribute: str, numbers: frozenset[str]) -> None:
        self._function = function
        self._numbers = numbers
        self._attribute = attribute
        self._receiver = receiver_name(function)
        self._locals: dict[str, set[str]] = {
            name.arg: {_OTHER} for name in ast.walk(function) if isinstance(name, ast.arg)
        }

        self._assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        for node in sorted(self._assignments, key=lambda one: one.lineno):
            kind = self._kind(node.value)
            names = (name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name))
            for name in names:
                if isinstance(name.ctx, ast.Store):
                    self._locals.setdefault(name.id, set()).add(kind)

    def meets(self) -> bool:
        """Whether the function needs the attribute on the CPU, in an expression that joins it, or otherwise."""
        nodes = list(ast.walk(self._function))
        return (
            self.joins()
            or any(map(self._takes_from_cpu, self._assignments))
            or any(map(self._is_indexed_from_cpu, nodes))
            or any(is_given_to_numpy(node, self._receiver, self._attribute) for node in nodes)
        )

    def joins(self) -> bool:
        """Whether one expression joins the attribute with tensors that are on the CPU."""
        return any(self._joins(list(parts)) for parts in self._joined())

    def joins_alone(self) -> bool:
        """The same of expressions in which there are no locals and no arguments."""
        return any(self._joins(parts) for parts in map(list, self._joined()) if not any(map(self._names_local, parts)))

    def _names_local(self, part: ast.expr) -> bool:
        names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} - {self._receiver}
        return not names.isdisjoint(self._locals)

    def _kind(self, value: ast.expr) -> str:
        if self._is_own(value):
            return _OWN
        if self._is_moved(value):
            return _MOVED
        return _MADE if self._is_made_alone(value) else _OTHER

    def _takes_from_cpu(self, node: ast.Assign) -> bool:
        """``self.x = y.cpu()``, ``self.x[...] = y.cpu()``, or ``y[y > 0] = self.x`` with a ``y`` that is made there.

        Brought back by a function that moves it elsewhere as well, the attribute is not meant to stay there.
        """
        if self._moves_itself(node) and any(self._moves_itself(one) for one in self._assignments if one is not node):
            return False
        return any(self._is_put_on_cpu(target, node.value) for target in node.targets)

    def _moves_itself(self, node: ast.Assign) -> bool:
        return moves_own(node, self._receiver, self._attribute)

    def _is_put_on_cpu(self, target: ast.expr, value: ast.expr) -> bool:
        owner = target.value if isinstance(target, ast.Subscript) else target
        if is_own(owner, self._receiver, self._attribute):
            return self._is_moved(value)
        # by a slice or a number, tensors of any device go there
        is_chosen = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Compare)
        return is_chosen and self._is_made_alone(owner) and self._is_own(value)

    def _is_indexed_from_cpu(self, node: ast.AST) -> bool:
        """``self.x[y.cpu()]``: an index could lie there in any case, so that the tensor is known to."""
        if not isinstance(node, ast.Subscript) or not is_own(node.value, self._receiver, self._attribute):
            return False
        return any(self._is_moved(one) for one in ast.walk(node.slice) if isinstance(one, ast.expr))

    def _is_moved(self, node: ast.expr) -> bool:
        """Whether a value says itself that it is on the CPU, or is a local that always does."""
        while not (is_put_on_cpu(node) or _is_typed(node)):
            if isinstance(node, ast.Name):
                return self._locals.get(node.id) == {_MOVED}
            if isinstance(node, ast.UnaryOp):
                node = node.operand
            elif isinstance(node, ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in LEAVING:
                node = node.func.value
            else:
                return False
        return True

    def _joined(self) -> Iterator[Iterable[ast.expr]]:
        for node in ast.walk(self._function):
            if isinstance(node, ast.BinOp):
                yield node.left, node.right
            elif isinstance(node, ast.AugAssign):
                yield node.target, node.value
            elif isinstance(node, ast.Call) and last_name(node.func) in _JOINING and node.args:
                yield getattr(node.args[0], "elts", ())
            elif isinstance(node, ast.Call) and name_in_torch(node.func) in _PAIRING:
                yield node.args

    def _joins(self, parts: list[ast.expr]) -> bool:
        return any(map(self._is_own, parts)) and any(self._is_moved(one) or self._is_made_alone(one) for one in parts)

    def _is_made_alone(self, node: ast.expr) -> bool:
        """Whether a value comes from new tensors and numbers only, or from what is computed with such by operators.

        What else the object holds may be anywhere, but where that is joined with new tensors it has to be beside them.
        """
        if isinstance(node, ast.BinOp):
            return self._is_made_alone(node.left) or self._is_made_alone(node.right)
        return self._is_made(node) and not self._reads_object(node)

    def _reads_object(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and (last_name(node.func) == "len" or _is_listed(node)):
            return False
        if isinstance(node, ast.Attribute) and node.attr in self._numbers and is_own(node, self._receiver, node.attr):
            return False
        is_receiver = isinstance(node, ast.Name) and node.id == self._receiver
        return is_receiver or any(map(self._reads_object, ast.iter_child_nodes(node)))

    def _is_own(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and (last_name(node.func) == "len" or is_put_on_cpu(node)):
            return False
        if isinstance(node, ast.Attribute):
            if node.attr in _METADATA:
                return False
            if node.attr == self._attribute and isinstance(node.value, ast.Name):
                return node.value.id == self._receiver
        if isinstance(node, ast.Name):
            return self._locals.get(node.id) == {_OWN}
        if isinstance(node, ast.Subscript):
            return self._is_own(node.value)
        return any(map(self._is_own, ast.iter_child_nodes(node)))

    def _is_made(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return self._locals.get(node.id) == {_MADE}
        if isinstance(node, ast.Call):
            if any(keyword.arg == "device" for keyword in node.keywords) or last_name(node.func) in {"to", "cuda"}:
                return _is_cast(node) and any(map(self._is_made, ast.iter_child_nodes(node)))
            if name_in_torch(node.func) in _FACTORIES:
                return not _is_number(node)
        return any(map(self._is_made, ast.iter_child_nodes(node)))


def _is_number(call: ast.Call) -> bool:
    """Whether a tensor of one number is made, which goes with tensors of any device."""
    number = call.args[0] if last_name(call.func) == "tensor" and call.args else None
    return isinstance(number, (ast.Constant, ast.UnaryOp))


def _is_listed(call: ast.Call) -> bool:
    """``torch.tensor([a, b])``: a new tensor on the CPU, whatever is in the list."""
    return name_in_torch(call.func) == "tensor" and bool(call.args) and isinstance(call.args[0], ast.List)


def _is_cast(call: ast.Call) -> bool:
    """Whether ``.to(...)`` names nothing but a dtype."""
    return not call.args and all(keyword.arg == "dtype" for keyword in call.keywords)
