"""What torch's functions return."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from torch_table.annotations import Annotations
from torch_table.knowledge import EXTENSION_CLASSES, HAND_FUNCTIONS, NAMESPACES, OTHER_NAMESPACES
from torch_table.signatures import Signature, Signatures, combine, operator_signature
from torch_table.sources import Found
from torch_table.specs import TENSOR, TYPE_NAMES, UNKNOWN
from torch_table.syntax import leaf, strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch_table.operators import Operator
    from torch_table.sources import SourceFile, Sources
    from torch_table.specs import Spec


class Functions:
    """Reads the functions that a user can call, and the constructors."""

    def __init__(self, sources: Sources, operators: Sequence[Operator]) -> None:
        self.sources = sources
        self.operators = operators
        self.annotations = Annotations(sources)
        self.signatures = Signatures(self.annotations)

    @cached_property
    def by_path(self) -> dict[str, list[Operator]]:
        """Operators, those that write into ``out`` left aside, by the path that users call."""
        result: dict[str, list[Operator]] = {}
        for operator in self.operators:
            if not operator.is_out:
                result.setdefault(operator.path, []).append(operator)
        return result

    @cached_property
    def by_name(self) -> dict[str, list[Operator]]:
        """The same by the operator's own name, which has its namespace in front."""
        result: dict[str, list[Operator]] = {}
        for operator in self.operators:
            if not operator.is_out:
                result.setdefault(operator.name, []).append(operator)
        return result

    def _public(self, namespace: str) -> set[str]:
        names = self.sources.public_names(namespace)
        if namespace == "torch":
            # Bound by loops over the C extension, which no reading of `torch/__init__.py` shows.
            names |= self._of_extension() | self.sources.public_names("torch._C._VariableFunctions")
        return names

    def _of_extension(self) -> set[str]:
        """Functions of the C extension, and the few of its classes that users call."""
        file = self.sources.file("torch._C")
        names = set(file.functions) | EXTENSION_CLASSES if file else set()
        return {name for name in names if not name.startswith("_")}

    def find(self, namespace: str, name: str) -> Found | None:
        """The definition behind a public name."""
        found = self.sources.find(namespace, name)
        if found is None and namespace == "torch":
            found = self.sources.find("torch._C._VariableFunctions", name) or self.sources.find("torch._C", name)
        return found

    def read(self) -> dict[str, Spec]:
        """Public functions and constructors of all namespaces."""
        result: dict[str, Spec] = {}
        for namespace in NAMESPACES:
            for name in self._public(namespace):
                found = self.find(namespace, name)
                spec = self._callable(f"{namespace}.{name}", found) if found else None
                if spec is not None:
                    result[f"{namespace}.{name}"] = spec
        result.update(dict.fromkeys(self.tensor_classes(), TENSOR))
        return result

    def taking_tensor(self, place: int) -> set[str]:
        """Functions written in Python whose argument at a place is annotated as a tensor and nothing else."""
        result = set()
        for namespace in NAMESPACES:
            for name in self._public(namespace):
                found = self.find(namespace, name)
                nodes = found.file.functions.get(found.name, []) if found else []
                taken = [(node.args.posonlyargs + node.args.args)[place : place + 1] for node in nodes]
                if taken and all(one and leaf(one[0].annotation) == "Tensor" for one in taken):
                    result.add(f"{namespace}.{name}")
        return result

    def tensor_classes(self) -> list[str]:
        """The legacy tensor types, the sparse ones and those of ``torch.cuda`` too."""
        file = self.sources.file("torch._C")
        names = [name for name, node in file.classes.items() if "Tensor" in map(leaf, node.bases)] if file else []
        names = [name for name in names if not name.startswith("_")]
        sparse = [f"sparse.{name}" for name in names if name != "BoolTensor"]
        every = [f"{device}{name}" for device in ("", "cuda.") for name in (*names, *sparse)]
        return sorted(["torch.Tensor", *(f"torch.{name}" for name in every)])

    def _callable(self, path: str, found: Found) -> Spec | None:
        """What calling that name returns; None where it cannot be called."""
        file, name = found.file, found.name
        if not file.name.startswith("torch"):
            return None
        if name in file.functions:
            return self._function(path, found)
        if name in file.classes:
            return self._constructor(name, file)
        value = file.values.get(name)
        if isinstance(value, ast.Call):
            return self._bound_by_call(path, found, value)
        return None

    def _function(self, path: str, found: Found) -> Spec:
        nodes = found.file.functions[found.name]
        if any(leaf(one) == "contextmanager" for node in nodes for one in node.decorator_list):
            return "other"
        hand = self._hand(path, found)
        if hand is not None:
            return hand
        spec = combine([self.signatures.read(node, found.file) for node in nodes])
        if spec == "none" and found.file.name == "torch._C._VariableFunctions":
            # Of some operators the stub knows only the variant that writes into `out`.
            spec = self._schema(found.name, path)
        return spec if spec != UNKNOWN else self._fallback(path, found)

    def _hand(self, path: str, found: Found) -> Spec | None:
        """The hand-written entry of that function, under this path or another."""
        for candidate in (path, f"torch.{found.name}"):
            if candidate in HAND_FUNCTIONS and (candidate == path or self._same(candidate, found)):
                return HAND_FUNCTIONS[candidate]
        return None

    def _fallback(self, path: str, found: Found) -> Spec:
        """For a definition without annotations: the stub of the same operator, its schema."""
        stub = self.sources.find("torch._C._VariableFunctions", found.name)
        if stub is not None and found.file.name == "torch.functional" and stub.name in stub.file.functions:
            spec = combine([self.signatures.read(node, stub.file) for node in stub.file.functions[stub.name]])
            if spec != UNKNOWN:
                return spec
        return self._schema(found.name, path)

    def _same(self, path: str, found: Found) -> bool:
        namespace, _, name = path.rpartition(".")
        return self.find(namespace, name) == found

    def _schema(self, name: str, path: str) -> Spec:
        namespace = path.rpartition(".")[0]
        by_name = self.by_name.get(name, []) if namespace not in OTHER_NAMESPACES else []
        operators = self.by_path.get(path) or by_name
        return combine([operator_signature(one) for one in operators])

    def _constructor(self, name: str, file: SourceFile) -> Spec:
        if file.name == "torch._C" and TYPE_NAMES.get(name) in {"size", "generator", "device", "dtype", "limits"}:
            return TYPE_NAMES[name]
        if name.endswith("Storage"):
            return "storage"
        bases = {leaf(base) for base in file.classes[name].bases}
        return TENSOR if bases & {"Tensor", "Parameter"} else "other"

    def _bound_by_call(self, path: str, found: Found, call: ast.Call) -> Spec | None:
        """A function made by a call: ``_add_docstr``, ``boolean_dispatch``, ``_make_deprecate``."""
        maker = leaf(call.func)
        if maker == "boolean_dispatch":
            return combine(self._dispatched(found, call))
        if maker == "_add_docstr":
            inner = leaf(call.args[0])
            operators = self.by_name.get(inner) or self.by_name.get(inner.removeprefix("_")) or []
            spec = combine([operator_signature(one) for one in operators])
            if spec != UNKNOWN:
                return spec
            target = self.sources.find("torch._C._VariableFunctions", inner) or self.sources.find("torch._C._nn", inner)
            return self._callable(path, target) if target else self._documented(call)
        if maker == "_make_deprecate":
            return TENSOR  # `torch.nn.init.uniform` and the like, which call the function with the underscore
        return HAND_FUNCTIONS.get(path)

    def _documented(self, call: ast.Call) -> Spec:
        """The return type that the first line of a docstring states."""
        texts = [part for part in ast.walk(call) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        texts.sort(key=lambda part: (part.lineno, part.col_offset))
        first = str(texts[0].value).strip().splitlines()[0] if texts else ""
        return TENSOR if first.endswith("-> Tensor") else UNKNOWN

    def _dispatched(self, found: Found, call: ast.Call) -> list[Signature]:
        """The two functions between which an argument's truth decides."""
        keywords = {one.arg: one.value for one in call.keywords}
        argument = strings(keywords["arg_name"])[0]
        signatures = []
        for key, truth in (("if_true", True), ("if_false", False)):
            for one in self._branch(found.file, leaf(keywords[key])):
                required = sorted({*one.required, argument} if truth else {*one.required} - {argument})
                one.required = [name for name in [*one.params, *one.keyword_only] if name in required]
                one.when = {argument: truth, **one.when}
                signatures.append(one)
        return signatures

    def _branch(self, file: SourceFile, name: str) -> list[Signature]:
        value = file.values.get(name)
        if isinstance(value, ast.Call) and leaf(value.func) == "boolean_dispatch":
            return self._dispatched(Found(file, name), value)
        return [self.signatures.read(node, file) for node in file.functions.get(name, ())]
