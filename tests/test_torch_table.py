from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import json
import random
import subprocess
import sys
import warnings
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import regbuf_lint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE = Path(regbuf_lint.__file__).parent
SCRIPT = Path(__file__).parent.parent / "scripts" / "generate_torch_table.py"
API: dict[str, Any] = json.loads((PACKAGE / "infer" / "data" / "torch_api.json").read_text(encoding="utf-8"))
CLASSES: dict[str, Any] = json.loads((PACKAGE / "index" / "data" / "torch_classes.json").read_text(encoding="utf-8"))
KINDS = {
    *("tensor", "optional-tensor", "int", "float", "bool", "str", "number", "none", "dtype", "device", "size"),
    *("generator", "storage", "numpy", "other", "unknown"),
}
UV = {"tuple": ["tensor", "tensor"]}


def installed_version() -> str | None:
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


needs_that_torch = pytest.mark.skipif(installed_version() != API["torch"], reason="another torch than the table's")


# ---- the form of the table ------------------------------------------------------------------------------------------


def check_spec(spec: Any) -> None:
    if isinstance(spec, str):
        assert spec in KINDS
    elif "list" in spec:
        assert set(spec) == {"list"}
        check_spec(spec["list"])
    else:
        assert set(spec) <= {"tuple", "fields"}
        assert len(spec.get("fields", spec["tuple"])) == len(spec["tuple"])
        for item in spec["tuple"]:
            check_spec(item)


def check_overload(overload: Any) -> None:
    assert set(overload) <= {"params", "keyword_only", "required", "types", "when", "returns"}
    names = {*overload["params"], *overload.get("keyword_only", ())}
    assert names >= set(overload["required"])
    assert names >= overload.get("types", {}).keys()
    assert names >= overload.get("when", {}).keys()
    check_spec(overload["returns"])


@pytest.mark.parametrize("section", ["functions", "methods", "properties", "constants", "generator_methods"])
def test_every_return_is_well_formed(section: str) -> None:
    assert API[section]
    for returns in API[section].values():
        if isinstance(returns, dict) and "overloads" in returns:
            assert len(returns["overloads"]) > 1
            for overload in returns["overloads"]:
                check_overload(overload)
        else:
            check_spec(returns)


def test_overloads_are_there_only_where_results_differ() -> None:
    for section in ("functions", "methods"):
        for name, returns in API[section].items():
            if isinstance(returns, dict) and "overloads" in returns:
                results = [json.dumps(one["returns"], sort_keys=True) for one in returns["overloads"]]
                assert len(set(results)) > 1, name


def test_traits_name_only_what_the_table_has() -> None:
    for key, names in API["traits"].items():
        section = {"functions": "functions", "methods": "methods", "properties": "properties"}[key.rpartition("_")[2]]
        assert names, key
        assert set(names) <= API[section].keys(), key


