"""What torch itself does: the facts that rules and fixes rest on."""

from __future__ import annotations

import copy
import os
import time
import warnings
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from torch_modules import Multiply, Three, device_type, with_buffer

from regbuf_lint.classes.uses import APPLY, MOVERS

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch import nn
else:
    torch = pytest.importorskip("torch")
    nn = torch.nn

pytestmark = pytest.mark.torch

KEY_ERROR = "attribute 'x' already exists"


def register(module: nn.Module, value: torch.Tensor | None = None) -> None:
    module.register_buffer("x", torch.ones(2) if value is None else value)


def assign_buffer(module: nn.Module) -> None:
    module.x = nn.Buffer(torch.ones(2))


REGISTRATIONS = pytest.mark.parametrize("registration", [register, assign_buffer])


class Bare(nn.Module):
    x: torch.Tensor


class WithClassAttribute(nn.Module):
    x = None


class WithProperty(nn.Module):
    @property
    def x(self) -> None:
        """Occupy the name."""


class WithMethod(nn.Module):
    def x(self) -> None:
        """Occupy the name."""


class WithInstanceAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = None


class Derived(WithInstanceAttribute):
    """Gets the attribute from its base."""


@REGISTRATIONS
@pytest.mark.parametrize("kind", [WithClassAttribute, WithProperty, WithMethod, WithInstanceAttribute, Derived])
def test_fact_1_a_name_that_is_taken_cannot_be_registered(
    kind: Callable[[], nn.Module], registration: Callable[[nn.Module], None]
) -> None:
    with pytest.raises(KeyError, match=KEY_ERROR):
        registration(kind())


@pytest.mark.parametrize("name", ["type", "training", "half", "forward"])
def test_fact_1_names_of_module_itself_cannot_be_registered(name: str) -> None:
    with pytest.raises(KeyError, match=f"attribute '{name}' already exists"):
        with_buffer(torch.ones(1), name)


@REGISTRATIONS
def test_fact_1_a_bare_annotation_is_no_attribute(registration: Callable[[nn.Module], None]) -> None:
    module = Bare()
    registration(module)
    assert dict(module.named_buffers()).keys() == {"x"}


def test_fact_1_a_deleted_attribute_can_be_registered() -> None:
    module = WithInstanceAttribute()
    del module.x
    register(module)
    assert "x" in module.state_dict()


@pytest.mark.parametrize("name", ["a.b", ""])
def test_a_name_with_a_dot_or_without_letters_cannot_be_registered(name: str) -> None:
    module = nn.Module()
    setattr(module, name, torch.ones(1))
    with pytest.raises(KeyError, match="buffer name can"):
        nn.Module().register_buffer(name, torch.ones(1))


def test_fact_2_before_init_a_plain_tensor_can_be_stored_and_a_buffer_cannot() -> None:
    class Early(nn.Module):
        def __init__(self, store: Callable[[nn.Module], None]) -> None:
            store(self)
            super().__init__()

    module = Early(lambda m: setattr(m, "x", torch.ones(2)))
    assert "x" in vars(module)
    for store in (register, assign_buffer):
        with pytest.raises(AttributeError, match=r"before Module\.__init__"):
            Early(store)


def test_fact_3_a_buffer_cannot_be_rebound_to_a_number() -> None:
    module = with_buffer(torch.ones(2))
    with pytest.raises(TypeError, match=r"cannot assign 'float' .*buffer 'x'"):
        module.x = 1.0  # type: ignore[assignment]


def test_a_tensor_is_refused_where_a_parameter_or_a_part_is() -> None:
    holder = nn.Linear(3, 3)
    holder.part = nn.ReLU()
    with pytest.raises(TypeError, match=r"cannot assign 'torch\.FloatTensor' as parameter 'weight'"):
        holder.weight = torch.ones(3, 3)
    with pytest.raises(TypeError, match=r"cannot assign 'torch\.FloatTensor' as child module 'part'"):
        holder.part = torch.ones(3)


@pytest.mark.parametrize("value", [None, torch.zeros(3)])
def test_fact_3_a_buffer_can_be_rebound_to_a_tensor_or_none(value: torch.Tensor | None) -> None:
    module = with_buffer(torch.ones(2))
    module.x = value  # type: ignore[assignment]
    assert module._buffers["x"] is value  # noqa: SLF001  where torch keeps buffers
    assert "x" not in vars(module)


