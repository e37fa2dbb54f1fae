"""The audit says nothing of torch's own classes, whatever torch makes of a module."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

torch = pytest.importorskip("torch")
nn = torch.nn
from torch.nn.utils import parametrizations, parametrize, prune  # noqa: E402

from regbuf_lint.verify import audit  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

PRUNE: Any = prune.l1_unstructured
PACKAGES = ("torch.nn", "torch.ao.nn", "torch.ao.quantization")
ARGUMENTS: tuple[tuple[Any, ...], ...] = (
    (),
    (4,),
    (4, 4),
    (4, 4, 3),
    (4, 2, 1),
    (4, 4, 4),
    (4, 4, 4, 2),
    (8, 2, 1, 1, 8),
    ([4],),
    ((4, 4),),
    (2, (4, 4)),
    (4, 20, [10]),
    (1.0, 2.0),
    (nn.Linear(4, 4),),
    (nn.Linear(4, 4), 2),
    ([nn.Linear(4, 4)],),
    (nn.TransformerEncoderLayer(8, 2), 1),
    (nn.TransformerDecoderLayer(8, 2), 1),
    (nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)),
    (torch.ones(4),),
)
"""Arguments that are tried for each class until it can be built."""


def classes() -> Iterator[type]:
    seen: set[type] = set()
    for name in PACKAGES:
        package = importlib.import_module(name)
        names = [name, *(one.name for one in pkgutil.walk_packages(package.__path__, f"{name}."))]
        for one in names:
            for kind in list(vars(_module(one)).values()):
                if isinstance(kind, type) and issubclass(kind, nn.Module) and kind not in seen:
                    seen.add(kind)
                    yield kind


def _module(name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except Exception:  # noqa: BLE001  what needs another library or another system
        return pytest


def built(kind: type) -> Any:
    for arguments in ARGUMENTS:
        try:
            return kind(*deepcopy(arguments))
        except Exception:  # noqa: BLE001, S112, PERF203  whatever a wrong number or kind of arguments raises
            continue
    return None


def test_no_class_of_torch_is_reported() -> None:
    made = {f"{kind.__module__}.{kind.__qualname__}": built(kind) for kind in classes()}
    modules = {name: one for name, one in made.items() if one is not None}
    assert len(modules) > 230
    reported = {name: str(audit(one)) for name, one in modules.items() if audit(one)}
    assert reported == {}
    assert [name for name, one in modules.items() if audit(one).stopped] == []


class Scaled(nn.Module):  # type: ignore[name-defined, misc]
    """A right module of the user's own."""

    scale: Any

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x: Any) -> Any:
        return self.linear(x) * self.scale


def called(module: Any) -> Any:
    module(torch.ones(2, 4))
    return module


def pruned(how: Callable[..., Any], *arguments: Any) -> Any:
    module = nn.Linear(4, 4)
    how(module, "weight", *arguments)
    return called(module)


def compiled() -> Any:
    return called(torch.compile(Scaled(), backend="eager"))


def cached() -> Any:
    module = parametrizations.orthogonal(nn.Linear(4, 4))
    with parametrize.cached():
        module(torch.ones(2, 4))
        return module


class HalfPruning(prune.BasePruningMethod):
    """A pruning method of the user's own."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:  # noqa: ARG002
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


MADE: dict[str, Callable[[], Any]] = {
    "weight_norm": lambda: called(nn.utils.weight_norm(nn.Linear(4, 4))),
    "weight_norm_parametrized": lambda: called(parametrizations.weight_norm(nn.Linear(4, 4))),
    "spectral_norm": lambda: called(nn.utils.spectral_norm(nn.Linear(4, 4))),
    "spectral_norm_parametrized": lambda: called(parametrizations.spectral_norm(nn.Linear(4, 4))),
    "orthogonal": lambda: called(parametrizations.orthogonal(nn.Linear(4, 4))),
    "parametrization_cached": cached,
    "pruned_by_size": lambda: pruned(PRUNE, 0.5),
    "pruned_by_chance": lambda: pruned(prune.random_structured, 0.5, 0),
    "pruned_twice": lambda: PRUNE(pruned(PRUNE, 0.5), "weight", 0.5),
    "pruned_by_an_own_method": lambda: pruned(HalfPruning.apply),
    "lazy": lambda: nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d()),
    "lazy_called": lambda: called(nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())),
    "scripted": lambda: called(torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))),
    "scripted_with_buffers": lambda: torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))),
    "scripted_list": lambda: torch.jit.script(nn.ModuleList([nn.BatchNorm1d(4)])),
    "weight_norm_of_a_recurrent_one": lambda: nn.utils.weight_norm(nn.LSTM(3, 3), "weight_hh_l0"),
    "weight_norm_parametrized_of_a_recurrent_one": lambda: parametrizations.weight_norm(nn.GRU(3, 3), "weight_hh_l0"),
    "pruned_recurrent": lambda: PRUNE(nn.LSTM(3, 3), "weight_hh_l0", 0.5),
    "traced": lambda: called(torch.jit.trace(Scaled(), torch.ones(2, 4))),
    "data_parallel": lambda: nn.DataParallel(Scaled()),
    "compiled": compiled,
    "traced_by_fx": lambda: called(torch.fx.symbolic_trace(Scaled())),
    "quantized": lambda: torch.ao.quantization.quantize_dynamic(Scaled(), {nn.Linear}),
    "averaged": lambda: called(torch.optim.swa_utils.AveragedModel(Scaled())),
    "checkpointed": lambda: called(
        torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper(Scaled())  # noqa: SLF001
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_what_torch_makes_of_a_module_is_not_reported(name: str) -> None:
    if name == "checkpointed":
        importlib.import_module("torch.distributed.algorithms._checkpoint.checkpoint_wrapper")
    found = audit(MADE[name]())
    assert str(found) == "nothing"


@pytest.mark.parametrize("name", ["weight_norm", "pruned_by_size", "compiled", "data_parallel", "traced_by_fx"])
def test_what_is_put_beside_is(name: str) -> None:
    module = MADE[name]()
    inner = getattr(module, "_orig_mod", getattr(module, "module", module))
    inner.mask = torch.ones(3)
    assert [one.attribute for one in audit(module)] == ["mask"]
