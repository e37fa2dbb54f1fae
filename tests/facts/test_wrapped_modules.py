"""What ``docs/distributed.md`` says of FSDP and ``torch.compile``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest
from torch_modules import Multiply, Three

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch
else:
    torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.slow]  # both import much of torch that nothing else needs


@pytest.fixture
def mesh() -> Iterator[Any]:
    """The devices of rank 0 of two, the other of which is pretended."""
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    pretended = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    torch.distributed.init_process_group("fake", rank=0, world_size=2, store=pretended.FakeStore())
    try:
        yield importlib.import_module("torch.distributed.device_mesh").init_device_mesh("cpu", (2,))
    finally:
        torch.distributed.destroy_process_group()


def test_fsdp_shards_parameters_and_leaves_buffers_whole(mesh: Any) -> None:
    fsdp = importlib.import_module("torch.distributed.fsdp")
    if not hasattr(fsdp, "fully_shard"):
        pytest.skip("needs fully_shard, which came with torch 2.6")
    module: Any = Three()
    whole = module.parameter.shape
    fsdp.fully_shard(module, mesh=mesh)
    assert module.parameter.to_local().shape == (whole[0] // 2, *whole[1:])
    for tensor in (module.buffer, module.plain):
        assert type(tensor) is torch.Tensor
        assert tensor.shape == whole


def compiled(module: torch.nn.Module) -> tuple[Callable[..., torch.Tensor], list[Any]]:
    """Return a module as compiled code, and the graphs that are made of it so far."""
    graphs = []

    def backend(graph: Any, _inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    found: Any = torch.compile(module, backend=backend, fullgraph=True)
    return found, graphs


@pytest.mark.parametrize("registered", [True, False])
def test_compiled_code_is_one_graph_and_gives_the_same(*, registered: bool) -> None:
    module = Multiply(torch.full((2,), 3.0), registered=registered)
    code, graphs = compiled(module)
    assert torch.equal(code(torch.ones(2)), module(torch.ones(2)))
    assert len(graphs) == 1


def test_compiled_code_raises_where_a_plain_tensor_stays_behind(device: str) -> None:
    x = torch.ones(2, device=device)
    code, _ = compiled(Multiply(torch.ones(2), registered=False).to(device))
    with pytest.raises(Exception, match=r"same device|two different devices") as raised:
        code(x)
    assert type(raised.value).__module__.startswith("torch._dynamo")
    follows, _ = compiled(Multiply(torch.ones(2), registered=True).to(device))
    assert follows(x).device == x.device
