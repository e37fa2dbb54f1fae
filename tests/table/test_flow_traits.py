"""The traits of what becomes of a tensor hold when torch runs."""

from __future__ import annotations

from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from tables_at_hand import API, needs_that_torch

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.torch, needs_that_torch, pytest.mark.filterwarnings("ignore")]

ARGUMENTS: tuple[tuple[Any, ...], ...] = ((), (0,), (0, 1), ((3, 2),), (0, 0, 1), (2, 2))
REFUSALS = (AssertionError, AttributeError, ImportError, IndexError, RuntimeError, TypeError, ValueError)


def torch_at_hand() -> Any:
    return pytest.importorskip("torch")


def listed(key: str) -> list[str]:
    return list(API["traits"][key])


def function(name: str) -> Any:
    return reduce(getattr, name.split(".")[1:], torch_at_hand())


def numbers(make: Any = None) -> Any:
    torch = torch_at_hand()
    return torch.tensor([[5.0, 3.0, 1.0], [2.0, 6.0, 4.0]]).to(make or "cpu")


def results(name: str, tensor: Any, extra: tuple[tuple[Any, ...], ...] = ARGUMENTS) -> Iterator[Any]:
    for arguments in extra:
        with suppress(*REFUSALS):
            yield getattr(tensor, name)(*arguments)


def test_what_gives_python_something_gives_no_tensor() -> None:
    torch = torch_at_hand()
    one = torch.tensor(1.0)
    given = [found for name in listed("host_methods") for found in results(name, one, ((), (one,)))]
    assert [found for found in given if isinstance(found, torch.Tensor)] == []
    assert len(given) >= len(listed("host_methods"))


def test_what_gives_python_something_cannot_be_had_from_a_tensor_without_data() -> None:
    one = torch_at_hand().tensor(1.0, device="meta")
    assert {name: list(results(name, one, ((), (one,)))) for name in listed("host_methods") if name != "equal"} == {
        name: [] for name in listed("host_methods") if name != "equal"
    }


def test_metadata_is_the_same_where_there_are_no_numbers() -> None:
    here, nowhere = numbers(), numbers("meta")
    asked = {name: [list(results(name, one, ((), (0,)))) for one in (here, nowhere)] for name in methods_of_metadata()}
    assert [name for name, (first, second) in asked.items() if first != second] == []
    assert sum(bool(first) for first, _ in asked.values()) > 10
    for name in listed("metadata_properties"):
        assert getattr(here, name) == getattr(nowhere, name)


def methods_of_metadata() -> list[str]:
    return [name for name in listed("metadata_methods") if name != "is_same_size"]


def test_a_place_knows_no_number() -> None:
    torch = torch_at_hand()
    nowhere = numbers("meta")
    assert all(getattr(nowhere, name) is not None for name in listed("place_properties"))
    for name in listed("place_functions"):
        if name.endswith("_like"):
            more = (3,) if name in {"torch.full_like", "torch.randint_like"} else ()
            assert function(name)(nowhere, *more, device="cpu").shape == nowhere.shape
    assert torch.equal(nowhere.new_ones(2, device="cpu"), torch.ones(2))


def test_moves_and_forms_keep_all_numbers() -> None:
    torch = torch_at_hand()
    here = numbers()
    kept = sorted(here.flatten().tolist())
    sizes = {"repeat": ((1, 1),), "tile": ((1, 1),), "repeat_interleave": ((1,),), "roll": ((1,),)}
    called = 0
    for name in [*listed("reshape_methods"), *listed("move_methods")]:
        extra = ((torch.float64,),) if name in {"to", "type"} else sizes.get(name, ARGUMENTS)
        for found in results(name, here.clone(), extra):
            if not isinstance(found, torch.Tensor) or name == "bool":
                continue
            dense = found.to_dense() if found.layout != torch.strided else found
            dense = dense.real if dense.is_complex() else dense
            assert sorted(dense.double().flatten().tolist()) == kept, name
            called += 1
    assert called > 40


def test_parts_are_numbers_of_the_whole() -> None:
    torch = torch_at_hand()
    here, indices = numbers(), torch.tensor([0, 1])
    known = set(here.flatten().tolist())
    extra = (*ARGUMENTS, (0, indices), (indices,), (here > 0,), ((2, 1), (1, 1)), (1, 1, 1))
    called = 0
    for name in listed("part_methods"):
        found = list(results(name, here, extra))
        for part in (one for item in found for one in (item if isinstance(item, (tuple, list)) else [item])):
            assert set(part.flatten().tolist()) <= known, name
        called += bool(found)
    assert called >= 15


