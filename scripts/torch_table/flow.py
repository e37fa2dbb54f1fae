"""Traits that say what becomes of a tensor in a function, method or property. Each function defines one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torch_table import knowledge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from torch_table.operators import Operator
    from torch_table.specs import Json, Spec

Names: TypeAlias = "set[str]"
"""Dotted names of functions and bare names of methods and properties."""

_PLAIN = {"bool", "int", "float", "number", "size", "str"}


@dataclass(frozen=True)
class Api:
    """What the traits are made of.

    Attributes:
        operators: the operator schemas.
        functions: what functions return, by dotted name.
        methods: what methods of tensors return.
        properties: what properties of tensors are.
        casts: methods that the documentation calls a ``to`` with a dtype.
        taking_tensor: functions in Python whose first argument is annotated as a tensor, and those whose second is.
        other_names: names that objects other than tensors have too.
    """

    operators: Sequence[Operator]
    functions: Mapping[str, Spec]
    methods: Mapping[str, Spec]
    properties: Mapping[str, Spec]
    casts: Names
    taking_tensor: Sequence[Names]
    other_names: Names

    def both(self, names: Iterable[str]) -> Names:
        """Methods, properties, and the functions ``torch.NAME``."""
        return {one for name in names for one in (name, f"torch.{name}")}

    def schemas(self, wanted: Callable[[Operator], bool]) -> Names:
        """The functions and methods of the operators wanted."""
        result = {one.path for one in self.operators if one.is_function and wanted(one)}
        return result | {one.name for one in self.operators if one.is_method and wanted(one)}


def host(api: Api) -> Names:
    """Gives Python a number, a truth value, a list or an array of what the tensor holds."""
    return api.schemas(lambda one: one.is_data_dependent) | api.both(knowledge.HOST)


def metadata(api: Api) -> Names:
    """Tells what is the same wherever the tensor lies, and whatever numbers it holds: shape, layout, kind of dtype."""
    told = {name for name, spec in (*api.methods.items(), *api.properties.items()) if _is_plain(spec)}
    others = host(api) | place(api) | gradient(api) | {*knowledge.MEMORY}
    return api.both((told | {*knowledge.METADATA}) - others)


def place(api: Api) -> Names:
    """Depends on the tensor's device and dtype, at most on its shape too, and on no number in it.

    ``type`` is one without arguments only; with one it is a move.
    """
    like = {name for name in api.functions if name.endswith("_like")}
    new = {name for name in api.methods if name.startswith("new_")}
    typed = {name for name, spec in api.properties.items() if spec in ("device", "dtype")}
    return like | new | (typed - {*knowledge.GRADIENT}) | api.both([*knowledge.PLACE, *knowledge.DEVICE_FLAGS])


def gradient(api: Api) -> Names:
    """Asks about, or for, the gradient of the tensor itself."""
    return {name for name in knowledge.GRADIENT if name in api.methods or name in api.properties}


def cast(api: Api) -> Names:
    """The same numbers in the dtype that its name says."""
    return api.casts


def move(api: Api) -> Names:
    """The same numbers on another device or in another dtype, the tensor itself where it is there already."""
    return api.casts | {*knowledge.MOVES}


def move_to_cpu(_: Api) -> Names:
    """The same numbers in the memory of the CPU, wherever they were."""
    return {*knowledge.MOVES_TO_CPU}


def like_another(_: Api) -> Names:
    """Takes no more than device and dtype from a tensor that it is given."""
    return {*knowledge.LIKE_ANOTHER}


def reshape(api: Api) -> Names:
    """The same numbers, all of them and none computed, in another form: shape, order, memory, graph."""
    views = api.schemas(lambda one: one.is_view)
    others = move(api) | api.both([*knowledge.PARTS, *knowledge.CONJUGATES])
    return (views - others) | api.both(knowledge.RESHAPED)


def part(api: Api) -> Names:
    """Some of the numbers, or groups of them, none computed."""
    return api.both(knowledge.PARTS)


def copy(_: Api) -> Names:
    """The same numbers in new memory (or where they are, if that is as wanted), in the same dtype and layout."""
    return {*knowledge.COPIES}


def expanding(api: Api) -> Names:
    """The result is a view with strides of 0, in which elements share memory, as long as nothing moves it."""
    names = (*api.functions, *api.methods)
    return {name for name in names if name.rpartition(".")[2] in knowledge.EXPANDING}


def factory(api: Api) -> Names:
    """Makes a tensor of numbers, shapes or arrays: on the default device, the CPU, where it is given no ``device``."""
    makers = api.schemas(
        lambda one: "Device?" in one.kinds and not any(kind.startswith("Tensor") for kind in one.kinds)
    )
    legacy = {name for name in api.functions if re.fullmatch(r"torch\.(sparse\.)?[A-Z]\w*Tensor|torch\.Tensor", name)}
    windows = {name for name in api.functions if name.startswith("torch.signal.windows.")}
    return makers | legacy | windows | {f"torch.{name}" for name in knowledge.FACTORIES}


def sized(_: Api) -> Names:
    """The first argument is the size of the result, and no other says more of it."""
    return {f"torch.{name}" for name in knowledge.SIZED}


def spacing(_: Api) -> Names:
    """Makes a row of numbers at even distances, as many as its arguments say."""
    return {f"torch.{name}" for name in knowledge.RANGES}


def graphless(api: Api) -> Names:
    """The result has no graph, whatever it is made of."""
    return {f"torch.{name}" for name in knowledge.GRAPHLESS} | {
        name for name in api.functions if name.endswith("_like")
    }


def without_gradient(_: Api) -> Names:
    """Nothing computed in its context, or in the function that it decorates, has a graph."""
    return {f"torch.{name}" for name in knowledge.WITHOUT_GRADIENT}


def wrapper(_: Api) -> Names:
    """Takes a function, and gives one that computes the same."""
    return {f"torch.{name}" for name in knowledge.WRAPPERS}


def convert(_: Api) -> Names:
    """Makes its first argument a tensor, and gives it back where it is one already."""
    return {f"torch.{name}" for name in knowledge.CONVERTERS}


def draw(api: Api) -> Names:
    """Draws random numbers, by the generator that it is given or by torch's own."""
    drawn = api.schemas(lambda one: one.is_random and any(kind.startswith("Generator") for kind in one.kinds))
    drawn = {name for name in drawn if not re.search(knowledge.NOT_DRAWN, name)}
    starts = re.compile(knowledge.RANDOM_PYTHON[0])
    return drawn | {name for name in api.functions if starts.fullmatch(name)}


