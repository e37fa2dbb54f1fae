"""Write the tables of torch's API that the linter reads at run time.

The tables come from the text of an installed torch: its type stubs, its Python sources, and the operator schemas that
its wheel carries. Nothing of torch is imported or run.

    python scripts/generate_torch_table.py            # write the tables
    python scripts/generate_torch_table.py --check    # exit with 1 where a table differs from what would be written

Written are ``src/regbuf_lint/infer/data/torch_api.json`` (what functions, methods and properties return) and
``src/regbuf_lint/index/data/torch_classes.json`` (which classes are modules, and which names they take).
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import importlib.util
import json
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Json: TypeAlias = "str | bool | list[Json] | dict[str, Json]"
Spec: TypeAlias = "str | dict[str, Json]"
FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

PROJECT = Path(__file__).resolve().parent.parent / "src" / "regbuf_lint"
API_FILE = PROJECT / "infer" / "data" / "torch_api.json"
CLASSES_FILE = PROJECT / "index" / "data" / "torch_classes.json"

# The namespaces whose public functions the API table lists.
NAMESPACES = (
    "torch",
    "torch.autograd",
    "torch.autograd.forward_ad",
    "torch.autograd.functional",
    "torch.cuda",
    "torch.cuda.random",
    "torch.distributed",
    "torch.fft",
    "torch.func",
    "torch.functional",
    "torch.hub",
    "torch.jit",
    "torch.linalg",
    "torch.masked",
    "torch.nested",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.utils.rnn",
    "torch.nn.utils.stateless",
    "torch.random",
    "torch.signal.windows",
    "torch.sparse",
    "torch.special",
    "torch.utils.checkpoint",
    "torch.utils.dlpack",
)

# Last name of an annotation to what a value of that type is.
TYPE_NAMES: dict[str, str] = {
    "Any": "unknown",
    "BoolLikeType": "bool",
    "Device": "other",
    "DType": "dtype",
    "FloatLikeType": "float",
    "Generator": "generator",
    "IntLikeType": "int",
    "LiteralString": "str",
    "NoReturn": "none",
    "Never": "none",
    "None": "none",
    "Number": "number",
    "Parameter": "tensor",
    "Self": "unknown",
    "Size": "size",
    "Storage": "storage",
    "SymBool": "bool",
    "SymFloat": "float",
    "SymInt": "int",
    "Tensor": "tensor",
    "TypeGuard": "bool",
    "TypeIs": "bool",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "_TypeGuard": "bool",
    "_TypeIs": "bool",
    "_Node": "other",
    "_bool": "bool",
    "_complex": "number",
    "_device": "device",
    "_dtype": "dtype",
    "_float": "float",
    "_int": "int",
    "_layout": "other",
    "_qscheme": "other",
    "_size": "size",
    "_str": "str",
    "bool": "bool",
    "complex": "number",
    "device": "device",
    "dtype": "dtype",
    "float": "float",
    "int": "int",
    "layout": "other",
    "memory_format": "other",
    "ndarray": "numpy",
    "object": "unknown",
    "str": "str",
}
SEQUENCES = {"Sequence", "List", "list", "Iterable", "Iterator", "Tuple", "tuple", "set", "Generator"}
NUMBERS = {"int", "float", "bool", "number"}

# Classes of the C extension that users meet as `torch.NAME`.
EXTENSION_CLASSES = {"Event", "Generator", "Size", "Stream", "device", "dtype", "finfo", "iinfo", "layout"}


def _words(text: str) -> list[str]:
    return text.split()


TENSOR: Spec = "tensor"
UNKNOWN: Spec = "unknown"
TENSORS: Spec = {"list": "tensor"}


# What neither annotations, docstrings nor operator schemas tell, or tell wrongly. Each was read in torch's source or
# documentation. A test fails for an entry that has become needless.
HAND_FUNCTIONS: dict[str, Spec] = {
    "torch.autograd.forward_ad.make_dual": TENSOR,
    "torch.autograd.forward_ad.unpack_dual": {
        "tuple": ["tensor", "optional-tensor"],
        "fields": ["primal", "tangent"],
    },
    "torch.autograd.grad": TENSORS,  # a mapping only where `inputs` is one
    "torch.broadcast_shapes": "size",
    "torch.jit.script": "other",
    "torch.nn.utils.parametrizations.weight_norm": "other",
    "torch.nn.utils.skip_init": "other",
    "torch.sym_float": "float",
    "torch.sym_int": "int",
    "torch.sym_not": "bool",
}
HAND_METHODS: dict[str, Spec] = {
    "backward": "none",
    "cdouble": TENSOR,
    "cfloat": TENSOR,
    "const_data_ptr": "int",
    "dim_order": "other",
    "index": TENSOR,
    "ipu": TENSOR,
    "is_shared": "bool",
    "module_load": TENSOR,
    "mtia": TENSOR,
    "new": TENSOR,
    "register_hook": "other",
    "register_post_accumulate_grad_hook": "other",
    "resize": TENSOR,
    "resize_as": TENSOR,
    "share_memory_": TENSOR,
    "storage": "storage",
    "storage_type": "other",
    "to_sparse_coo": TENSOR,
    "tolist": "other",  # a list of numbers, or one number where the tensor has no dimensions
}

HAND_PROPERTIES: dict[str, Spec] = {"is_xla": "bool", "name": "other", "volatile": "bool"}

# Python functions that draw random numbers; for operators the schemas say so.
RANDOM_PYTHON = (
    r"torch\.nn\.init\.(kaiming|normal|orthogonal|sparse|trunc_normal|uniform|xavier)\w*",
    r"torch\.nn\.functional\.(\w*dropout\w*|gumbel_softmax|rrelu_?|fractional_max_pool\w*)",
)
# Whose result has that dtype class whatever the arguments are, `dtype=` and `out=` left aside.
INT_RESULTS = _words(
    "argmax argmin argsort argwhere bincount bucketize count_nonzero nonzero randint randperm searchsorted "
    "tril_indices triu_indices nn.functional.one_hot linalg.matrix_rank ByteTensor CharTensor IntTensor LongTensor "
    "ShortTensor cuda.ByteTensor cuda.CharTensor cuda.IntTensor cuda.LongTensor cuda.ShortTensor byte char int long "
    "short"
)
BOOL_RESULTS = _words(
    "eq ge greater greater_equal gt isclose isfinite isin isinf isnan isneginf isposinf isreal le less less_equal "
    "logical_and logical_not logical_or logical_xor lt ne not_equal signbit BoolTensor cuda.BoolTensor bool"
)
COMPLEX_RESULTS = _words(
    "complex polar view_as_complex cfloat cdouble chalf fft.fft fft.fft2 fft.fftn fft.ifft fft.ifft2 fft.ifftn "
    "fft.rfft fft.rfft2 fft.rfftn fft.ihfft fft.ihfft2 fft.ihfftn linalg.eigvals"
)
# Methods that are no operators, or whose schema is silent, and hand out the memory of their input.
VIEW_METHODS = _words(
    "as_subclass bfloat16 bool byte cdouble cfloat chalf char contiguous cpu cuda detach double float half int long "
    "requires_grad_ short to type type_as unflatten"
)
VIEW_FUNCTIONS = _words(
    "asarray as_tensor atleast_1d atleast_2d atleast_3d broadcast_tensors from_numpy frombuffer from_dlpack meshgrid "
    "split utils.dlpack.from_dlpack"
)
UNINITIALIZED = _words(
    "empty empty_like empty_permuted empty_strided empty_quantized Tensor FloatTensor DoubleTensor HalfTensor "
    "BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor BoolTensor new new_empty new_empty_strided"
)


# ---------------------------------------------------------------------------------------------------------------------
# Reading torch's sources
# ---------------------------------------------------------------------------------------------------------------------


def _leaf(node: ast.expr | None) -> str:
    """The last name of a dotted expression: ``Tensor`` of ``torch.Tensor``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