# ---- what the table says --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.Tensor", "tensor"),
        ("torch.LongTensor", "tensor"),
        ("torch.cuda.FloatTensor", "tensor"),
        ("torch.Size", "size"),
        ("torch.device", "device"),
        ("torch.Generator", "generator"),
        ("torch.finfo", "other"),
        ("torch.is_tensor", "bool"),
        ("torch.typename", "str"),
        ("torch.numel", "int"),
        ("torch.from_numpy", "tensor"),
        ("torch.as_tensor", "tensor"),
        ("torch.tensor", "tensor"),
        ("torch.arange", "tensor"),
        ("torch.einsum", "tensor"),
        ("torch.stft", "tensor"),
        ("torch.norm", "tensor"),
        ("torch.get_rng_state", "tensor"),
        ("torch.random.get_rng_state", "tensor"),
        ("torch.load", "unknown"),
        ("torch.compile", "other"),
        ("torch.broadcast_shapes", "size"),
        ("torch.result_type", "dtype"),
        ("torch.split", {"list": "tensor"}),
        ("torch.chunk", {"list": "tensor"}),
        ("torch.unbind", {"list": "tensor"}),
        ("torch.meshgrid", {"list": "tensor"}),
        ("torch.broadcast_tensors", {"list": "tensor"}),
        ("torch.autograd.grad", {"list": "tensor"}),
        ("torch.std_mean", UV),
        ("torch.lu_unpack", {"tuple": ["tensor"] * 3, "fields": ["P", "L", "U"]}),
        ("torch.svd", {"tuple": ["tensor"] * 3, "fields": ["U", "S", "V"]}),
        ("torch.linalg.svd", {"tuple": ["tensor"] * 3, "fields": ["U", "S", "Vh"]}),
        ("torch.linalg.eigh", {**UV, "fields": ["eigenvalues", "eigenvectors"]}),
        ("torch.linalg.inv", "tensor"),
        ("torch.topk", {**UV, "fields": ["values", "indices"]}),
        ("torch.histogram", {**UV, "fields": ["hist", "bin_edges"]}),
        ("torch.nn.functional.one_hot", "tensor"),
        ("torch.nn.functional.gelu", "tensor"),
        ("torch.nn.functional.pad", "tensor"),
        ("torch.nn.functional.multi_head_attention_forward", {"tuple": ["tensor", "optional-tensor"]}),
        ("torch.nn.init.xavier_uniform_", "tensor"),
        ("torch.nn.init.calculate_gain", "float"),
        ("torch.nn.utils.parameters_to_vector", "tensor"),
        ("torch.nn.utils.rnn.pad_sequence", "tensor"),
        ("torch.nn.utils.clip_grad_norm_", "tensor"),
        ("torch.fft.fft", "tensor"),
        ("torch.special.erf", "tensor"),
        ("torch.sparse.mm", "tensor"),
        ("torch.signal.windows.hann", "tensor"),
        ("torch.cuda.is_available", "bool"),
        ("torch.cuda.device_count", "int"),
    ],
)
def test_function(name: str, expected: Any) -> None:
    assert API["functions"][name] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clone", "tensor"),
        ("item", "number"),
        ("tolist", "other"),
        ("numpy", "numpy"),
        ("numel", "int"),
        ("split", {"list": "tensor"}),
        ("backward", "none"),
        ("is_shared", "bool"),
        ("share_memory_", "tensor"),
        ("masked_fill", "tensor"),
        ("norm", "tensor"),
        ("sort", {**UV, "fields": ["values", "indices"]}),
    ],
)
def test_method(name: str, expected: Any) -> None:
    assert API["methods"][name] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("shape", "size"), ("T", "tensor"), ("grad", "optional-tensor"), ("device", "device"), ("ndim", "int")],
)
def test_property(name: str, expected: str) -> None:
    assert API["properties"][name] == expected


def test_constants() -> None:
    constants = API["constants"]
    assert constants["torch.float32"] == constants["torch.bool"] == "dtype"
    assert constants["torch.pi"] == "float"
    assert constants["torch.contiguous_format"] == "other"


def returns_of(section: str, name: str, *given: str, **flags: bool) -> Any:
    """The result of a call with positional arguments of those kinds and those flags, read as a linter would."""
    for overload in API[section][name]["overloads"]:
        positional = overload["params"][: len(given)]
        fits = len(positional) == len(given)
        fits &= all(
            overload.get("types", {}).get(one, kind) == kind for one, kind in zip(positional, given, strict=False)
        )
        fits &= set(overload["required"]) <= {*positional, *flags}
        fits &= {*flags} <= {*overload["params"], *overload.get("keyword_only", ())}
        fits &= all(flags.get(key, value) == value for key, value in overload.get("when", {}).items())
        if fits:
            return overload["returns"]
    return None


@pytest.mark.parametrize(
    ("section", "name", "given", "flags", "expected"),
    [
        ("functions", "torch.max", ["tensor"], {}, "tensor"),
        ("functions", "torch.max", ["tensor", "tensor"], {}, "tensor"),
        ("functions", "torch.max", ["tensor", "int"], {}, {**UV, "fields": ["values", "indices"]}),
        ("methods", "max", ["int"], {}, {**UV, "fields": ["values", "indices"]}),
        ("methods", "max", [], {}, "tensor"),
        ("functions", "torch.where", ["tensor"], {}, {"list": "tensor"}),
        ("functions", "torch.where", ["tensor", "tensor", "tensor"], {}, "tensor"),
        ("functions", "torch.where", ["tensor", "float", "float"], {}, "tensor"),
        ("functions", "torch.nonzero", ["tensor"], {}, "tensor"),
        ("functions", "torch.nonzero", ["tensor"], {"as_tuple": True}, {"list": "tensor"}),
        ("functions", "torch.unique", ["tensor"], {}, "tensor"),
        ("functions", "torch.unique", ["tensor"], {"return_inverse": True}, UV),
        ("functions", "torch.unique", ["tensor"], {"return_inverse": False, "return_counts": True}, UV),
        ("methods", "unique", [], {"return_counts": True, "return_inverse": True}, {"tuple": ["tensor"] * 3}),
        ("functions", "torch.nn.functional.max_pool2d", ["tensor", "int"], {}, "tensor"),
        ("functions", "torch.nn.functional.max_pool2d", ["tensor", "int"], {"return_indices": True}, UV),
        ("functions", "torch.atleast_1d", ["tensor"], {}, "tensor"),
        ("functions", "torch.atleast_1d", ["list"], {}, {"list": "tensor"}),
        ("functions", "torch.lu", ["tensor"], {"get_infos": True}, {"tuple": ["tensor"] * 3}),
        ("methods", "size", [], {}, "size"),
        ("methods", "size", ["int"], {}, "int"),
        ("methods", "stride", [], {}, {"list": "int"}),
        ("methods", "stride", ["int"], {}, "int"),
        ("methods", "type", [], {}, "str"),
        ("methods", "type", ["dtype"], {}, "tensor"),
    ],
)
def test_overload(section: str, name: str, given: list[str], flags: dict[str, bool], expected: Any) -> None:
    assert returns_of(section, name, *given, **flags) == expected


