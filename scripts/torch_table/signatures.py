"""Ways to call a function, and what each returns."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_table.operators import schema_type
from torch_table.specs import SEQUENCES, TYPE_NAMES, UNKNOWN
from torch_table.syntax import alternatives, leaf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch_table.annotations import Annotations
    from torch_table.operators import Operator
    from torch_table.sources import SourceFile
    from torch_table.specs import Json, Spec
    from torch_table.syntax import FunctionNode


@dataclass
class Signature:
    """One way to call a function, and what that returns."""

    params: list[str]
    keyword_only: list[str]
    required: list[str]
    types: dict[str, str]
    when: dict[str, bool]
    returns: Spec

    def is_called_like(self, other: Signature) -> bool:
        """Whether the two differ in nothing but what their arguments may be."""
        mine = (self.params, self.required, self.when, self.returns)
        return mine == (other.params, other.required, other.when, other.returns)

    def to_json(self) -> dict[str, Json]:
        """The overload as the table holds it; what is empty is left out."""
        result: dict[str, Json] = {"params": list(self.params), "required": list(self.required)}
        if self.keyword_only:
            result["keyword_only"] = list(self.keyword_only)
        if self.types:
            result["types"] = dict(self.types)
        if self.when:
            result["when"] = dict(self.when)
        result["returns"] = self.returns
        return result


def _argument_kind(node: ast.expr | None) -> str | None:
    """What an argument must be, where its annotation allows one kind only (None aside)."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and node.value is None:
        return "none"
    if all(_is_tensor_sequence(part) for part in alternatives(node)):
        return "list"
    names = {leaf(part) for part in alternatives(node)} - {"", "None"}
    kinds = {TYPE_NAMES.get(name) for name in names}
    parts = [part for part in alternatives(node) if not (isinstance(part, ast.Constant) and part.value is None)]
    if len(kinds) != 1 or any(not leaf(part) for part in parts):
        return None
    kind = kinds.pop()
    return None if kind == "unknown" else kind


def _is_tensor_sequence(node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript) or leaf(node.value) not in SEQUENCES:
        return False
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
    return leaf(first) == "Tensor"


class Signatures:
    """Reads the signatures of stubs and sources."""

    def __init__(self, annotations: Annotations) -> None:
        self.annotations = annotations

    def read(self, node: FunctionNode, file: SourceFile, *, drop_self: bool = False) -> Signature:
        """The signature of one definition or overload."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        needed = positional[: len(positional) - len(arguments.defaults)]
        needed += [one for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value is None]
        if drop_self:
            needed = [one for one in needed if one is not positional[0]]
            positional = positional[1:]
        params = [one.arg for one in positional]
        if arguments.vararg:
            params.append(f"*{arguments.vararg.arg}")
        every = [*positional, *arguments.kwonlyargs]
        return Signature(
            params=[plain(name) for name in params],
            keyword_only=[one.arg for one in arguments.kwonlyargs],
            required=[plain(one.arg) for one in needed],
            types={plain(one.arg): kind for one in every if (kind := _argument_kind(one.annotation))},
            when={one.arg: value for one in every if (value := _flag(one.annotation)) is not None},
            returns=self._returns(node, file),
        )

    def _returns(self, node: FunctionNode, file: SourceFile) -> Spec:
        if node.returns is not None:
            return self.annotations.spec(node.returns, file)
        comment = node.type_comment
        if comment and "->" in comment:
            text = comment.rpartition("->")[2].strip()
            return self.annotations.spec(ast.parse(text, mode="eval").body, file)
        return "none" if _is_procedure(node) else UNKNOWN


def plain(name: str) -> str:
    """Stubs call the first argument of some functions ``self``; only its place counts."""
    return "input" if name == "self" else name


def _is_procedure(node: FunctionNode) -> bool:
    """Whether a body, not that of a stub, returns nothing."""
    if node.decorator_list or isinstance(node, ast.AsyncFunctionDef) or _is_ellipsis_body(node):
        return False
    inner = {part for one in ast.walk(node) if one is not node and _is_scope(one) for part in ast.walk(one)}
    outer = [part for part in ast.walk(node) if part not in inner]
    return not any(
        isinstance(part, ast.Yield | ast.YieldFrom) or (isinstance(part, ast.Return) and part.value is not None)
        for part in outer
    )


def _is_scope(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef)


def _is_ellipsis_body(node: FunctionNode) -> bool:
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return not body or all(isinstance(one, ast.Raise | ast.Pass) for one in body)


def _flag(node: ast.expr | None) -> bool | None:
    """The value of an argument that an overload wants to be ``True`` or ``False``."""
    if isinstance(node, ast.Subscript) and leaf(node.value) == "Literal" and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, bool) else None
    return None


def combine(signatures: Sequence[Signature]) -> Spec:
    """One return spec, or overloads where they really return different things."""
    returns = [one.returns for one in signatures]
    if not returns:
        return UNKNOWN
    if all(one == returns[0] for one in returns):
        return returns[0]
    merged: list[Signature] = []
    for one in signatures:
        same = next((other for other in merged if other.is_called_like(one)), None)
        if same is None:
            merged.append(one)
        else:
            same.types = {name: kind for name, kind in same.types.items() if one.types.get(name) == kind}
    overloads: list[Json] = [one.to_json() for one in merged]
    return {"overloads": overloads}


# ---------------------------------------------------------------------------------------------------------------------


def as_method(spec: Spec) -> Spec:
    """The overloads of a function as those of the method that passes the tensor first."""
    if isinstance(spec, str) or "overloads" not in spec:
        return spec
    overloads: list[Json] = []
    for one in map(_dict, _list(spec["overloads"])):
        first, *params = _list(one["params"])
        entry = {**one, "params": params}
        entry["required"] = [name for name in _list(one["required"]) if name != first]
        entry["types"] = {key: kind for key, kind in _dict(one.get("types", {})).items() if key != first}
        overloads.append({key: value for key, value in entry.items() if value != {}})
    return {"overloads": overloads}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def operator_signature(operator: Operator) -> Signature:
    """The signature that an operator schema states."""
    params: list[str] = []
    keyword_only: list[str] = []
    required: list[str] = []
    types: dict[str, str] = {}
    target = params
    for argument in operator.arguments:
        if argument == "*":
            target = keyword_only
            continue
        declaration, _, default = argument.partition("=")
        kind, name = re.sub(r"\([^)]*\)", "", declaration).split()
        name = plain(name)
        target.append(name)
        spec = "list" if kind == "Tensor[]" else schema_type(kind.rstrip("?"))[0]
        if isinstance(spec, str) and spec != "unknown":
            types[name] = spec
        if not default:
            required.append(name)
    return Signature(params, keyword_only, required, types, {}, operator.spec())


# ---------------------------------------------------------------------------------------------------------------------