def test_copies_keep_dtype_and_layout() -> None:
    for one in (numbers().long(), numbers().to("meta")):
        for name in listed("copy_methods"):
            (found,) = results(name, one, (((1, 1),) if name in {"repeat", "tile"} else (),))
            assert (found.dtype, found.layout, found.device) == (one.dtype, one.layout, one.device), name


def test_what_has_no_graph_has_none_of_a_parameter() -> None:
    torch = torch_at_hand()
    one = torch.ones(2, 2, requires_grad=True)
    for name in listed("graphless_functions"):
        more = {"torch.full_like": (1.0,), "torch.randint_like": (3,)}.get(name, ())
        source = 1.0 if name == "torch.scalar_tensor" else one
        assert not function(name)(source, *more).requires_grad, name


def test_the_size_is_the_first_argument() -> None:
    assert {tuple(function(name)(0).shape) for name in listed("sized_functions")} == {(0,)}


def test_nothing_has_a_graph_without_gradient() -> None:
    torch = torch_at_hand()
    for name in listed("without_gradient_functions"):
        with function(name)():
            assert not torch.ones(1, requires_grad=True).mul(2).requires_grad, name


def test_casts_and_moves_to_the_cpu_do_so() -> None:
    here = numbers()
    assert all(getattr(here, name)().device.type == "cpu" for name in listed("move_to_cpu_methods") if name == "cpu")
    dtypes = {getattr(here, name)().dtype for name in listed("cast_methods")}
    assert len(dtypes) == len(listed("cast_methods"))


def test_factories_make_tensors_on_the_default_device() -> None:
    torch = torch_at_hand()
    made = []
    for name in listed("factory_functions"):
        for arguments in ((3,), (3, 3), ([3, 3],), (0.0, 1.0, (3,)), (3, (3,)), (0, 1, 3), ((3, 3), (1, 3))):
            try:
                found = function(name)(*arguments)
            except REFUSALS:
                continue
            assert isinstance(found, torch.Tensor), name
            assert found.device.type == "cpu", name
            made.append(name)
            break
    left = {*listed("factory_functions")} - {*made}
    assert {name for name in left if ".sparse." not in name} <= {
        *("torch.frombuffer", "torch.full", "torch.from_dlpack", "torch.from_file", "torch.from_numpy"),
        *("torch.utils.dlpack.from_dlpack", "torch.empty_permuted", "torch.signal.windows.general_cosine"),
    }


def test_draws_depend_on_the_seed_and_advance_the_generator() -> None:
    torch = torch_at_hand()
    for name in listed("draw_methods"):
        before = torch.get_rng_state()
        tensor = torch.full((64,), 0.5)
        found = list(results(name, tensor, ((), (0.5,), (1,))))
        assert found, name
        assert not torch.equal(before, torch.get_rng_state()), name


def test_what_changes_a_tensor_gives_it_back() -> None:
    torch = torch_at_hand()
    called = 0
    for name in listed("in_place_methods"):
        tensor = torch.full((2, 2), 0.5)
        for found in results(name, tensor, ((), (0.25,), (0,), (0, 1), (tensor.clone(),))):
            assert found is tensor or found is None, name
            called += 1
            break
    assert called > 120


def test_what_overwrites_leaves_nothing_of_what_was_there() -> None:
    torch = torch_at_hand()
    for name in listed("overwriting_methods"):
        filled = []
        for before in (0.25, 0.75):
            torch.manual_seed(0)
            tensor = torch.full((64,), before)
            assert list(results(name, tensor, ((), (0.5,), (torch.ones(64),)))), name
            filled.append(tensor)
        assert torch.equal(*filled), name


def test_what_fetches_takes_tensors_of_any_device_and_others_do_not() -> None:
    torch = torch_at_hand()
    for name in listed("fetching_methods"):
        assert getattr(numbers("meta"), name)(numbers()).device == torch.device("meta"), name
    with pytest.raises(RuntimeError):
        numbers("meta").index_copy_(0, torch.tensor([0, 1]), numbers())


def test_what_wants_its_second_tensor_on_the_cpu() -> None:
    torch = torch_at_hand()
    second = {"torch.tensor_split": [1], "torch.nn.utils.rnn.pack_padded_sequence": [2, 2, 1]}
    assert second.keys() == {*listed("second_on_cpu_functions")}
    assert listed("second_on_cpu_methods") == ["tensor_split"]
    for name, given in second.items():
        assert function(name)(torch.ones(2, 3, device="meta"), torch.tensor(given)), name
        with pytest.raises(RuntimeError, match=r"(?i)cpu"):
            function(name)(torch.ones(2, 3, device="meta"), torch.tensor(given, device="meta"))