@dataclass
class Module:
    """The names that one file of torch binds at its top level."""

    name: str
    is_package: bool
    functions: dict[str, list[FunctionNode]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    exported: list[str] = field(default_factory=list)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def fill(self, body: Iterable[ast.stmt]) -> None:
        """Take in the statements of a module, those under ``if`` and ``try`` too."""
        for statement in body:
            self._take(statement)

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._take_function(statement)
            case ast.ClassDef():
                self.classes.setdefault(statement.name, statement)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                self.annotations.setdefault(name, statement.annotation)
                if statement.value is not None:
                    self._bind(statement.target, statement.value)
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                self.exported += _strings(value)
            case _:
                self._take_other(statement)

    def _take_other(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=names):
                self.modules.update({alias.asname: alias.name for alias in names if alias.asname})
            case ast.ImportFrom():
                self._take_import(statement)
            case ast.If() | ast.Try():
                self._take_branches(statement)
            case _:
                pass

    def _take_branches(self, statement: ast.If | ast.Try) -> None:
        self.fill(statement.body)
        for handler in statement.handlers if isinstance(statement, ast.Try) else ():
            self.fill(handler.body)
        self.fill(statement.orelse)

    def _take_function(self, node: FunctionNode) -> None:
        known = self.functions.setdefault(node.name, [])
        if any(_leaf(decorator) == "overload" for decorator in node.decorator_list):
            known.append(node)
        elif not any(one.returns for one in known):
            # The implementation under overloads says less than they do.
            self.functions[node.name] = [node]

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            return
        if target.id == "__all__":
            self.exported = _strings(value)
        else:
            self.values.setdefault(target.id, value)

    def _take_import(self, node: ast.ImportFrom) -> None:
        source = node.module or ""
        if node.level:
            parts = self.package.split(".")
            source = ".".join([*parts[: len(parts) - node.level + 1], *([source] if source else [])])
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(source)
            else:
                self.imports.setdefault(alias.asname or alias.name, (source, alias.name))

    @property
    def own_names(self) -> set[str]:
        """All names that the module binds, star imports left out."""
        return {*self.functions, *self.classes, *self.values, *self.annotations, *self.imports}


def _strings(node: ast.expr) -> list[str]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _parse(path: Path) -> ast.Module:
    text = path.read_text(encoding="utf-8")
    try:
        return ast.parse(text, type_comments="# type: (" in text)
    except SyntaxError:
        # A comment elsewhere that only looks like a type comment.
        return ast.parse(text)


@dataclass(frozen=True)
class Found:
    """Where a name is defined."""

    module: Module
    name: str

    @property
    def path(self) -> str:
        """The dotted path of the definition."""
        return f"{self.module.name}.{self.name}"


class Sources:
    """The files of one installed torch."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, Module | None] = {}
        self._open: set[tuple[str, bool]] = set()

    def module(self, name: str) -> Module | None:
        """The module of that dotted name: its stub, completed by its source."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        base = self.root.parent.joinpath(*name.split("."))
        init = base / "__init__"
        is_package = any(init.with_suffix(suffix).is_file() for suffix in (".py", ".pyi"))
        stem = init if is_package else base
        files = [path for suffix in (".pyi", ".py") if (path := stem.parent / f"{stem.name}{suffix}").is_file()]
        if not files:
            return None
        module = Module(name, is_package)
        for path in files:
            part = Module(name, is_package)
            part.fill(_parse(path).body)
            _merge(module, part)
        return module

    def find(self, module_name: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Found | None:
        """Follow imports until the definition of a name."""
        module = self.module(module_name)
        if module is None or (module_name, name) in seen:
            return None
        seen |= {(module_name, name)}
        if name in module.functions or name in module.classes:
            return Found(module, name)
        if name in module.imports:
            return self.find(*module.imports[name], seen)
        if name in module.values or name in module.annotations:
            return Found(module, name)
        for star in module.stars:
            found = self.find(star, name, seen) if name in self.star_names(star) else None
            if found is not None:
                return found
        return None

    def star_names(self, module_name: str) -> set[str]:
        """The names that ``from module import *`` binds."""
        module = self.module(module_name)
        if module is None:
            return set()
        return set(module.exported) if module.exported else self.public_names(module_name, imported=True)

    def public_names(self, module_name: str, *, imported: bool = False) -> set[str]:
        """The public names of a module; of those it only imports, the ones it passes on, or all."""
        module = self.module(module_name)
        if module is None or (module_name, imported) in self._open:
            return set()
        self._open.add((module_name, imported))  # ends a cycle of star imports
        names = module.own_names - module.imports.keys() | set(module.exported)
        home = f"{module.name}."
        names |= {name for name, (source, _) in module.imports.items() if imported or f"{source}.".startswith(home)}
        for star in module.stars:
            names |= self.star_names(star)
        self._open.discard((module_name, imported))
        return {name for name in names if not name.startswith("_")}

    def all_modules(self) -> Iterator[Module]:
        """Every module of torch whose classes a user may meet."""
        # Compilers, test suites and vendored code: large, and no user derives from their classes.
        skipped = {"_inductor", "_dynamo", "_vendor", "testing", "_functorch", "_export", "lib", "bin"}
        for path in sorted(self.root.rglob("*.py")):
            parts = path.relative_to(self.root.parent).with_suffix("").parts
            if skipped.isdisjoint(parts):
                module = self.module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
                if module is not None:
                    yield module


def _merge(module: Module, part: Module) -> None:
    """Add what a source file has and the stub before it lacks."""
    for name, overloads in part.functions.items():
        known = module.functions.get(name)
        if known is None or not any(one.returns for one in known):
            module.functions[name] = overloads
    module.classes = part.classes | module.classes
    module.values = part.values | module.values
    module.annotations = part.annotations | module.annotations
    module.imports = part.imports | module.imports
    module.modules = part.modules | module.modules
    module.stars += part.stars
    module.exported += part.exported


# ---------------------------------------------------------------------------------------------------------------------
# Operator schemas: native_functions.yaml, which torch's wheel carries for its code generator
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operator:
    """One ``- func:`` entry."""

    name: str
    overload: str
    arguments: tuple[str, ...]
    returns: str
    is_method: bool
    is_function: bool
    namespace: str
    is_random: bool

    @property
    def is_view(self) -> bool:
        """Whether a result may share memory with the input that it does not change."""
        return bool(re.search(r"\(a[^)!]*\)", self.returns)) and not self.name.endswith("_")

    @property
    def is_out(self) -> bool:
        """Whether this is the variant that writes into ``out``."""
        return any("!" in argument and " out" in argument for argument in self.arguments) or "out" in self.overload

    @property
    def path(self) -> str:
        """Where users call it as a function."""
        space = {"": "torch", "nn": "torch.nn.functional"}.get(self.namespace, f"torch.{self.namespace}")
        return f"{space}.{self.name.removeprefix(f'{self.namespace}_')}"

    def spec(self) -> Spec:
        """What it returns."""
        text = self.returns.strip()
        if text == "()":
            return "none"
        if not text.startswith("("):
            return _schema_type(text)[0]
        items = [_schema_type(part) for part in _split(text[1:-1])]
        result: dict[str, Json] = {"tuple": [spec for spec, _ in items]}
        names = [name for _, name in items]
        if all(names):
            result["fields"] = list[Json](names)
        return result


def _schema_type(text: str) -> tuple[Spec, str]:
    kind, _, name = re.sub(r"\([^)]*\)", "", text).strip().partition(" ")
    if kind.endswith("[]"):
        return {"list": _schema_type(kind[:-2])[0]}, name
    names = {"Tensor": "tensor", "int": "int", "SymInt": "int", "float": "float", "bool": "bool", "Scalar": "number"}
    return names.get(kind, "dtype" if kind == "ScalarType" else "unknown"), name


def _split(text: str) -> list[str]:
    """Split at the commas that stand in no bracket."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def read_operators(path: Path) -> list[Operator]:
    """Read the operator schemas."""
    operators = []
    for entry in re.split(r"(?m)^- func: ", path.read_text(encoding="utf-8"))[1:]:
        head, _, rest = entry.partition("\n")
        matched = re.match(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.*)", head)
        if matched is None:
            continue
        attributes = dict(re.findall(r"(?m)^  (variants|python_module|tags): *(.*?) *(?:#.*)?$", rest))
        variants = attributes.get("variants", "function")
        operators.append(
            Operator(
                name=matched[1],
                overload=matched[2] or "",
                arguments=tuple(_split(matched[3])),
                returns=matched[4],
                is_method="method" in variants,
                is_function="function" in variants,
                namespace=attributes.get("python_module", ""),
                is_random="nondeterministic_seeded" in attributes.get("tags", ""),
            )
        )
    return operators


# ---------------------------------------------------------------------------------------------------------------------
# From annotations to what a value is
# ---------------------------------------------------------------------------------------------------------------------


def _has_tensor(spec: Json) -> bool:
    """Whether a value so described is, holds, or may be a tensor."""
    if isinstance(spec, str):
        return spec in {"tensor", "optional-tensor", "unknown"}
    if isinstance(spec, list):
        return any(map(_has_tensor, spec))
    return isinstance(spec, dict) and any(_has_tensor(value) for key, value in spec.items() if key != "fields")


def _union(specs: Sequence[Spec]) -> Spec:
    different = [spec for index, spec in enumerate(specs) if spec not in specs[:index]]
    if len(different) == 1:
        return different[0]
    if sorted(map(str, different)) == ["none", "tensor"]:
        return "optional-tensor"
    if any(map(_has_tensor, different)):
        return UNKNOWN
    return "number" if all(isinstance(spec, str) and spec in NUMBERS for spec in different) else "other"


class Annotations:
    """Reads return annotations in the module that holds them."""

    DEEPEST = 12  # a type alias may name itself

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def spec(self, node: ast.expr | None, module: Module, depth: int = 0) -> Spec:
        """What a value of the annotated type is."""
        result: Spec = UNKNOWN
        if node is None or depth > self.DEEPEST:
            return result
        match node:
            case ast.Constant(value=None):
                result = "none"
            case ast.Constant(value=str() as text):
                result = self.spec(ast.parse(text.strip(), mode="eval").body, module, depth + 1)
            case ast.BinOp():
                result = _union([self.spec(part, module, depth + 1) for part in _alternatives(node)])
            case ast.Subscript():
                result = self._subscript(node, module, depth + 1)
            case ast.Name() | ast.Attribute():
                result = self._name(node, module, depth + 1)
        return result

    def _subscript(self, node: ast.Subscript, module: Module, depth: int) -> Spec:
        head = _leaf(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        result: Spec = "other"
        if head == "Literal":
            result = _union([_literal(item) for item in items])
        elif head in {"Optional", "Union"}:
            inner = [self.spec(item, module, depth) for item in items]
            result = _union([*inner, "none"] if head == "Optional" else inner)
        elif head in {"Annotated", "Final", "ClassVar"}:
            result = self.spec(items[0], module, depth)
        elif head in {"tuple", "Tuple"} and not _is_ellipsis(items[-1]):
            result = {"tuple": [self.spec(item, module, depth) for item in items]}
        elif head in SEQUENCES:
            result = {"list": self.spec(items[0], module, depth)}
        elif head in {"dict", "Dict", "Mapping", "OrderedDict"}:
            result = UNKNOWN if _has_tensor(self.spec(items[-1], module, depth)) else "other"
        elif head not in {"Callable", "_Callable", "type", "Type"}:
            result = self._name(node.value, module, depth)
        return result

    def _name(self, node: ast.expr, module: Module, depth: int) -> Spec:
        name = _leaf(node)
        if "return_types." in _dotted(node):
            return self._named_tuple(name)
        if name in TYPE_NAMES or name in {"tuple", "list", "Tuple", "List", "Sequence", "dict"}:
            return TYPE_NAMES.get(name, UNKNOWN)
        found = self.sources.find(module.name, name) if isinstance(node, ast.Name) else None
        if found is None:
            return "other" if name[:1].isupper() or name.startswith("_") else UNKNOWN
        if found.name in found.module.classes:
            return TENSOR if "Tensor" in map(_leaf, found.module.classes[found.name].bases) else "other"
        return self._alias(found, depth)

    def _alias(self, found: Found, depth: int) -> Spec:
        """What a type alias or a type variable stands for."""
        value = found.module.values.get(found.name)
        if isinstance(value, ast.Call) and _leaf(value.func).endswith(("TypeVar", "ParamSpec")):
            value = next((one.value for one in value.keywords if one.arg == "bound"), None)
        return self.spec(value, found.module, depth)

    def _named_tuple(self, name: str) -> Spec:
        module = self.sources.module("torch.return_types")
        node = module.classes[name] if module else None
        if module is None or node is None:
            return UNKNOWN
        spec = self.spec(node.bases[0], module)
        fields: list[Json] = [
            item.name
            for item in node.body
            if isinstance(item, ast.FunctionDef) and any(_leaf(one) == "property" for one in item.decorator_list)
        ]
        return {**spec, "fields": fields} if isinstance(spec, dict) else spec


def _alternatives(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _literal(node: ast.expr) -> Spec:
    if isinstance(node, ast.Constant):
        return {"bool": "bool", "str": "str", "int": "int", "NoneType": "none"}.get(type(node.value).__name__, "other")
    return "other"


# ---------------------------------------------------------------------------------------------------------------------
# Signatures
# ---------------------------------------------------------------------------------------------------------------------


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
    if all(_is_tensor_sequence(part) for part in _alternatives(node)):
        return "list"
    names = {_leaf(part) for part in _alternatives(node)} - {"", "None"}
    kinds = {TYPE_NAMES.get(name) for name in names}
    parts = [part for part in _alternatives(node) if not (isinstance(part, ast.Constant) and part.value is None)]
    if len(kinds) != 1 or any(not _leaf(part) for part in parts):
        return None
    kind = kinds.pop()
    return None if kind == "unknown" else kind


def _is_tensor_sequence(node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript) or _leaf(node.value) not in SEQUENCES:
        return False
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
    return _leaf(first) == "Tensor"


class Signatures:
    """Reads the signatures of stubs and sources."""

    def __init__(self, annotations: Annotations) -> None:
        self.annotations = annotations

    def read(self, node: FunctionNode, module: Module, *, drop_self: bool = False) -> Signature:
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
            params=[_plain(name) for name in params],
            keyword_only=[one.arg for one in arguments.kwonlyargs],
            required=[_plain(one.arg) for one in needed],
            types={_plain(one.arg): kind for one in every if (kind := _argument_kind(one.annotation))},
            when={one.arg: value for one in every if (value := _flag(one.annotation)) is not None},
            returns=self._returns(node, module),
        )

    def _returns(self, node: FunctionNode, module: Module) -> Spec:
        if node.returns is not None:
            return self.annotations.spec(node.returns, module)
        comment = node.type_comment
        if comment and "->" in comment:
            text = comment.rpartition("->")[2].strip()
            return self.annotations.spec(ast.parse(text, mode="eval").body, module)
        return "none" if _is_procedure(node) else UNKNOWN


def _plain(name: str) -> str:
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
    if isinstance(node, ast.Subscript) and _leaf(node.value) == "Literal" and isinstance(node.slice, ast.Constant):
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
# The API table
# ---------------------------------------------------------------------------------------------------------------------


class Api:
    """Builds the table of what torch's functions, methods and properties return."""

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
        module = self.sources.module("torch._C")
        names = set(module.functions) | EXTENSION_CLASSES if module else set()
        return {name for name in names if not name.startswith("_")}

    def find(self, namespace: str, name: str) -> Found | None:
        """The definition behind a public name."""
        found = self.sources.find(namespace, name)
        if found is None and namespace == "torch":
            found = self.sources.find("torch._C._VariableFunctions", name) or self.sources.find("torch._C", name)
        return found

    # -- functions ----------------------------------------------------------------------------------------------------

    def functions(self) -> dict[str, Spec]:
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

    def tensor_classes(self) -> list[str]:
        """The legacy tensor types, ``torch.cuda`` ones too."""
        module = self.sources.module("torch._C")
        names = [name for name, node in module.classes.items() if "Tensor" in map(_leaf, node.bases)] if module else []
        names = [name for name in names if not name.startswith("_")]
        return sorted(["torch.Tensor", *(f"torch.{name}" for name in names), *(f"torch.cuda.{name}" for name in names)])

    def _callable(self, path: str, found: Found) -> Spec | None:
        """What calling that name returns; None where it cannot be called."""
        module, name = found.module, found.name
        if not module.name.startswith("torch"):
            return None
        if name in module.functions:
            return self._function(path, found)
        if name in module.classes:
            return self._constructor(name, module)
        value = module.values.get(name)
        if isinstance(value, ast.Call):
            return self._bound_by_call(path, found, value)
        return None

    def _function(self, path: str, found: Found) -> Spec:
        nodes = found.module.functions[found.name]
        if any(_leaf(one) == "contextmanager" for node in nodes for one in node.decorator_list):
            return "other"
        hand = self._hand(path, found)
        if hand is not None:
            return hand
        spec = combine([self.signatures.read(node, found.module) for node in nodes])
        if spec == "none" and found.module.name == "torch._C._VariableFunctions":
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
        if stub is not None and found.module.name == "torch.functional" and stub.name in stub.module.functions:
            spec = combine([self.signatures.read(node, stub.module) for node in stub.module.functions[stub.name]])
            if spec != UNKNOWN:
                return spec
        return self._schema(found.name, path)

    def _same(self, path: str, found: Found) -> bool:
        namespace, _, name = path.rpartition(".")
        return self.find(namespace, name) == found

    def _schema(self, name: str, path: str) -> Spec:
        operators = self.by_path.get(path) or self.by_name.get(name) or []
        return combine([_operator_signature(one) for one in operators])

    def _constructor(self, name: str, module: Module) -> Spec:
        if module.name == "torch._C" and TYPE_NAMES.get(name) in {"size", "generator", "device", "dtype"}:
            return TYPE_NAMES[name]
        if name.endswith("Storage"):
            return "storage"
        bases = {_leaf(base) for base in module.classes[name].bases}
        return TENSOR if bases & {"Tensor", "Parameter"} else "other"

    def _bound_by_call(self, path: str, found: Found, call: ast.Call) -> Spec | None:
        """A function made by a call: ``_add_docstr``, ``boolean_dispatch``, ``_make_deprecate``."""
        maker = _leaf(call.func)
        if maker == "boolean_dispatch":
            return combine(self._dispatched(found, call))
        if maker == "_add_docstr":
            inner = _leaf(call.args[0])
            operators = self.by_name.get(inner) or self.by_name.get(inner.removeprefix("_")) or []
            spec = combine([_operator_signature(one) for one in operators])
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
        argument = _strings(keywords["arg_name"])[0]
        signatures = []
        for key, truth in (("if_true", True), ("if_false", False)):
            for one in self._branch(found.module, _leaf(keywords[key])):
                required = sorted({*one.required, argument} if truth else {*one.required} - {argument})
                one.required = [name for name in [*one.params, *one.keyword_only] if name in required]
                one.when = {argument: truth, **one.when}
                signatures.append(one)
        return signatures

    def _branch(self, module: Module, name: str) -> list[Signature]:
        value = module.values.get(name)
        if isinstance(value, ast.Call) and _leaf(value.func) == "boolean_dispatch":
            return self._dispatched(Found(module, name), value)
        return [self.signatures.read(node, module) for node in module.functions.get(name, ())]

    # -- methods and properties ---------------------------------------------------------------------------------------

    @cached_property
    def _tensor_base(self) -> tuple[Module, ast.ClassDef]:
        module = self.sources.module("torch._C")
        if module is None:
            raise FileNotFoundError(self.sources.root / "_C" / "__init__.pyi")
        return module, module.classes["TensorBase"]

    @cached_property
    def _tensor(self) -> tuple[Module, ast.ClassDef]:
        module = self.sources.module("torch._tensor")
        if module is None:
            raise FileNotFoundError(self.sources.root / "_tensor.py")
        return module, module.classes["Tensor"]

    def methods(self) -> dict[str, Spec]:
        """Methods of a tensor, those with two underscores left out."""
        module, node = self._tensor_base
        result = self._methods_of(node, module)
        module, node = self._tensor
        for name, spec in self._methods_of(node, module).items():
            # Where Python overrides a method without annotations the stub still knows its type.
            if spec != UNKNOWN or result.get(name, UNKNOWN) == UNKNOWN:
                result[name] = spec
        functions = self.functions_of_torch
        for name, spec in result.items():
            if spec == UNKNOWN:
                result[name] = _as_method(functions.get(f"torch.{name}", UNKNOWN))
        return result | HAND_METHODS

    @cached_property
    def functions_of_torch(self) -> dict[str, Spec]:
        """The functions, kept for the methods that only call them."""
        return self.functions()

    def _methods_of(self, node: ast.ClassDef, module: Module) -> dict[str, Spec]:
        holder = Module(module.name, is_package=module.is_package)
        holder.fill(node.body)
        result = {}
        for name, nodes in holder.functions.items():
            decorators = {_leaf(one) for one in nodes[0].decorator_list}
            if name.startswith("_") or decorators & {"property", "classmethod_property"}:
                continue
            signatures = [self.signatures.read(one, module, drop_self=True) for one in nodes]
            result[name] = combine(signatures)
        return result

    def properties(self) -> dict[str, Spec]:
        """Attributes and properties of a tensor."""
        result: dict[str, Spec] = {}
        for module, node in (self._tensor_base, self._tensor):
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    result[item.target.id] = self.annotations.spec(item.annotation, module)
                elif isinstance(item, ast.FunctionDef) and "property" in map(_leaf, item.decorator_list):
                    result[item.name] = self.annotations.spec(item.returns, module)
        # What a gradient function, hooks and the like are is no tensor.
        return {name: spec for name, spec in result.items() if not name.startswith("_")} | HAND_PROPERTIES

    def generator_methods(self) -> dict[str, Spec]:
        """Methods of ``torch.Generator``; its ``get_state`` gives a tensor that must stay on the CPU."""
        module = self._tensor_base[0]
        return self._methods_of(module.classes["Generator"], module)

    # -- traits -------------------------------------------------------------------------------------------------------

    def traits(self, functions: Iterable[str], methods: Iterable[str]) -> dict[str, list[str]]:
        """Lists of names with further facts."""
        functions, methods = set(functions), set(methods)
        random = {operator.path for operator in self.operators if operator.is_random and operator.is_function}
        random |= {name for name in functions if any(re.fullmatch(pattern, name) for pattern in RANDOM_PYTHON)}
        views = {operator.path for operator in self.operators if operator.is_view and operator.is_function}
        result = {
            "random_functions": random & functions,
            "random_methods": {one.name for one in self.operators if one.is_random and one.is_method} & methods,
            "view_functions": (views | _with_prefix(VIEW_FUNCTIONS)) & functions,
            "view_methods": ({one.name for one in self.operators if one.is_view and one.is_method} & methods)
            | (set(VIEW_METHODS) & methods),
            "view_properties": {"H", "T", "data", "imag", "mH", "mT", "real"},
            "in_place_functions": {name for name in functions if name.endswith("_")},
            "in_place_methods": {name for name in methods if name.endswith("_")},
        }
        for key, names in (
            ("int", INT_RESULTS),
            ("bool", BOOL_RESULTS),
            ("complex", COMPLEX_RESULTS),
            ("uninitialized", UNINITIALIZED),
        ):
            result[f"{key}_functions"] = _with_prefix(names) & functions
            result[f"{key}_methods"] = set(names) & methods
        return {key: sorted(names) for key, names in result.items()}

    def constants(self) -> dict[str, str]:
        """Names of torch that are neither functions, classes nor modules."""
        module = self._tensor_base[0]
        result = {"torch.e": "float", "torch.inf": "float", "torch.nan": "float", "torch.pi": "float"}
        result |= {"torch.newaxis": "none", "torch.__version__": "str", "torch.cuda.default_generators": "other"}
        for name, annotation in module.annotations.items():
            spec = self.annotations.spec(annotation, module)
            if isinstance(spec, str) and not name.startswith("_") and _leaf(annotation) != "TypeAlias":
                result[f"torch.{name}"] = spec
        # Made by the extension without a line in its stub.
        result |= {f"torch.{sign}int{bits}": "dtype" for sign in ("", "u") for bits in range(1, 8)}
        result["torch.bit"] = "dtype"
        return result


def _as_method(spec: Spec) -> Spec:
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


def _with_prefix(names: Iterable[str]) -> set[str]:
    return {f"torch.{name}" for name in names}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _operator_signature(operator: Operator) -> Signature:
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
        name = _plain(name)
        target.append(name)
        spec = "list" if kind == "Tensor[]" else _schema_type(kind.rstrip("?"))[0]
        if isinstance(spec, str) and spec != "unknown":
            types[name] = spec
        if not default:
            required.append(name)
    return Signature(params, keyword_only, required, types, {}, operator.spec())


# ---------------------------------------------------------------------------------------------------------------------
# The class table
# ---------------------------------------------------------------------------------------------------------------------


class Classes:
    """Finds torch's classes, their bases, and the names that its modules take."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.found = {
            f"{module.name}.{name}": Found(module, name)
            for module in sources.all_modules()
            for name in module.classes
            if self.sources.find(module.name, name) == Found(module, name)
        }

    def bases(self, path: str) -> list[str]:
        """The bases of a class, by the path of their definition where it lies in torch."""
        found = self.found[path]
        result = []
        for base in found.module.classes[found.name].bases:
            node = base.value if isinstance(base, ast.Subscript) else base  # Generic[T]
            dotted = _dotted(node)
            if dotted:
                result.append(self.resolve(found.module, dotted))
        return result

    def resolve(self, module: Module, dotted: str) -> str:
        """The path of the class that an expression in a module names."""
        head, _, rest = dotted.partition(".")
        if not rest:
            found = self.sources.find(module.name, head)
            found = self._assigned(found) if found else None
            return found.path if found else dotted
        if head in module.modules:
            return self._within(f"{module.modules[head]}.{rest}")
        if head in module.imports:
            source, name = module.imports[head]
            return self._within(f"{source}.{name}.{rest}")
        return self._within(dotted)

    def _assigned(self, found: Found) -> Found:
        """Through ``Name = other.Name``."""
        value = found.module.values.get(found.name)
        if value is None or found.name in found.module.classes or not _leaf(value):
            return found
        path = self.resolve(found.module, _dotted(value)) if _dotted(value) != found.name else ""
        return self.found.get(path, found) if hasattr(self, "found") else found

    def _within(self, dotted: str) -> str:
        source, _, name = dotted.rpartition(".")
        found = self.sources.find(source, name)
        return self._assigned(found).path if found else dotted

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """The bases of every class."""
        return {path: self.bases(path) for path in self.found}

    def derived(self, root: str) -> set[str]:
        """A class and all that derive from it."""
        result = {root}
        grown = True
        while grown:
            more = {path for path, bases in self.lines.items() if path not in result and result & {*bases}}
            result |= more
            grown = bool(more)
        return result

    def aliases(self) -> dict[str, str]:
        """Public paths under which a class is importable beside that of its definition."""
        result: dict[str, str] = {}
        for module in self.sources.all_modules():
            if _is_private(module.name):
                continue
            for name in self._offered(module):
                found = self.sources.find(module.name, name)
                if found is not None and found.module is not module and found.path in self.found:
                    result[f"{module.name}.{name}"] = found.path
        return result

    def _offered(self, module: Module) -> set[str]:
        names = self.sources.public_names(module.name, imported=module.name.startswith("torch.nn."))
        if module.name.startswith("torch.nn."):
            names |= {name for name in module.imports if _is_class_name(name)}
        if module.is_package:
            names |= {name for name in module.imports if not name.startswith("_")}
        return names

    # -- what a module class takes ------------------------------------------------------------------------------------

    def entry(self, path: str) -> dict[str, Json]:
        """The names that one module class defines itself."""
        found = self.found[path]
        members = Members()
        members.read(found.module.classes[found.name])
        entry: dict[str, Json] = {"bases": list[Json](self.lines[path])}
        if members.forward is not None:
            entry["forward"] = members.forward
        for key, names in (
            ("attributes", members.attributes - members.parameters - members.buffers),
            ("buffers", members.buffers),
            ("parameters", members.parameters),
        ):
            if names:
                entry[key] = list[Json](sorted(names))
        return entry


def _is_class_name(name: str) -> bool:
    return bool(re.fullmatch(r"_?[A-Z]\w*", name))


def _is_private(path: str) -> bool:
    """Whether a dotted path leads through a private package."""
    return any(part.startswith("_") for part in path.split("."))


def _is_listed(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return not _is_private(module) and (not name.startswith("_") or path.startswith("torch.nn.modules."))


class Members:
    """The names that a class body gives its instances."""

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.parameters: set[str] = set()
        self.buffers: set[str] = set()
        self.forward: str | None = None

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
                self.forward = "tensor" if item.returns is not None and _leaf(item.returns) == "Tensor" else "other"
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.args.args:
                self._method(item, item.args.args[0].arg)
        self.attributes = {name for name in self.attributes if not re.fullmatch(r"__\w+__", name)}

    def _annotated(self, name: str, item: ast.AnnAssign) -> None:
        if item.value is not None:
            self.attributes.add(name)
        elif "Parameter" in map(_leaf, _alternatives(item.annotation)):
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
            maker = _leaf(value.func) if isinstance(value, ast.Call) else ""
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


def classes_table(sources: Sources, version: str) -> dict[str, Json]:
    """The whole class table."""
    classes = Classes(sources)
    modules = classes.derived("torch.nn.modules.module.Module")
    distributions = classes.derived("torch.distributions.distribution.Distribution")
    aliases = classes.aliases()
    # A class with a private path stays where a public name leads to it, or where a module class builds on it.
    kept = {path for path in modules if _is_listed(path)} | (modules & set(aliases.values()))
    for path in sorted(kept):
        kept |= _ancestors(path, classes.lines) & modules
    others = {path: path for path in classes.found if _is_listed(path)} | aliases
    return {
        "torch": version,
        "module_classes": {path: classes.entry(path) for path in sorted(kept)},
        "aliases": {path: home for path, home in sorted(aliases.items()) if home in kept},
        "distributions": list[Json](
            sorted(path for path, home in others.items() if home in distributions and _is_listed(path))
        ),
        "other_classes": list[Json](
            sorted(
                {path for path, home in others.items() if home not in modules | distributions}
                | {f"torch.{name}" for name in EXTENSION_CLASSES}
            )
        ),
    }


def _ancestors(path: str, lines: dict[str, list[str]]) -> set[str]:
    result: set[str] = set()
    pending = [path]
    while pending:
        for base in lines.get(pending.pop(), ()):
            if base not in result:
                result.add(base)
                pending.append(base)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Command line
# ---------------------------------------------------------------------------------------------------------------------


def torch_root() -> Path:
    """The folder of the installed torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        sys.exit("torch is not installed")
    return Path(spec.origin).parent


def api_table(sources: Sources, version: str) -> dict[str, Json]:
    """The whole API table."""
    operators = read_operators(
        sources.root.parent / "torchgen" / "packaged" / "ATen" / "native" / "native_functions.yaml"
    )
    api = Api(sources, operators)
    functions, methods = api.functions_of_torch, api.methods()
    return {
        "torch": version,
        "functions": dict(functions),
        "methods": dict(methods),
        "properties": dict(api.properties()),
        "constants": dict(api.constants()),
        "generator_methods": dict(api.generator_methods()),
        "traits": {key: list[Json](names) for key, names in api.traits(functions, methods).items()},
    }


def render(table: Json) -> str:
    """Sorted JSON with one short entry a line."""
    text = json.dumps(table, indent=1, sort_keys=True)
    return text + "\n"


def tables() -> dict[Path, str]:
    """The text of each table, made from the installed torch."""
    sources = Sources(torch_root())
    version = importlib.metadata.version("torch").partition("+")[0]
    return {
        API_FILE: render(api_table(sources, version)),
        CLASSES_FILE: render(classes_table(sources, version)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or compare them."""
    parser = argparse.ArgumentParser(description="Write the tables of torch's API that the linter reads.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit with 1 on a difference")
    check = parser.parse_args(arguments).check
    differs = False
    for path, text in tables().items():
        if check:
            same = path.is_file() and path.read_text(encoding="utf-8") == text
            differs |= not same
            print(f"{path.name}: {'up to date' if same else 'differs'}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