@pytest.mark.parametrize(
    ("trait", "member", "stranger"),
    [
        ("random_functions", "torch.randn_like", "torch.empty"),
        ("random_functions", "torch.nn.init.trunc_normal_", "torch.nn.init.ones_"),
        ("random_methods", "uniform_", "fill_"),
        ("int_functions", "torch.randperm", "torch.arange"),
        ("bool_functions", "torch.isnan", "torch.maximum"),
        ("complex_functions", "torch.polar", "torch.real"),
        ("view_methods", "expand", "clone"),
        ("view_methods", "contiguous", "add"),
        ("view_methods", "to", "repeat"),
        ("view_functions", "torch.transpose", "torch.add"),
        ("view_functions", "torch.from_numpy", "torch.tensor"),
        ("uninitialized_functions", "torch.empty_like", "torch.zeros"),
        ("in_place_methods", "add_", "add"),
    ],
)
def test_trait(trait: str, member: str, stranger: str) -> None:
    assert member in API["traits"][trait]
    assert stranger not in API["traits"][trait]


# ---- the classes ----------------------------------------------------------------------------------------------------


def members(path: str, key: str) -> set[str]:
    entry = CLASSES["module_classes"].get(CLASSES["aliases"].get(path, path))
    if entry is None:
        return set()
    return reduce(set.union, (members(base, key) for base in entry["bases"]), set(entry.get(key, ())))


@pytest.mark.parametrize(
    "path",
    [
        "torch.nn.Module",
        "torch.nn.Linear",
        "torch.nn.modules.Linear",
        "torch.nn.modules.linear.Linear",
        "torch.nn.modules.loss._Loss",
        "torch.jit.ScriptModule",
        "torch.jit.TracedModule",
        "torch.fx.GraphModule",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.nn.quantized.Linear",
        "torch.ao.quantization.FakeQuantize",
        "torch.optim.swa_utils.AveragedModel",
        "torch.nn.utils.parametrize.ParametrizationList",
    ],
)
def test_module_class(path: str) -> None:
    assert CLASSES["aliases"].get(path, path) in CLASSES["module_classes"]
    assert {"training", "forward", "type", "half", "register_buffer"} <= members(path, "attributes")
    assert path not in CLASSES["other_classes"]


@pytest.mark.parametrize(
    "path",
    ["torch.utils.data.Dataset", "torch.autograd.Function", "torch.optim.Adam", "torch.Tensor", "torch.Generator"],
)
def test_other_class(path: str) -> None:
    assert path in CLASSES["other_classes"]
    assert CLASSES["aliases"].get(path, path) not in CLASSES["module_classes"]


def test_names_that_a_class_takes() -> None:
    assert members("torch.nn.BatchNorm2d", "buffers") == {"running_mean", "running_var", "num_batches_tracked"}
    assert members("torch.nn.Linear", "parameters") == {"weight", "bias"}
    assert "in_features" in members("torch.nn.Linear", "attributes")


def test_distributions_stand_apart() -> None:
    assert {"torch.distributions.Normal", "torch.distributions.normal.Normal"} <= set(CLASSES["distributions"])
    assert not set(CLASSES["distributions"]) & set(CLASSES["other_classes"])


def test_every_base_in_torch_is_listed_or_no_module() -> None:
    for path, entry in CLASSES["module_classes"].items():
        roots = path == "torch.nn.modules.module.Module"
        assert roots or any(base in CLASSES["module_classes"] for base in entry["bases"]), path