def test_of_what_is_given_beside_one_tensor_numbers_are_made() -> None:
    torch = torch_at_hand()
    two = torch.tensor(2)
    given = {"split": ([two, two],), "chunk": (two,), "repeat": (two, two), "topk": (two,), "unfold": (0, two, two)}
    for name, arguments in given.items():
        assert name in listed("alone_methods")
        there = torch.ones(4, 3, device="meta")
        assert getattr(there, name)(*arguments) is not None, name
        assert name not in {"split", "chunk", "topk"} or function(f"torch.{name}")(there, *arguments) is not None, name
    assert {"torch.split", "torch.sum", "torch.nn.functional.pad"} < {*listed("alone_functions")}
    assert {"torch.stack", "torch.where", "torch.add"}.isdisjoint(listed("alone_functions"))
    assert {"index_select", "narrow", "add", "clamp"}.isdisjoint(listed("alone_methods"))


def calls_of_one_dtype(one: Any, other: Any) -> dict[str, tuple[Any, ...]]:
    """Arguments for each function of the trait, some of them made by ``one``, and some by ``other``."""
    torch = torch_at_hand()
    square, batch, row, index = (2, 2), (1, 2, 2), (2,), torch.tensor([0, 1])
    products = {name: (one(*square), other(*square)) for name in ("inner", "linalg.matmul", "matmul", "mm")}
    rows = {name: (one(2), other(2)) for name in ("complex", "dot", "heaviside", "polar", "vdot")}
    summed = {name: (one(2), 0, index, other(2)) for name in ("index_add", "index_copy", "scatter", "scatter_add")}
    layers = {
        f"nn.functional.conv{kind}{n}d": (one(1, 1, *[3] * n), other(1, 1, *[2] * n))
        for n in (1, 2, 3)
        for kind in ("", "_transpose")
    }
    return {
        **products,
        **rows,
        **summed,
        **layers,
        "addbmm": (one(*square), one(*batch), other(*batch)),
        "addmm": (one(*square), one(*square), other(*square)),
        "addmv": (one(*row), one(*square), other(*row)),
        "baddbmm": (one(*batch), one(*batch), other(*batch)),
        "bmm": (one(*batch), other(*batch)),
        "cdist": (one(*square), other(*square)),
        "chain_matmul": (one(*square), other(*square)),
        "cross": (one(2, 3), other(2, 3), 1),
        "index_put": (one(2), (index,), other(2)),
        "lerp": (one(2), other(2), 0.5),
        "linalg.cross": (one(3), other(3)),
        "linalg.multi_dot": ([one(*square), other(*square)],),
        "masked_scatter": (one(2), index > 0, other(2)),
        "mv": (one(*square), other(*row)),
        "nn.functional.bilinear": (one(*square), one(*square), other(*batch)),
        "nn.functional.binary_cross_entropy": (one(2), other(2)),
        "nn.functional.cross_entropy": (one(*square), index, other(2)),
        "nn.functional.grid_sample": (one(1, 1, 2, 2), other(1, 2, 2, 2)),
        "nn.functional.linear": (one(*square), other(*square)),
        "nn.functional.nll_loss": (one(*square), index, other(2)),
        "nn.functional.prelu": (one(*square), other(2)),
        "nn.functional.scaled_dot_product_attention": (one(1, *batch), one(1, *batch), other(1, *batch)),
        "quantile": (one(4), other(1) / 2),
        "tensordot": (one(*square), other(*square), 1),
    }


def test_what_takes_one_dtype_refuses_a_second_one() -> None:
    torch = torch_at_hand()

    def single(*shape: int) -> Any:
        return torch.ones(shape)

    def half(*shape: int) -> Any:
        return torch.ones(shape, dtype=torch.bfloat16)

    names = {name.removeprefix("torch.") for name in listed("one_dtype_functions") if not name.endswith("_")}
    alike = calls_of_one_dtype(single, single)
    mixed = [calls_of_one_dtype(*makers) for makers in ((single, half), (half, single))]
    assert names == alike.keys()
    for name in names:
        assert function(f"torch.{name}")(*alike[name]) is not None
        for given in mixed:
            with pytest.raises(RuntimeError):
                function(f"torch.{name}")(*given[name])
    methods = {name.removesuffix("_") for name in listed("one_dtype_methods")}
    assert methods <= names
    assert torch.einsum("i,j->ij", single(2), half(2)).shape == (2, 2)


def test_layers_take_their_weight_second() -> None:
    torch = torch_at_hand()
    weights = {"conv1d": (2, 3, 1), "conv2d": (2, 3, 1, 1), "linear": (2, 3), "prelu": (3,), "embedding": (5, 3)}
    assert {f"torch.nn.functional.{name}" for name in weights} < {*listed("layer_functions")}
    assert "torch.nn.functional.bilinear" not in listed("layer_functions")
    for name, shape in weights.items():
        images = torch.ones(1, 3, *[4] * max(0, len(shape) - 2)) if name != "linear" else torch.ones(1, 3)
        given = torch.zeros(1, dtype=torch.long) if name == "embedding" else images
        assert function(f"torch.nn.functional.{name}")(given, weight=torch.ones(shape)).sum() > 0, name