def in_place(api: Api) -> Names:
    """Changes the numbers or the shape of the tensor itself."""
    names = {name for name in (*api.functions, *api.methods) if name.endswith("_")}
    return {name for name in names if name.rpartition(".")[2] not in knowledge.UNCHANGING}


def overwriting(api: Api) -> Names:
    """Puts other numbers in the place of all that the tensor holds, whatever these are."""
    return {name for name in draw(api) & in_place(api) if name in api.methods} | {*knowledge.OVERWRITING}


def fetching(_: Api) -> Names:
    """Takes the numbers of the tensor that it is given from whatever device that lies on."""
    return {*knowledge.FETCHING}


def one_dtype(api: Api) -> Names:
    """Takes floating tensors of one dtype alone, and refuses a float32 one beside one of half precision."""
    names = api.both(knowledge.ONE_DTYPE) | {f"torch.nn.functional.{name}" for name in knowledge.LAYERS_OF_ONE_DTYPE}
    return names | {f"{name}_" for name in names}


def layer(api: Api) -> Names:
    """Computes what a layer does, with the weight of that layer as its second argument."""
    weighted = {one.name for one in api.operators if "Tensor weight" in one.arguments[:2]}
    return {f"torch.nn.functional.{name}" for name in weighted} & api.functions.keys()


def second_on_cpu(api: Api) -> Names:
    """Takes its second tensor on the CPU alone, wherever the first lies."""
    return api.both(knowledge.SECOND_ON_CPU)


def alone(api: Api) -> Names:
    """Computes with one tensor, the first argument; what else is given is read as numbers."""
    others = api.schemas(lambda one: not one.is_out and _tensors_taken(one) != 1)
    return api.schemas(lambda one: re.match(r"Tensor(\(|$)", (one.kinds or [""])[0]) is not None) - others


def out(api: Api) -> Names:
    """Takes ``out=``, a tensor into which it writes."""
    return {one.path for one in api.operators if one.is_out and one.is_function}


def join(api: Api) -> Names:
    """Makes one tensor of several, which it is given as a list or one by one."""
    joined = api.schemas(lambda one: one.kinds[:1] == ["Tensor[]"] and one.returns == "Tensor")
    return joined | {f"torch.{name}" for name in knowledge.JOINS}