# ---- against torch itself -------------------------------------------------------------------------------------------


def describe(value: Any) -> Any:
    """What a value is, in the table's words."""
    torch = pytest.importorskip("torch")
    numpy = pytest.importorskip("numpy")
    plain = {bool: "bool", int: "int", float: "float", str: "str", type(None): "none", torch.Size: "size"}
    plain |= {torch.dtype: "dtype", torch.device: "device", torch.Generator: "generator", numpy.ndarray: "numpy"}
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, (torch.TypedStorage, torch.UntypedStorage)):
        return "storage"
    if type(value) in plain:
        return plain[type(value)]
    return [describe(item) for item in value] if isinstance(value, (tuple, list)) else "other"


def agrees(spec: Any, value: Any) -> bool:
    """Whether a described value is what a spec promises."""
    if spec == "unknown":
        return True
    if isinstance(spec, str):
        wider = {"optional-tensor": {"tensor", "none"}, "number": {"int", "float", "bool"}}
        if spec == "other":
            return "tensor" not in str(value)
        return isinstance(value, str) and value in wider.get(spec, {spec})
    if not isinstance(value, list):
        return False
    if "list" in spec:
        return all(agrees(spec["list"], item) for item in value)
    return len(value) == len(spec["tuple"]) and all(map(agrees, spec["tuple"], value))


def possible(returns: Any) -> list[Any]:
    if isinstance(returns, dict) and "overloads" in returns:
        return [one["returns"] for one in returns["overloads"]]
    return [returns]


def attempts(torch: Any, rng: random.Random) -> Iterator[tuple[Any, ...]]:
    """Arguments after the first tensor with which many operators work."""
    square = torch.tensor([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]]) + rng.random() / 10
    yield ()
    yield (square.clone(),)
    yield (rng.choice([0, 1]),)
    yield (square.clone(), square.clone())
    yield (1, 0)


# What changes torch's state, waits for devices, or reads and writes files.
UNCALLED = (
    "set_",
    "_enabled",
    "compile",
    "seed",
    "save",
    "load",
    "fork",
    "wait",
    "vital",
    "import",
    "init",
    "autocast",
)


