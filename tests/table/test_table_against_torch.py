"""What the tables say is what torch does."""

from __future__ import annotations

import inspect
import random
import warnings
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from tables_at_hand import API, CLASSES, members, needs_that_torch

from regbuf_lint.index.known_classes import holds_no_tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def describe(value: Any) -> Any:
    """What a value is, in the table's words."""
    torch = pytest.importorskip("torch")
    numpy = pytest.importorskip("numpy")
    plain = {bool: "bool", int: "int", float: "float", str: "str", type(None): "none", torch.Size: "size"}
    plain |= {
        torch.dtype: "dtype",
        torch.device: "device",
        torch.Generator: "generator",
        torch.finfo: "limits",
        torch.iinfo: "limits",
        numpy.ndarray: "numpy",
    }
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
        wider = {"optional-tensor": {"tensor", "none"}, "number": {"int", "float", "bool"}, "device-number": {"int"}}
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
        # Other libraries, imported by an earlier test, give `nn.Module` methods of their own.
        taken -= {name for name in taken if not _home(getattr(module, name)).startswith("torch")}
        assert taken <= listed, path


@pytest.mark.torch
@needs_that_torch
def test_classes_that_hold_no_tensors_hold_none() -> None:
    torch = pytest.importorskip("torch")
    built = 0
    for name in filter(holds_no_tensors, (f"torch.nn.{one}" for one in dir(torch.nn))):
        for arguments in ((), (1,), (1, 1), (1, 1, 1), ((1, 1), 1), (1, (1, 1))):
            with suppress(TypeError, ValueError):
                module = getattr(torch.nn, name.rpartition(".")[2])(*arguments)
                assert [*module.parameters(), *module.buffers()] == [], name
                built += 1
                break
    assert built > 45
    assert not any(map(holds_no_tensors, ("torch.nn.Linear", "torch.nn.Sequential", "torch.nn.Transformer")))


def _home(value: object) -> str:
    return getattr(value, "__module__", None) or "torch"
