"""The tables are well formed and say what is known of torch."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tables_at_hand import API, CLASSES, members

KINDS = {
    *("tensor", "optional-tensor", "int", "float", "bool", "str", "number", "none", "dtype", "device", "size"),
    *("generator", "limits", "storage", "numpy", "device-number", "other", "unknown"),
}
UV = {"tuple": ["tensor", "tensor"]}


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
        ("torch.finfo", "limits"),
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
        ("in_place_methods", "squeeze_", "requires_grad_"),
        ("in_place_functions", "torch.nn.init.ones_", "torch.nn.utils.clip_grad_norm_"),
        ("host_methods", "item", "sum"),
        ("host_functions", "torch.equal", "torch.eq"),
        ("metadata_methods", "numel", "is_pinned"),
        ("metadata_methods", "size", "data_ptr"),
        ("metadata_properties", "shape", "device"),
        ("metadata_functions", "torch.is_floating_point", "torch.is_grad_enabled"),
        ("place_methods", "new_zeros", "size"),
        ("place_properties", "is_cuda", "is_leaf"),
        ("place_functions", "torch.zeros_like", "torch.zeros"),
        ("gradient_methods", "retain_grad", "backward"),
        ("gradient_properties", "grad", "data"),
        ("cast_methods", "half", "cuda"),
        ("move_methods", "cuda", "numpy"),
        ("move_to_cpu_methods", "cpu", "cuda"),
        ("like_another_methods", "type_as", "cpu"),
        ("reshape_methods", "permute", "select"),
        ("reshape_methods", "detach", "half"),
        ("reshape_functions", "torch.flatten", "torch.conj"),
        ("part_methods", "narrow", "view"),
        ("part_functions", "torch.unbind", "torch.stack"),
        ("expanding_methods", "expand", "repeat"),
        ("copy_methods", "clone", "expand"),
        ("sized_functions", "torch.zeros", "torch.full"),
        ("graphless_functions", "torch.zeros_like", "torch.as_tensor"),
        ("without_gradient_functions", "torch.no_grad", "torch.enable_grad"),
        ("wrapper_functions", "torch.compile", "torch.func.grad"),
        ("factory_functions", "torch.signal.windows.hann", "torch.zeros_like"),
        ("factory_functions", "torch.tensor", "torch.clone"),
        ("factory_functions", "torch.FloatTensor", "torch.cuda.FloatTensor"),
        ("convert_functions", "torch.as_tensor", "torch.tensor"),
        ("draw_functions", "torch.multinomial", "torch.dropout"),
        ("draw_methods", "uniform_", "fill_"),
        ("out_functions", "torch.add", "torch.as_tensor"),
        ("join_functions", "torch.cat", "torch.meshgrid"),
        ("takes_tensor_functions", "torch.cumprod", "torch.cat"),
        ("takes_tensor_functions", "torch.nn.functional.conv2d", "torch.add"),
        ("takes_second_tensor_functions", "torch.matmul", "torch.mul"),
        ("takes_second_tensor_functions", "torch.nn.functional.linear", "torch.nn.functional.gaussian_nll_loss"),
        ("tensor_only_methods", "masked_fill", "sum"),
        ("tensor_only_methods", "unsqueeze", "norm"),
        ("sparse_methods", "to_sparse", "to_dense"),
        ("generator_state_functions", "torch.get_rng_state", "torch.rand"),
    ],
)
def test_trait(trait: str, member: str, stranger: str) -> None:
    assert member in API["traits"][trait]
    assert stranger not in API["traits"][trait]


# ---- the classes ----------------------------------------------------------------------------------------------------


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