def outcomes(call: Callable[..., Any], torch: Any, rng: random.Random) -> list[Any]:
    """What the calls that work give."""
    refusals = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
    found = []
    for rest in attempts(torch, rng):
        first = torch.tensor([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(describe(call(first, *rest)))
        except refusals:
            continue
    return found


NUMERIC = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.", "torch.functional.")


@pytest.mark.torch
@needs_that_torch
@pytest.mark.parametrize("seed", [1, 2])
def test_functions_return_what_the_table_says(seed: int) -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(seed)  # noqa: S311
    called, wrong = 0, []
    names = [name for name in API["functions"] if f"{name.rpartition('.')[0]}." in NUMERIC]
    for name in rng.sample(names, 600):
        function = reduce(lambda value, part: getattr(value, part, None), name.split(".")[1:], torch)
        if function is None or inspect.isclass(function) or any(word in name for word in UNCALLED):
            continue
        values = outcomes(function, torch, rng)
        called += bool(values)
        wrong += [
            (name, value)
            for value in values
            if not any(agrees(spec, value) for spec in possible(API["functions"][name]))
        ]
    assert wrong == []
    assert called > 200


@pytest.mark.torch
@needs_that_torch
def test_methods_return_what_the_table_says() -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(3)  # noqa: S311
    called, wrong = 0, []
    for name, returns in API["methods"].items():
        method = getattr(torch.Tensor, name, None)
        if method is None or any(word in name for word in UNCALLED):
            continue
        values = outcomes(method, torch, rng)
        called += bool(values)
        wrong += [(name, value) for value in values if not any(agrees(spec, value) for spec in possible(returns))]
    assert wrong == []
    assert called > 300


@pytest.mark.torch
@needs_that_torch
@pytest.mark.filterwarnings("ignore:volatile was removed")
def test_properties_are_what_the_table_says() -> None:
    torch = pytest.importorskip("torch")
    complex_tensor = torch.ones(3, 3, dtype=torch.complex64)
    wrong = [
        name
        for name, spec in API["properties"].items()
        if not agrees(spec, describe(getattr(complex_tensor, name, None))) and hasattr(complex_tensor, name)
    ]
    assert wrong == []


@pytest.mark.torch
@needs_that_torch
def test_no_name_of_a_tensor_is_missing() -> None:
    torch = pytest.importorskip("torch")
    known = API["methods"].keys() | API["properties"].keys()
    assert [name for name in dir(torch.Tensor) if not name.startswith("_") and name not in known] == []


@pytest.mark.torch
@needs_that_torch
@pytest.mark.parametrize("namespace", ["", "fft", "linalg", "nn.functional", "special"])
def test_no_public_function_is_missing(namespace: str) -> None:
    torch = pytest.importorskip("torch")
    home = reduce(getattr, namespace.split(".") if namespace else [], torch)
    # Bound in the module but no part of its interface, or made by a loop; and what exists for other vendors' devices.
    left_out = {"boolean_dispatch", "handle_torch_function", "sym_sqrt"}
    public = [name for name in getattr(home, "__all__", dir(home)) if inspect.isroutine(getattr(home, name))]
    public = [name for name in public if not name.startswith(("_", "has_torch")) and name not in left_out]
    public = [name for name in public if "_ipu_" not in name and "_xla_" not in name]
    prefix = f"torch.{namespace}." if namespace else "torch."
    assert [name for name in public if f"{prefix}{name}" not in API["functions"]] == []


@pytest.mark.torch
@needs_that_torch
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_dtype_traits_hold() -> None:
    torch = pytest.importorskip("torch")
    tests: dict[str, Callable[[Any], bool]] = {
        "int": lambda value: not value.dtype.is_floating_point and value.dtype != torch.bool,
        "bool": lambda value: value.dtype == torch.bool,
        "complex": lambda value: value.dtype.is_complex,
    }
    ones = torch.ones(3, 3)
    wrong, called = [], 0
    for kind, test in tests.items():
        for name in API["traits"][f"{kind}_functions"] + API["traits"][f"{kind}_methods"]:
            function = reduce(getattr, name.split(".")[1:], torch) if "." in name else getattr(torch.Tensor, name)
            for arguments in ((ones,), (ones, ones), (3,), (3, 3, 0)):
                try:
                    value = function(*arguments)
                except (RuntimeError, TypeError, ValueError):
                    continue
                wrong += [name] if isinstance(value, torch.Tensor) and not test(value) else []
                called += 1
    assert wrong == []
    assert called > 80


@pytest.mark.torch
@needs_that_torch
def test_every_dtype_is_a_constant() -> None:
    torch = pytest.importorskip("torch")
    dtypes = {f"torch.{name}" for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype)}
    assert dtypes == {name for name, kind in API["constants"].items() if kind == "dtype"}


@pytest.mark.torch
@needs_that_torch
def test_classes_are_what_torch_has() -> None:
    torch = pytest.importorskip("torch")
    checked = 0
    for name in dir(torch.nn):
        value = getattr(torch.nn, name)
        if inspect.isclass(value) and issubclass(value, torch.nn.Module):
            home = CLASSES["aliases"].get(f"torch.nn.{name}")
            assert home == f"{value.__module__}.{value.__qualname__}"
            checked += 1
    assert checked > 100


@pytest.mark.torch
@needs_that_torch
def test_instances_take_the_listed_names() -> None:
    torch = pytest.importorskip("torch")
    nn = torch.nn
    for module in (nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LSTM(2, 2), nn.Conv2d(1, 1, 1), nn.MultiheadAttention(2, 1)):
        path = f"torch.nn.{type(module).__name__}"
        listed = members(path, "attributes") | members(path, "parameters") | members(path, "buffers")
        # Bound by `setattr` under names that are computed.
        taken = {name for name in dir(module) if not name.startswith(("__", "weight_", "bias_"))}
        assert taken <= listed, path


# ---- the script -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_that_torch
def test_the_tables_are_what_the_script_writes() -> None:
    result = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
@needs_that_torch
def test_hand_written_entries_are_needed() -> None:
    spec = importlib.util.spec_from_file_location("generate_torch_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules["generate_torch_table"] = script
    spec.loader.exec_module(script)
    functions, methods = dict(script.HAND_FUNCTIONS), dict(script.HAND_METHODS)
    script.HAND_FUNCTIONS.clear()
    script.HAND_METHODS.clear()
    sources = script.Sources(script.torch_root())
    table = script.api_table(sources, API["torch"])
    assert [name for name, value in functions.items() if table["functions"].get(name) == value] == []
    assert [name for name, value in methods.items() if table["methods"].get(name) == value] == []