def test_fact_3_a_name_can_be_registered_twice() -> None:
    module = with_buffer(torch.ones(2))
    module.register_buffer("x", torch.zeros(2))
    assert torch.equal(module.get_buffer("x"), torch.zeros(2))


def test_fact_4_a_parameter_removes_the_buffer_of_its_name() -> None:
    module = with_buffer(torch.ones(2))
    module.x = nn.Parameter(torch.ones(2))
    assert not dict(module.named_buffers())
    assert dict(module.named_parameters()).keys() == {"x"}


def test_register_buffer_returns_none_and_that_none_replaces_the_buffer() -> None:
    module = nn.Module()
    result: object = module.register_buffer("x", torch.ones(2))  # type: ignore[func-returns-value]
    assert result is None
    module.x = result  # type: ignore[assignment]
    assert dict(module._buffers) == {"x": None}  # noqa: SLF001  where torch keeps buffers
    assert "x" not in module.state_dict()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_script_module_leaves_plain_tensors_and_refuses_non_persistent_buffers() -> None:
    class Scripted(torch.jit.ScriptModule):
        def __init__(self, *, persistent: bool) -> None:
            super().__init__()
            self.plain = torch.ones(2)
            self.register_buffer("buffer", torch.ones(2), persistent=persistent)

    module = Scripted(persistent=True).to("meta")
    assert (device_type(module.plain), device_type(module.buffer)) == ("cpu", "meta")
    with pytest.raises(RuntimeError, match="does not support non-persistent buffers"):
        Scripted(persistent=False)


# Several names for one tensor


def test_fact_5_two_names_of_one_tensor_become_two_tensors(device: str) -> None:
    module = with_buffer(torch.ones(2))
    module.register_buffer("y", module.get_buffer("x"))
    assert module.x is module.y
    assert module.state_dict().keys() == {"x", "y"}
    module.to(device)
    assert module.x is not module.y


def test_fact_5_load_state_dict_overwrites_both_names() -> None:
    module = with_buffer(torch.ones(2))
    module.register_buffer("y", module.get_buffer("x"))
    module.load_state_dict({"x": torch.zeros(2), "y": torch.full((2,), 2.0)})
    assert torch.equal(module.get_buffer("x"), torch.full((2,), 2.0))
    assert module.x is module.y


def test_fact_16_one_tensor_in_many_submodules_becomes_many(device: str) -> None:
    shared = torch.ones(2)
    modules = nn.Sequential(*(with_buffer(shared) for _ in range(3)))
    assert len({id(module.x) for module in modules}) == 1
    modules.to(device)
    assert len({id(module.x) for module in modules}) == 3


# Gradients


def test_fact_6_a_buffer_that_requires_grad_is_not_in_parameters() -> None:
    module = with_buffer(torch.ones(2, requires_grad=True))
    assert not list(module.parameters())
    assert module.get_buffer("x").requires_grad