def test_joins_take_a_list_and_give_a_tensor() -> None:
    torch = torch_at_hand()
    one_by_one = {"torch.block_diag", "torch.cartesian_prod", "torch.chain_matmul"}
    for name in listed("join_functions"):
        members = [torch.ones(2) if name == "torch.cartesian_prod" else torch.eye(2)] * 2
        found = function(name)(*members) if name in one_by_one else function(name)(members)
        assert isinstance(found, torch.Tensor), name


def test_reductions_leave_one_number() -> None:
    tensor, called = numbers(), 0
    for name in listed("reduction_functions"):
        assert function(name)(tensor).dim() == 0, name
        called += 1
    for name in listed("reduction_methods"):
        assert getattr(tensor, name)().dim() == 0, name
        called += 1
    assert called == 38


def test_slices_have_one_dimension_less() -> None:
    tensor, places = numbers(), {"select": (0, 0), "unbind": ()}
    assert listed("slicing_methods") == list(places)
    assert listed("slicing_functions") == [f"torch.{name}" for name in places]
    for name, where in places.items():
        for found in (getattr(tensor, name)(*where), function(f"torch.{name}")(tensor, *where)):
            assert {one.dim() for one in (found if isinstance(found, tuple) else (found,))} == {tensor.dim() - 1}, name


def results_of_shape(call: Any, shape: tuple[int, ...], kind: Any) -> list[Any]:
    """What ``call`` makes of a tensor of that shape, alone or with a smaller one or numbers; tensors alone."""
    torch = torch_at_hand()
    found: list[Any] = []
    row = torch.ones(3, dtype=kind)
    tensor, beside = torch.ones(shape, dtype=kind), ((), (1,), (0,), (0.25,), ([0],), (row,), (row, row), (0.25, 0.5))
    for given in (*((tensor, *more) for more in beside), (tensor, row, 0.5), (1, tensor)):
        with suppress(*REFUSALS, NotImplementedError):
            result = call(*given)
            found += result if isinstance(result, tuple) else [result]
    return [one for one in found if isinstance(one, torch.Tensor)]


def test_what_is_elementwise_keeps_the_shape_of_its_tensors() -> None:
    torch = torch_at_hand()
    calls = {name: function(name) for name in listed("elementwise_functions")}
    calls |= {name: getattr(torch.Tensor, name) for name in listed("elementwise_methods")}
    for name, call in calls.items():
        called = 0
        for shape in ((3,), (2, 3)):
            found = [one for kind in (torch.double, torch.int) for one in results_of_shape(call, shape, kind)]
            assert all(one.shape == shape for one in found), name
            called += len(found)
        assert called or name.rpartition(".")[2] == "equal", name  # which gives Python a bool


def test_numbers_are_refused_where_only_a_tensor_fits() -> None:
    torch = torch_at_hand()
    names = [name for name in listed("takes_tensor_functions") if name.startswith(("torch.nn.f", "torch.linalg."))]
    assert len(names) > 100
    taken = []
    for name in names:
        for value in (2.0, [2.0]):
            for more in ((), (torch.ones(2),), (1,)):
                try:
                    function(name)(value, *more)
                except (*REFUSALS, NotImplementedError):
                    continue
                taken.append(name)
    assert taken == []


def test_numbers_are_refused_in_the_second_place_where_only_a_tensor_fits() -> None:
    torch = torch_at_hand()
    names = [name for name in listed("takes_second_tensor_functions") if name.startswith(("torch.nn.f", "torch.lin"))]
    assert len(names) > 40
    taken = []
    for name in names:
        for more in ((), (torch.ones(2),), (1,)):
            try:
                function(name)(torch.ones(2, 2), 2.0, *more)
            except (*REFUSALS, NotImplementedError):
                continue
            taken.append(name)
    assert taken == []


def test_no_array_module_or_distribution_has_a_method_of_tensors_alone() -> None:
    numpy = pytest.importorskip("numpy")
    torch = torch_at_hand()
    others: list[Any] = [numpy.ones(2), torch.nn.Linear(1, 1), torch.distributions.Normal(0, 1)]
    others += [[], {}, "", 1.0, b"", set()]
    assert [(name, one) for name in listed("tensor_only_methods") for one in others if hasattr(one, name)] == []
    assert all(hasattr(torch.Tensor, name) for name in listed("tensor_only_methods"))
