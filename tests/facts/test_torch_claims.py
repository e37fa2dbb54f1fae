"""The claims about buffers with which the project began."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from torch_modules import Multiply, Three, device_type, with_buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch import nn
else:
    torch = pytest.importorskip("torch")
    nn = torch.nn

pytestmark = pytest.mark.torch


def test_claim_1_a_plain_tensor_stays_on_the_cpu(device: str) -> None:
    module = Three().to(device)
    found = {name: device_type(getattr(module, name)) for name in ("parameter", "buffer", "plain")}
    assert found == {"parameter": device, "buffer": device, "plain": "cpu"}


def test_claim_2_state_dict_has_no_plain_tensor() -> None:
    assert Three().state_dict().keys() == {"parameter", "buffer"}


def test_claim_3_parameters_have_neither_buffer_nor_plain_tensor() -> None:
    module = Three()
    assert dict(module.named_parameters()).keys() == {"parameter"}
    assert len(list(module.parameters())) == 1


def trained(module: nn.Module) -> set[str]:
    """Take a step of an optimizer and return the names of the tensors that it changed."""
    tensors = {name: value for name, value in module.state_dict(keep_vars=True).items() if value.requires_grad}
    before = {name: value.detach().clone() for name, value in tensors.items()}
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    torch.autograd.backward([value.sum() for value in tensors.values()])
    optimizer.step()
    return {name for name, value in tensors.items() if not torch.equal(value, before[name])}


def test_claim_4_no_optimizer_updates_a_buffer_that_requires_grad() -> None:
    module = with_buffer(torch.ones(2, requires_grad=True))
    module.weight = nn.Parameter(torch.ones(2))
    assert trained(module) == {"weight"}
    assert module.get_buffer("x").grad is not None


def test_claim_5_buffers_list_the_buffer_only() -> None:
    module = Three()
    assert dict(module.named_buffers()).keys() == {"buffer"}
    assert [buffer is module.buffer for buffer in module.buffers()] == [True]


def test_claim_7_the_example_that_assigns_before_it_registers_raises() -> None:
    class RunningMean(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.running_mean = torch.zeros(2)
            self.register_buffer("running_mean", self.running_mean)

    with pytest.raises(KeyError, match="attribute 'running_mean' already exists"):
        RunningMean()


def test_claim_8_a_class_nested_in_init_loses_moves_and_saving_as_well(device: str) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()

            class Stats(nn.Module):
                def __init__(self) -> None:
                    super().__init__()
                    self.mean = torch.zeros(2)
                    self.register_buffer("count", torch.zeros(1))

            self.stats = Stats()

    module = Outer().to(device)
    assert module.state_dict().keys() == {"stats.count"}
    assert device_type(module.stats.count) == device
    assert device_type(module.stats.mean) == "cpu"


def positional_encoding() -> torch.Tensor:
    table = torch.zeros(4, 4)
    angles = torch.arange(4.0)[:, None] / 10 ** torch.arange(2.0)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


@pytest.mark.parametrize(
    "build",
    [
        lambda: torch.ones(4, 4).tril(),
        positional_encoding,
        lambda: torch.zeros(4),
        lambda: torch.tensor([1, 2, 4, 8]),
        lambda: torch.randn(4, 4),
    ],
    ids=["causal-mask", "positional-encoding", "running-statistics", "lookup-table", "random-projection"],
)
def test_claim_9_what_belongs_in_a_buffer_follows_only_as_a_buffer(
    build: Callable[[], torch.Tensor], device: str
) -> None:
    for registered, expected in ((True, device), (False, "cpu")):
        module = Multiply(build(), registered=registered)
        assert ("factor" in module.state_dict()) is registered
        assert device_type(module.to(device).factor) == expected


@pytest.mark.parametrize(
    ("registered", "persistent", "restored"), [(True, True, True), (True, False, False), (False, False, False)]
)
def test_claim_10_a_random_tensor_is_restored_only_if_it_was_saved(
    *, registered: bool, persistent: bool, restored: bool
) -> None:
    torch.manual_seed(0)
    first, second = (Multiply(torch.rand(8), registered=registered, persistent=persistent) for _ in range(2))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first.factor, second.factor) is restored


def test_claim_11_none_can_be_registered_as_a_placeholder(device: str) -> None:
    module = with_buffer(None)
    assert not module.state_dict()
    module.x = torch.ones(2)
    assert module.state_dict().keys() == {"x"}
    assert device_type(module.to(device).x) == device


def test_claim_12_temporaries_and_objects_that_are_no_tensors_need_no_buffer(device: str) -> None:
    class Temporary(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 2.0
            self.shape = torch.ones(2).shape

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            ones = x.new_ones(self.shape)
            return ones * x * self.scale

    assert device_type(Temporary().to(device)(torch.ones(2, device=device))) == device


def test_claim_13_a_plain_tensor_and_an_input_elsewhere_do_not_mix(device: str) -> None:
    x = torch.ones(2, device=device)
    with pytest.raises(RuntimeError, match=r"[Ee]xpected .*device"):
        Multiply(torch.ones(2), registered=False).to(device)(x)
    assert device_type(Multiply(torch.ones(2), registered=True).to(device)(x)) == device


def test_claim_14_register_parameter_is_what_the_optimizer_trains() -> None:
    module = nn.Module()
    module.register_parameter("weight", nn.Parameter(torch.ones(2)))
    module.plain = torch.ones(2, requires_grad=True)
    assert dict(module.named_parameters()).keys() == {"weight"}
    assert trained(module) == {"weight"}