def test_fact_6_it_becomes_a_non_leaf_whose_grad_stays_none() -> None:
    module = with_buffer(torch.ones(2, requires_grad=True))
    module.to(torch.float64)
    moved = module.get_buffer("x")
    torch.autograd.backward(moved.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch warns that .grad of a non-leaf is read
        assert moved.grad is None
    assert not moved.is_leaf


def test_fact_6_deepcopy_of_a_buffer_with_a_graph_raises() -> None:
    module = with_buffer(torch.ones(2, requires_grad=True))
    copy.deepcopy(module)
    module.to(torch.float64)
    with pytest.raises(RuntimeError, match="deepcopy protocol"):
        copy.deepcopy(module)


def test_fact_6_requires_grad_of_the_whole_skips_it() -> None:
    module = with_buffer(torch.ones(2, requires_grad=True))
    module.requires_grad_(False)  # noqa: FBT003  torch's own signature
    assert module.get_buffer("x").requires_grad


def test_fact_6_a_parameter_in_register_buffer_is_no_parameter_of_the_module() -> None:
    module = with_buffer(nn.Parameter(torch.ones(2)))
    assert not list(module.parameters())
    assert module.get_buffer("x").requires_grad


def test_fact_6_nn_buffer_keeps_requires_grad() -> None:
    assert nn.Buffer(torch.ones(1, requires_grad=True)).requires_grad


@pytest.mark.parametrize(
    ("compute", "carries"),
    [
        (lambda weight: weight.norm(), True),
        (lambda weight: weight.clone(), True),
        (lambda weight: weight.detach().clone(), False),
        (lambda weight: weight.data.clone(), False),
        (torch.zeros_like, False),
        (lambda weight: weight > 0, False),
    ],
)
def test_what_is_computed_from_a_parameter_may_carry_a_graph(
    *, compute: Callable[[torch.Tensor], torch.Tensor], carries: bool
) -> None:
    assert compute(nn.Parameter(torch.ones(2))).requires_grad is carries


@pytest.mark.parametrize(
    ("cast", "is_parameter"),
    [
        (lambda p: p.to("cpu"), True),
        (lambda p: p.to(torch.float32), True),
        (lambda p: p.type(torch.float32), True),
        (lambda p: p.to(torch.float64), False),
        (lambda p: p.type(torch.float64), False),
        (lambda p: p.to("meta"), False),
    ],
)
def test_fact_14_a_cast_parameter_is_one_only_where_the_cast_does_nothing(
    *, cast: Callable[[nn.Parameter], torch.Tensor], is_parameter: bool
) -> None:
    module = nn.Module()
    module.x = cast(nn.Parameter(torch.ones(2)))
    assert ("x" in dict(module.named_parameters())) is is_parameter
    assert ("x" in vars(module)) is not is_parameter


# Types


@pytest.mark.parametrize(
    ("dtype", "after"),
    [
        (torch.float32, torch.float16),
        (torch.float64, torch.float16),
        (torch.int64, torch.int64),
        (torch.bool, torch.bool),
    ],
)
def test_fact_7_half_casts_floating_buffers_only(dtype: torch.dtype, after: torch.dtype) -> None:
    assert with_buffer(torch.ones(2, dtype=dtype)).half().get_buffer("x").dtype == after


def test_fact_13_a_cast_to_bfloat16_drops_the_imaginary_part_with_only_a_warning(
    request: pytest.FixtureRequest,
) -> None:
    request.addfinalizer(partial(torch.set_warn_always, torch.is_warn_always_enabled()))
    torch.set_warn_always(True)  # torch warns of this once in a process, and another test may have been first
    module = with_buffer(torch.tensor([1 + 2j]))
    with pytest.warns(UserWarning, match="imaginary part"):
        module.to(torch.bfloat16)
    assert module.get_buffer("x").dtype == torch.bfloat16


# Containers and distributions


@pytest.mark.parametrize(
    ("store", "read"),
    [
        (lambda t: [t], lambda held: held[0]),
        (lambda t: (t,), lambda held: held[0]),
        (lambda t: {"t": t}, lambda held: held["t"]),
        (lambda t: OrderedDict(t=t), lambda held: held["t"]),
        (lambda t: torch.distributions.Normal(t, t + 1), lambda held: held.loc),
    ],
    ids=["list", "tuple", "dict", "ordered-dict", "distribution"],
)
def test_fact_8_containers_and_distributions_do_not_move(
    store: Callable[[torch.Tensor], Any], read: Callable[[Any], torch.Tensor], device: str
) -> None:
    module = with_buffer(torch.zeros(2))
    module.held = store(torch.zeros(2))
    module.to(device)
    assert device_type(module.x) == device
    assert device_type(read(module.held)) == "cpu"
    assert module.state_dict().keys() == {"x"}


# Loading


def test_fact_9_an_expanded_buffer_cannot_be_loaded_into() -> None:
    expanded = torch.zeros(1).expand(3)
    state = {"x": torch.ones(3)}
    with pytest.raises(RuntimeError, match="single memory location"):
        with_buffer(expanded).load_state_dict(state)
    module = with_buffer(expanded.clone())
    module.load_state_dict(state)
    assert torch.equal(module.get_buffer("x"), torch.ones(3))


def test_fact_11_a_non_persistent_buffer_stays_uninitialised_when_materialised_from_meta() -> None:
    state = Multiply(torch.ones(2), registered=True, persistent=False).state_dict()
    with torch.device("meta"):
        module = Multiply(torch.ones(2), registered=True, persistent=False)
    torch.use_deterministic_algorithms(True)  # noqa: FBT003  fills new memory with NaN
    try:
        module.to_empty(device="cpu")
    finally:
        torch.use_deterministic_algorithms(False)  # noqa: FBT003
    module.load_state_dict(state, strict=True)
    assert module.get_buffer("factor").isnan().all()


def wrapped_on(rank: int, store: str, buffer: torch.Tensor) -> tuple[Any, nn.Module]:
    """A linear layer with a buffer, on one of two ranks, and the DistributedDataParallel around it."""
    torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    inner = with_buffer(buffer)
    inner.linear = nn.Linear(2, 2)
    inner.forward = inner.linear.forward
    return inner, nn.parallel.DistributedDataParallel(inner)


def broadcasting_rank(rank: int, store: str, results: str) -> None:
    """Run a DistributedDataParallel forward on one of two ranks and save the buffer that it ends with."""
    inner, wrapped = wrapped_on(rank, store, torch.zeros(2))
    inner.get_buffer("x").fill_(rank + 1.0)
    address = inner.get_buffer("x").data_ptr()
    wrapped(torch.ones(1, 2))
    buffer = inner.get_buffer("x")
    torch.save((buffer, buffer.data_ptr() == address), f"{results}/{rank}")
    while not Path(results, str(1 - rank)).exists():
        time.sleep(0.01)
    os._exit(0)  # at an ordinary end of the process, threads of torch that still run may abort it


@pytest.mark.slow
def test_fact_12_ddp_broadcasts_buffers_in_place_from_rank_0(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    store = (tmp_path / "store").as_uri()
    multiprocessing: Any = torch.multiprocessing
    multiprocessing.spawn(broadcasting_rank, args=(store, str(tmp_path)), nprocs=2)
    for rank in range(2):
        buffer, in_place = torch.load(tmp_path / str(rank))
        assert torch.equal(buffer, torch.ones(2))
        assert in_place


def growing_rank(rank: int, store: str) -> None:
    """Run a DistributedDataParallel forward with a buffer that has grown apart on two ranks."""
    inner, wrapped = wrapped_on(rank, store, torch.zeros(0))
    inner.x = torch.ones(3 - rank)
    wrapped(torch.ones(1, 2))
    torch.distributed.barrier()  # what fails in the background has failed by then


@pytest.mark.slow
def test_fact_12_ddp_cannot_broadcast_a_buffer_that_grew_apart(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    multiprocessing: Any = torch.multiprocessing
    with pytest.raises((multiprocessing.ProcessExitedException, multiprocessing.ProcessRaisedException)):
        multiprocessing.spawn(growing_rank, args=((tmp_path / "store").as_uri(),), nprocs=2)


def expanding_rank(rank: int, store: str) -> None:
    """Run a DistributedDataParallel forward with a buffer that two ranks have replaced by an expanded tensor."""
    inner, wrapped = wrapped_on(rank, store, torch.ones(2, 2))
    inner.x = torch.ones(2, 2).expand(3, 2, 2)
    wrapped(torch.ones(1, 2))


@pytest.mark.slow
def test_fact_12_ddp_cannot_broadcast_a_buffer_that_became_an_expanded_tensor(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    multiprocessing: Any = torch.multiprocessing
    with pytest.raises(multiprocessing.ProcessRaisedException, match="single memory location"):
        multiprocessing.spawn(expanding_rank, args=((tmp_path / "store").as_uri(),), nprocs=2)


# Devices


def test_fact_10_meta_shows_a_tensor_that_does_not_move() -> None:
    x = torch.ones(2, device="meta")
    with pytest.raises(RuntimeError, match="cpu is not on the expected device meta"):
        Multiply(torch.ones(2), registered=False).to("meta")(x)
    assert Multiply(torch.ones(2), registered=True).to("meta")(x).is_meta


@pytest.mark.parametrize(
    "state",
    [torch.get_rng_state, torch.Generator().get_state],
    ids=["global", "generator"],
)
def test_fact_15_the_state_of_a_generator_must_be_on_the_cpu(state: Callable[[], torch.Tensor], device: str) -> None:
    generator = torch.Generator()
    generator.set_state(state())
    with pytest.raises((TypeError, RuntimeError), match=r"RNG state must be a torch\.ByteTensor"):
        generator.set_state(state().to(device))


def test_a_new_generator_has_the_same_seed_each_time() -> None:
    first, second = torch.Generator(), torch.Generator()
    assert torch.equal(torch.rand(3, generator=first), torch.rand(3, generator=second))
    assert first.initial_seed() == second.initial_seed() == 67280421310721
    assert torch.Generator().seed() != torch.Generator().seed()


def test_fact_17_a_registered_none_changes_what_hasattr_sees() -> None:
    assert not hasattr(Bare(), "x")
    assert hasattr(with_buffer(None), "x")


def test_vars_of_a_module_holds_plain_tensors_and_no_buffers() -> None:
    module = Three()
    assert "plain" in vars(module)
    assert "buffer" not in vars(module)


def test_shallow_copies_share_their_buffers_and_not_their_plain_attributes() -> None:
    module = with_buffer(torch.ones(2))
    module.plain = torch.ones(2)
    other = copy.copy(module)
    other.x = other.plain = torch.zeros(2)
    assert module.x is other.x
    assert torch.equal(module.plain, torch.ones(2))


def test_ddp_refuses_sparse_buffers(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("torch was built without torch.distributed")
    module = with_buffer(torch.eye(3).to_sparse())
    module.weight = nn.Parameter(torch.ones(1))
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="sparse"):
            nn.parallel.DistributedDataParallel(module)
    finally:
        torch.distributed.destroy_process_group()


@pytest.mark.parametrize("cast", [lambda it: it.float(), lambda it: it.cpu(), lambda it: it.to(torch.float32)])
def test_a_cast_to_what_a_parameter_is_gives_the_parameter(cast: Callable[[nn.Parameter], torch.Tensor]) -> None:
    parameter = nn.Parameter(torch.ones(2))
    assert cast(parameter) is parameter


def test_an_augmented_assignment_gives_the_parameter() -> None:
    parameter = nn.Parameter(torch.ones(2), requires_grad=False)
    changed: Any = parameter
    changed /= 2
    assert changed is parameter


@pytest.mark.parametrize("kind", ["Normal", "Laplace", "Gamma", "Poisson", "Dirichlet", "Exponential"])
def test_distributions_keep_the_very_parameters_of_one_shape(kind: str) -> None:
    distribution_class = getattr(torch.distributions, kind)
    names = list(distribution_class.arg_constraints)
    parameters = {name: nn.Parameter(torch.full((3,), 0.5 + place)) for place, name in enumerate(names)}
    distribution = distribution_class(**parameters)
    assert all(getattr(distribution, name) is parameter for name, parameter in parameters.items())


def test_a_categorical_computes_other_tensors_and_a_number_becomes_one() -> None:
    parameter = nn.Parameter(torch.ones(3))
    assert torch.distributions.Categorical(logits=parameter).logits is not parameter
    assert torch.distributions.Normal(parameter, 1.0).scale.shape == (3,)


@pytest.mark.parametrize("fill", [nn.init.ones_, nn.init.normal_, nn.init.uniform_])
def test_what_init_fills_it_gives_back(fill: Callable[[torch.Tensor], torch.Tensor]) -> None:
    parameter = nn.Parameter(torch.empty(3))
    assert fill(parameter) is parameter


MOVES: dict[str, tuple[object, ...]] = {
    "to": ("meta",),
    "cuda": (),
    "xpu": (),
    "cpu": (),
    "half": (),
    "float": (),
    "double": (),
    "bfloat16": (),
    "type": ("torch.DoubleTensor",),
}


@pytest.mark.parametrize("mover", sorted(MOVERS))
def test_a_part_is_moved_without_a_call_of_its_own_movers(mover: str) -> None:
    called: list[str] = []
    part, whole = nn.Module(), nn.Module()
    for name in (mover, APPLY):
        setattr(part, name, lambda *_, name=name: called.append(name))
    whole.part = part
    getattr(whole, mover)(*MOVES[mover])  # without tensors every device is there
    assert called == [APPLY]


class Allocating(nn.Module):
    """A method that is exported to TorchScript sets the frames, plainly here and by a registration below."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = torch.zeros(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.frames

    @torch.jit.export
    def assign(self, n: int) -> None:
        self.frames = torch.zeros(n)


class Registering(Allocating):
    @torch.jit.export
    def assign(self, n: int) -> None:
        self.register_buffer("frames", torch.zeros(n))


@pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")
def test_torchscript_compiles_no_registration() -> None:
    torch.jit.script(Allocating())
    with pytest.raises(RuntimeError, match="register_buffer"):
        torch.jit.script(Registering())
