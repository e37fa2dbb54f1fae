"""The names that a class of torch gives its objects."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torch_table.syntax import alternatives, leaf

if TYPE_CHECKING:
    from torch_table.syntax import FunctionNode


class Members:
    """The names that a class body gives its instances."""

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.parameters: set[str] = set()
        self.buffers: set[str] = set()
        self.forward: str | None = None
        self.makes = False

    def read(self, node: ast.ClassDef) -> None:
        """Take in a class body and the methods in it."""
        for item in node.body:
            match item:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    self.attributes.add(name)
                case ast.Assign(targets=targets):
                    self.attributes |= {target.id for target in targets if isinstance(target, ast.Name)}
                case ast.AnnAssign(target=ast.Name(id=name)):
                    self._annotated(name, item)
                case _:
                    pass
            if isinstance(item, ast.FunctionDef) and item.name == "forward":
                self.forward = "tensor" if item.returns is not None and leaf(item.returns) == "Tensor" else "other"
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                self.makes = any(map(_keeps_what_it_makes, ast.walk(item)))
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.args.args:
                self._method(item, item.args.args[0].arg)
        self.attributes = {name for name in self.attributes if not re.fullmatch(r"__\w+__", name)}

    def _annotated(self, name: str, item: ast.AnnAssign) -> None:
        if item.value is not None:
            self.attributes.add(name)
        elif "Parameter" in map(leaf, alternatives(item.annotation)):
            self.parameters.add(name)

    def _method(self, node: FunctionNode, me: str) -> None:
        for part in ast.walk(node):
            match part:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._stored(target, value, me)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._stored(target, value, me)
                case ast.Call(func=ast.Attribute(attr=method), args=[ast.Constant(value=str() as name), *_]):
                    self._registered(method, name)
                case _:
                    pass

    def _stored(self, target: ast.expr, value: ast.expr, me: str) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._stored(one, target, me)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me:
            maker = leaf(value.func) if isinstance(value, ast.Call) else ""
            kinds = {"Parameter": self.parameters, "UninitializedParameter": self.parameters}
            kinds |= {"Buffer": self.buffers, "UninitializedBuffer": self.buffers}
            kinds.get(maker, self.attributes).add(target.attr)

    def _registered(self, method: str, name: str) -> None:
        if method == "register_buffer":
            self.buffers.add(name)
        elif method == "register_parameter":
            self.parameters.add(name)
        elif method in {"__setattr__", "register_module", "add_module"}:
            self.attributes.add(name)


def _keeps_what_it_makes(node: ast.AST) -> bool:
    """Whether a statement assigns what a call may have made to something, or registers it."""
    if isinstance(node, ast.Assign):
        return any(isinstance(part, ast.Call) for part in ast.walk(node.value))
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("register")
