"""From annotations to what a value is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch_table.specs import SEQUENCES, TENSOR, TYPE_NAMES, UNKNOWN, has_tensor, union
from torch_table.syntax import alternatives, dotted, leaf

if TYPE_CHECKING:
    from torch_table.sources import Found, SourceFile, Sources
    from torch_table.specs import Json, Spec


class Annotations:
    """Reads return annotations in the file that holds them."""

    DEEPEST = 12  # a type alias may name itself

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def spec(self, node: ast.expr | None, file: SourceFile, depth: int = 0) -> Spec:
        """What a value of the annotated type is."""
        result: Spec = UNKNOWN
        if node is None or depth > self.DEEPEST:
            return result
        match node:
            case ast.Constant(value=None):
                result = "none"
            case ast.Constant(value=str() as text):
                result = self.spec(ast.parse(text.strip(), mode="eval").body, file, depth + 1)
            case ast.BinOp():
                result = union([self.spec(part, file, depth + 1) for part in alternatives(node)])
            case ast.Subscript():
                result = self._subscript(node, file, depth + 1)
            case ast.Name() | ast.Attribute():
                result = self._name(node, file, depth + 1)
        return result

    def _subscript(self, node: ast.Subscript, file: SourceFile, depth: int) -> Spec:
        head = leaf(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        result: Spec = "other"
        if head == "Literal":
            result = union([_literal(item) for item in items])
        elif head in {"Optional", "Union"}:
            inner = [self.spec(item, file, depth) for item in items]
            result = union([*inner, "none"] if head == "Optional" else inner)
        elif head in {"Annotated", "Final", "ClassVar"}:
            result = self.spec(items[0], file, depth)
        elif head in {"tuple", "Tuple"} and not _is_ellipsis(items[-1]):
            result = {"tuple": [self.spec(item, file, depth) for item in items]}
        elif head in SEQUENCES:
            result = {"list": self.spec(items[0], file, depth)}
        elif head in {"dict", "Dict", "Mapping", "OrderedDict"}:
            result = UNKNOWN if has_tensor(self.spec(items[-1], file, depth)) else "other"
        elif head not in {"Callable", "_Callable", "type", "Type"}:
            result = self._name(node.value, file, depth)
        return result

    def _name(self, node: ast.expr, file: SourceFile, depth: int) -> Spec:
        name = leaf(node)
        if "return_types." in dotted(node):
            return self._named_tuple(name)
        if name in TYPE_NAMES or name in {"tuple", "list", "Tuple", "List", "Sequence", "dict"}:
            return TYPE_NAMES.get(name, UNKNOWN)
        found = self.sources.find(file.name, name) if isinstance(node, ast.Name) else None
        if found is None:
            return "other" if name[:1].isupper() or name.startswith("_") else UNKNOWN
        if found.name in found.file.classes:
            return TENSOR if "Tensor" in map(leaf, found.file.classes[found.name].bases) else "other"
        return self._alias(found, depth)

    def _alias(self, found: Found, depth: int) -> Spec:
        """What a type alias or a type variable stands for."""
        value = found.file.values.get(found.name)
        if isinstance(value, ast.Call) and leaf(value.func).endswith(("TypeVar", "ParamSpec")):
            value = next((one.value for one in value.keywords if one.arg == "bound"), None)
        return self.spec(value, found.file, depth)

    def _named_tuple(self, name: str) -> Spec:
        file = self.sources.file("torch.return_types")
        node = file.classes[name] if file else None
        if file is None or node is None:
            return UNKNOWN
        spec = self.spec(node.bases[0], file)
        fields: list[Json] = [
            item.name
            for item in node.body
            if isinstance(item, ast.FunctionDef) and any(leaf(one) == "property" for one in item.decorator_list)
        ]
        return {**spec, "fields": fields} if isinstance(spec, dict) else spec


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _literal(node: ast.expr) -> Spec:
    if isinstance(node, ast.Constant):
        return {"bool": "bool", "str": "str", "int": "int", "NoneType": "none"}.get(type(node.value).__name__, "other")
    return "other"
