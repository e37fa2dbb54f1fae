"""Which attributes a class uses in ways that only a tensor allows; needed for what ``torch.load`` returned."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_TENSOR_ATTRIBUTES = frozenset({"shape", "device", "dtype", "ndim", "size", "dim", "unsqueeze", "squeeze", "expand"})
_TENSOR_ATTRIBUTES |= {"view", "permute", "detach", "clone", "item", "numel", "repeat", "flatten", "transpose", "abs"}
_OTHER_ATTRIBUTES = frozenset({"items", "keys", "values", "get", "eval", "train", "parameters", "state_dict", "append"})
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult)


@dataclass(slots=True)
class Evidence:
    """Attributes of ``self`` by what their uses say of them.

    Attributes:
        tensors: used as only tensors can be (or arrays and numbers).
        others: used as tensors can't be: called, looked up by a string, asked for ``items()`` or ``parameters()``.
    """

    tensors: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    def is_tensor(self, attribute: str) -> bool:
        """Whether an attribute that is either a tensor or something quite different must be a tensor."""
        return attribute in self.tensors and attribute not in self.others


def evidence_in(definitions: Iterable[ClassDefinition]) -> Evidence:
    """What the methods of some classes say of their common attributes."""
    evidence = Evidence()
    for definition in definitions:
        for function in (*definition.methods.values(), *definition.properties.values()):
            name = receiver_name(function)
            if name is not None:
                _look_at(function, name, evidence)
    return evidence


def _look_at(function: FunctionNode, receiver: str, evidence: Evidence) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and _is_arithmetic(node):
            _note(evidence.tensors, receiver, node.left, node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            _note(evidence.tensors, receiver, node.operand)
        elif isinstance(node, ast.Attribute):
            _note_attribute(node, receiver, evidence)
        elif isinstance(node, ast.Subscript):
            _note_subscript(node, receiver, evidence)
        elif isinstance(node, ast.Call):
            _note(evidence.others, receiver, node.func)


def _is_arithmetic(node: ast.BinOp) -> bool:
    """Whether lists and strings cannot be operands; of an addition, since one side is computed or a number."""
    return isinstance(node.op, _ARITHMETIC) or (isinstance(node.op, ast.Add) and _is_numeric(node))


def _is_numeric(node: ast.BinOp) -> bool:
    return any(
        (isinstance(side, ast.BinOp) and isinstance(side.op, _ARITHMETIC))
        or (isinstance(side, ast.Constant) and isinstance(side.value, (int, float)))
        for side in (node.left, node.right)
    )


def _note(found: set[str], receiver: str, *nodes: ast.expr) -> None:
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
            found.add(node.attr)


def _note_attribute(node: ast.Attribute, receiver: str, evidence: Evidence) -> None:
    if node.attr in _TENSOR_ATTRIBUTES:
        _note(evidence.tensors, receiver, node.value)
    elif node.attr in _OTHER_ATTRIBUTES:
        _note(evidence.others, receiver, node.value)


def _note_subscript(node: ast.Subscript, receiver: str, evidence: Evidence) -> None:
    index = node.slice
    if isinstance(index, ast.Tuple) and any(isinstance(item, (ast.Slice, ast.Constant)) for item in index.elts):
        _note(evidence.tensors, receiver, node.value)
    elif isinstance(index, ast.Constant) and isinstance(index.value, str):
        _note(evidence.others, receiver, node.value)
