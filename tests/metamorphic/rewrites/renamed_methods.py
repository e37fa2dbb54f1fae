"""Methods that are the program's own affair get other names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst
from programs import words

from rewrites.definitions import Definitions
from rewrites.rewrite import Rewrite, Rewritten
from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from programs import Program


def _rewritten(program: Program) -> Rewritten:
    names = _new_names(program, Definitions.of(program))
    if not names:
        return Rewritten(program.texts)
    rename = _Methods(names)
    return Rewritten({path: file.module.visit(rename).code for path, file in program.files.items()})


def _new_names(program: Program, definitions: Definitions) -> dict[str, str]:
    """The methods that can be renamed throughout the program."""
    nodes = [node for file in program.files.values() for node in ast.walk(file.tree)]
    methods = [(owner, function) for owner, function in definitions.functions if owner is not None]
    own = {function.name: None for _, function in methods}
    kept = {
        function.name
        for owner, function in definitions.functions
        if function.decorator_list or not definitions.own_method(owner, function.name)
    }
    kept |= _in_strings(nodes) | _used_otherwise(nodes, set(definitions.bases)) | program.configured
    names = [name for name in own if name not in kept]
    return {name: program.fresh(f"{'_' * name.startswith('_')}step_{place}") for place, name in enumerate(names)}


def _in_strings(nodes: Collection[ast.AST]) -> set[str]:
    """Words of strings that are no docstrings: a method may be looked up by its name."""
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {word for node in strings if id(node) not in statements for word in words(str(node.value))}


def _used_otherwise(nodes: Collection[ast.AST], classes: set[str]) -> set[str]:
    """Names that stand for more than methods: variables, what is stored, attributes of other objects."""
    objects = {"self", "cls", "this", *classes}
    variables = {node.id for node in nodes if isinstance(node, ast.Name)}
    attributes = (node for node in nodes if isinstance(node, ast.Attribute))
    return variables | {
        node.attr for node in attributes if not isinstance(node.ctx, ast.Load) or not _is_object(node.value, objects)
    }


def _is_object(node: ast.expr, objects: set[str]) -> bool:
    """Whether it is an object or class of the program, as methods call theirs."""
    match node:
        case ast.Name(id=name):
            return name in objects
        case ast.Call(func=ast.Name(id=name)):
            return name == "super" or name in objects
    return False


class _Methods(Transformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        return updated_node.with_changes(name=self._new(original_node.name))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=self._new(original_node.attr))

    def _new(self, name: cst.Name) -> cst.Name:
        return cst.Name(self._names.get(name.value, name.value))


RENAMED_METHODS = Rewrite(
    "renamed_methods", "`def helper(self)` -> `def step_0(self)`, where no protocol asks for the name", _rewritten
)
