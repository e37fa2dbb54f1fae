"""What methods and properties of tensors return, and torch's constants."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from torch_table.annotations import Annotations
from torch_table.knowledge import HAND_METHODS, HAND_PROPERTIES
from torch_table.signatures import Signatures, as_method, combine
from torch_table.sources import SourceFile
from torch_table.specs import UNKNOWN
from torch_table.syntax import leaf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch_table.sources import Sources
    from torch_table.specs import Spec


class Tensors:
    """Reads the classes of tensors and generators."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.annotations = Annotations(sources)
        self.signatures = Signatures(self.annotations)

    @cached_property
    def _tensor_base(self) -> tuple[SourceFile, ast.ClassDef]:
        file = self.sources.file("torch._C")
        if file is None:
            raise FileNotFoundError(self.sources.root / "_C" / "__init__.pyi")
        return file, file.classes["TensorBase"]

    @cached_property
    def _tensor(self) -> tuple[SourceFile, ast.ClassDef]:
        file = self.sources.file("torch._tensor")
        if file is None:
            raise FileNotFoundError(self.sources.root / "_tensor.py")
        return file, file.classes["Tensor"]

    def methods(self, functions: Mapping[str, Spec]) -> dict[str, Spec]:
        """Methods of a tensor, those with two underscores left out; some only call one of torch's functions."""
        file, node = self._tensor_base
        result = self._methods_of(node, file)
        file, node = self._tensor
        for name, spec in self._methods_of(node, file).items():
            # Where Python overrides a method without annotations the stub still knows its type.
            if spec != UNKNOWN or result.get(name, UNKNOWN) == UNKNOWN:
                result[name] = spec
        for name, spec in result.items():
            if spec == UNKNOWN:
                result[name] = as_method(functions.get(f"torch.{name}", UNKNOWN))
        return result | HAND_METHODS

    def _methods_of(self, node: ast.ClassDef, file: SourceFile) -> dict[str, Spec]:
        holder = SourceFile(file.name, is_package=file.is_package)
        holder.fill(node.body)
        result = {}
        for name, nodes in holder.functions.items():
            decorators = {leaf(one) for one in nodes[0].decorator_list}
            if name.startswith("_") or decorators & {"property", "classmethod_property"}:
                continue
            signatures = [self.signatures.read(one, file, drop_self=True) for one in nodes]
            result[name] = combine(signatures)
        return result

    def properties(self) -> dict[str, Spec]:
        """Attributes and properties of a tensor."""
        result: dict[str, Spec] = {}
        for file, node in (self._tensor_base, self._tensor):
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    result[item.target.id] = self.annotations.spec(item.annotation, file)
                elif isinstance(item, ast.FunctionDef) and "property" in map(leaf, item.decorator_list):
                    result[item.name] = self.annotations.spec(item.returns, file)
        # What a gradient function, hooks and the like are is no tensor.
        return {name: spec for name, spec in result.items() if not name.startswith("_")} | HAND_PROPERTIES

    def casts(self) -> set[str]:
        """Methods that the documentation calls a ``to`` with a dtype."""
        file = self.sources.root / "_tensor_docs.py"
        pattern = r"``self\.(\w+)\(\)`` is equivalent to ``self\.to\(torch\.\w+\)``"
        return set(re.findall(pattern, file.read_text(encoding="utf-8")))

    def generator_methods(self) -> dict[str, Spec]:
        """Methods of ``torch.Generator``; its ``get_state`` gives a tensor that must stay on the CPU."""
        file = self._tensor_base[0]
        return self._methods_of(file.classes["Generator"], file)

    def constants(self) -> dict[str, str]:
        """Names of torch that are neither functions, classes nor modules."""
        file = self._tensor_base[0]
        result = {"torch.e": "float", "torch.inf": "float", "torch.nan": "float", "torch.pi": "float"}
        result |= {"torch.newaxis": "none", "torch.__version__": "str", "torch.cuda.default_generators": "other"}
        for name, annotation in file.annotations.items():
            spec = self.annotations.spec(annotation, file)
            if isinstance(spec, str) and not name.startswith("_") and leaf(annotation) != "TypeAlias":
                result[f"torch.{name}"] = spec
        # Made by the extension without a line in its stub.
        result |= {f"torch.{sign}int{bits}": "dtype" for sign in ("", "u") for bits in range(1, 8)}
        result["torch.bit"] = "dtype"
        return result
