"""Arguments of functions and methods get other names, also where calls pass them by name."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.definitions import Definitions, own_parameters, parameters
from rewrites.methods import InMethods, all_params, first_argument
from rewrites.rewrite import Rewrite, Rewritten
from rewrites.transformer import Transformer
from rewrites.variables import RenameVariables

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from programs import Program

_NAMES_ATTRIBUTES = frozenset(
    {"register_buffer", "register_parameter", "getattr", "setattr", "hasattr", "delattr", "__setattr__", "add_module"}
)
"""Functions whose strings name attributes, not arguments."""


def _rewritten(program: Program) -> Rewritten:
    definitions = Definitions.of(program)
    names = _new_names(program, definitions)
    rename = _Arguments(names, definitions)
    return Rewritten({path: file.module.visit(rename).code for path, file in program.files.items()})


def _new_names(program: Program, definitions: Definitions) -> dict[str, str]:
    """The arguments that can be renamed throughout the program."""
    own = {
        name: None
        for owner, function in definitions.functions
        if definitions.own_arguments(owner, function.name)
        for name in own_parameters(owner, function)
    }
    nodes = [node for file in program.files.values() for node in ast.walk(file.tree)]
    kept = _spoken_of_elsewhere(nodes) | _passed_to_others(nodes, definitions)
    return {name: program.fresh(f"given_{place}") for place, name in enumerate(own) if name not in kept}


def _spoken_of_elsewhere(nodes: Collection[ast.AST]) -> set[str]:
    """Names in strings that may stand for arguments, and names that functions share."""
    of_attributes = {
        id(arg)
        for node in nodes
        if isinstance(node, ast.Call) and _last_name(node.func) in _NAMES_ATTRIBUTES
        for arg in node.args
    }
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in of_attributes}
    shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return shared | {one for one in strings if isinstance(one, str)}


def _passed_to_others(nodes: Collection[ast.AST], definitions: Definitions) -> set[str]:
    """Arguments that some call passes by name to a function that may keep its names."""
    passed = [(node, one.arg) for node in nodes if isinstance(node, ast.Call) for one in node.keywords if one.arg]
    to_classes = {one.arg for node in nodes if isinstance(node, ast.ClassDef) for one in node.keywords if one.arg}
    of_others = _kept_parameters(nodes, definitions)
    return to_classes | {
        name for call, name in passed if name in of_others or not _takes(_last_name(call.func), name, definitions)
    }


def _kept_parameters(nodes: Collection[ast.AST], definitions: Definitions) -> set[str]:
    """Parameters of functions that keep them: those inside of functions, lambdas, and what is called by protocol."""
    own = {id(function) for owner, function in definitions.functions if definitions.own_arguments(owner, function.name)}
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))
    return {
        node.arg for one in functions if id(one) not in own for node in ast.walk(one.args) if isinstance(node, ast.arg)
    }


def _takes(callee: str | None, name: str, definitions: Definitions) -> bool:
    """Whether it is functions of the program alone that the call can mean, and they have the parameter."""
    if callee in definitions.bases:
        classes = set(definitions.with_bases(callee))
        meant = [one for owner, one in definitions.functions if owner in classes and one.name == "__init__"]
    else:
        meant = [one for _, one in definitions.functions if one.name == callee]
    return any(name in parameters(one) for one in meant)


def _last_name(func: ast.expr) -> str | None:
    """The name that is called, of a function or class: ``super().__init__`` and the like are not known by theirs."""
    match func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name):
            return name
        case ast.Attribute(attr="register_buffer" | "__setattr__" as name):
            return name
    return None


class _Arguments(InMethods):
    def __init__(self, names: Mapping[str, str], definitions: Definitions) -> None:
        super().__init__()
        self._names = names
        self._definitions = definitions

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        super().leave_FunctionDef(original_node, updated_node)
        owner = self.class_around.name.value if self.class_around else None
        if self.in_function or not self._definitions.own_arguments(owner, original_node.name.value):
            return updated_node
        names = self._renamed(updated_node)
        if not names:
            return updated_node
        body = updated_node.body.visit(RenameVariables(names))
        assert isinstance(body, cst.BaseSuite)
        params = updated_node.params.visit(_Params(names))
        return updated_node.with_changes(params=params, body=_with_docstring(body, names))

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        super().leave_ClassDef(original_node, updated_node)
        constructors = (one for one in original_node.body.body if isinstance(one, cst.FunctionDef))
        names = {
            old: new for one in constructors if one.name.value == "__init__" for old, new in self._renamed(one).items()
        }
        return updated_node.with_changes(body=_with_docstring(updated_node.body, names)) if names else updated_node

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        new = self._names.get(updated_node.keyword.value) if updated_node.keyword else None
        return updated_node if new is None else updated_node.with_changes(keyword=cst.Name(new))

    def _renamed(self, function: cst.FunctionDef) -> dict[str, str]:
        self_name = first_argument(function) if self.class_around else None
        names = [param.name.value for param in all_params(function.params)]
        return {name: self._names[name] for name in names if name in self._names and name != self_name}


class _Params(Transformer):
    """Renames parameters, and leaves their defaults and annotations alone."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        name = original_node.name.value
        return updated_node.with_changes(name=cst.Name(self._names.get(name, name)))


def _with_docstring(body: cst.BaseSuite, names: Mapping[str, str]) -> cst.BaseSuite:
    """The body with the new names where its docstring states types or speaks of parameters."""
    match body.body[0] if body.body else None:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString(value=text) as string)]) as row:
            word = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b(?=`*\s*[:(])")
            new = string.with_changes(value=word.sub(lambda match: names[match[1]], text))
            return body.with_changes(body=[row.with_changes(body=[cst.Expr(new)]), *body.body[1:]])
    return body


RENAMED_ARGUMENTS = Rewrite(
    "renamed_arguments", "`def forward(self, x)` -> `def forward(self, given_0)`, and so at calls by name", _rewritten
)