def reduction(api: Api) -> Names:
    """Makes one number of all numbers, where it is given the tensor alone."""
    return api.both(knowledge.REDUCTIONS)


def slicing(api: Api) -> Names:
    """Gives parts of a tensor that have one dimension less."""
    return api.both(knowledge.SLICES)


def elementwise(api: Api) -> Names:
    """Computes with the numbers of its tensors one by one, or along a row; their shapes together are the result's."""
    others = api.schemas(lambda one: not one.is_elementwise and not one.is_out)
    return api.schemas(lambda one: one.is_elementwise) - others | api.both(knowledge.ELEMENTWISE)


def ragged(api: Api) -> Names:
    """Makes a tensor whose size depends on the numbers in what it is given."""
    found = api.schemas(lambda one: one.is_of_any_length) | api.both(knowledge.RAGGED)
    return found & {*api.functions, *api.methods}


def takes_tensor(api: Api) -> Names:
    """Its first argument can be nothing but a tensor."""
    return _taking_tensor(api, 0)


def takes_second_tensor(api: Api) -> Names:
    """Its second argument can be nothing but a tensor."""
    return _taking_tensor(api, 1)


def _taking_tensor(api: Api, place: int) -> Names:
    kinds: dict[str, set[str]] = {}
    for one in api.operators:
        if one.is_function and not one.is_out:
            kind = one.kinds[place] if place < len(one.kinds) else ""
            kinds.setdefault(one.path, set()).add(re.sub(r"\(.*?\)", "", kind))
    schemas = {path for path, found in kinds.items() if found == {"Tensor"}}
    others = (*knowledge.NUMBERS_FOR_TENSORS, *knowledge.NUMBERS_FOR_ANNOTATED)
    return (schemas | api.taking_tensor[place]) - {f"torch.{name}" for name in others}


def tensor_only(api: Api) -> Names:
    """A method that nothing but tensors has: no array, container, file, nn.Module or distribution."""
    return {*api.methods} - api.other_names - {*knowledge.SHARED_NAMES}


def generator_state(_: Api) -> Names:
    """The state of a generator, which stays on the CPU."""
    return {f"torch.{name}" for name in knowledge.GENERATOR_STATES}


def sparse(api: Api) -> Names:
    """The result is, or may be, a sparse tensor."""
    starts = ("torch.sparse_", "torch.sparse.", "torch.cuda.sparse.", "to_sparse")
    return {name for name in (*api.functions, *api.methods) if name.startswith(starts)}


TRAITS = (
    host,
    metadata,
    place,
    gradient,
    cast,
    move,
    move_to_cpu,
    like_another,
    reshape,
    part,
    copy,
    expanding,
    factory,
    sized,
    spacing,
    graphless,
    without_gradient,
    wrapper,
    convert,
    draw,
    in_place,
    overwriting,
    fetching,
    one_dtype,
    layer,
    second_on_cpu,
    alone,
    out,
    join,
    reduction,
    slicing,
    elementwise,
    ragged,
    takes_tensor,
    takes_second_tensor,
    tensor_only,
    generator_state,
    sparse,
)


def flow_traits(api: Api) -> dict[str, list[str]]:
    """The names of each trait, sorted into functions, methods and properties."""
    result = {}
    for trait in TRAITS:
        names = trait(api)
        for kind, known in (("functions", api.functions), ("methods", api.methods), ("properties", api.properties)):
            listed = sorted(names & known.keys())
            if listed:
                result[f"{trait.__name__}_{kind}"] = listed
    return result


def _tensors_taken(one: Operator) -> int:
    """How many arguments of an operator are tensors, or lists of them."""
    return sum(kind.startswith("Tensor") for kind in one.kinds)


def _is_plain(spec: Json) -> bool:
    """Whether all that a call can give is made of numbers, strings and truth values."""
    if isinstance(spec, str):
        return spec in _PLAIN
    if isinstance(spec, list):
        return all(map(_is_plain, spec))
    if not isinstance(spec, dict):
        return False
    if "overloads" in spec:
        overloads = spec["overloads"]
        return isinstance(overloads, list) and all(
            isinstance(one, dict) and _is_plain(one["returns"]) for one in overloads
        )
    return _is_plain(spec.get("list", spec.get("tuple", "")))
