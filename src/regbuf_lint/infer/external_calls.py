"""Functions and classes that are not read: torch's from its table, some others' by what they promise."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.known_classes import Verdict, is_torch_distribution, torch_class
from regbuf_lint.index.symbols import External
from regbuf_lint.infer import torch_api
from regbuf_lint.infer.collections import dict_of, element_of, items_of, sequence, sequence_of
from regbuf_lint.infer.dimensions import is_made_of_data
from regbuf_lint.infer.gradients import asked
from regbuf_lint.infer.instances import distribution_of
from regbuf_lint.infer.locations import device_called
from regbuf_lint.infer.numpy_api import array_of_call
from regbuf_lint.infer.randomness import as_differing
from regbuf_lint.infer.references import ExternalValue, FunctionValue, NamedTupleClass, PartialCall
from regbuf_lint.infer.size_uses import is_used_as_size
from regbuf_lint.infer.strings import literal_string
from regbuf_lint.model.value import (
    COMPUTED,
    NAMELESS,
    NONE,
    NOTHING,
    NUMBER,
    OTHER,
    TENSOR_KINDS,
    UNKNOWN,
    Alternative,
    Buffer,
    Differs,
    Loaded,
    Mapping,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
    is_only,
    join,
    may_be,
    tensors,
    unknown,
)
from regbuf_lint.torch_facts.library_functions import iterates, library_functions
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame

_PARAMETERS = frozenset(
    {
        "torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.UninitializedParameter",
        "torch.nn.parameter.UninitializedParameter",
    }
)  # fmt: skip
BUFFERS = frozenset({"torch.nn.Buffer", "torch.nn.parameter.Buffer", "torch.nn.UninitializedBuffer"})
_COPIES = frozenset({"copy.deepcopy", "copy.copy"})
_PLAIN = frozenset({"os", "random", "time", "re", "json", "datetime", "pathlib", "logging", "warnings", "inspect"})


def call_external(frame: Frame, name: str, arguments: Arguments) -> Value:
    """What calling something by its dotted import name returns."""
    if frame.inference.is_tensor_function(name) or name in library_functions().tensors:
        return frozenset({Tensor()})
    if name in _PARAMETERS:
        data = arguments.argument(0, "data")
        known = bool(data) and all(isinstance(one, Tensor) for one in data)
        made = Parameter(differs=max(one.differs for one in tensors(data)) if known else Differs.AT_RANDOM)
        return frozenset({made.asked(arguments.argument(1, "requires_grad"))})
    if name in BUFFERS:
        inner = arguments.argument(0, "data")
        return frozenset(
            Buffer(one if isinstance(one, Tensor) else Tensor(fresh=False, argument=NAMELESS), registers_itself=True)
            for one in inner or UNKNOWN
        )
    if name in _COPIES:
        return frozenset(_fresh(one) for one in arguments.argument(0, "x")) or UNKNOWN
    if name == "torch.autograd.Variable":
        return _variable(arguments)
    if name == "functools.partial":
        return _partial(arguments)
    if has("wrapper_functions", name) and is_only(arguments.argument(0, "fn"), FunctionValue):
        return arguments.argument(0, "fn")
    return _torch(frame, name, arguments) or _other_package(frame, name, arguments)


def _partial(arguments: Arguments) -> Value:
    if not arguments.positional or arguments.starred:
        return UNKNOWN
    function, *given = arguments.positional
    return frozenset({PartialCall(function, tuple(given), tuple(arguments.keywords.items()))})


def _variable(arguments: Arguments) -> Value:
    """``Variable(t)`` gives a tensor in the memory of ``t``, without its graph, and refuses all else (torch 2.13)."""
    data, flag = arguments.argument(0, "data"), arguments.argument(1, "requires_grad")
    made = frozenset(_in_memory_of(one) for one in data if isinstance(one, (*TENSOR_KINDS, Unknown)))
    return (asked(made, flag) if flag else made) or UNKNOWN


def _in_memory_of(one: Tensor | Parameter | Buffer | Unknown) -> Tensor:
    """A plain tensor without a graph that shares the memory of a tensor, or of what has to be one."""
    if isinstance(one, Unknown):
        return Tensor(fresh=False, argument=one.argument or NAMELESS, location=one.location)
    return replace(torch_api.as_plain(one), derived=False, requires_grad=False)


def _sizes_as_numbers(frame: Frame, value: Value) -> Value:
    """What a constructor's argument is where the class gives it to layers as a size, too: a number."""
    symbol = frame.symbol
    if symbol is None:
        return value
    return frozenset(
        replace(one, number=True)
        if isinstance(one, Unknown) and one.argument and is_used_as_size(frame.inference, symbol, one.argument)
        else one
        for one in value
    )


def _torch(frame: Frame, name: str, arguments: Arguments) -> Value | None:
    top = name.partition(".")[0]
    if top != "torch":
        return None
    if name == "torch.load":
        return frozenset({Loaded("torch.load")})
    if name == "torch.device":
        return frozenset({device_called(arguments)})
    if name.startswith("torch.nn.init.") and is_only(arguments.argument(0, "tensor"), *TENSOR_KINDS):
        filled = arguments.argument(0, "tensor")  # in place, and given back (torch 2.13)
        return as_differing(filled, Differs.AT_RANDOM) if has("random_functions", name) else filled
    if has("alone_functions", name) and not arguments.every() and not arguments.starred:
        return OTHER  # it raises TypeError
    if is_made_of_data(name) and arguments.positional:
        first = _sizes_as_numbers(frame, arguments.positional[0])
        arguments = replace(arguments, positional=(first, *arguments.positional[1:]))
    found = torch_api.call_function(name, arguments)
    if found is not None:
        return unknown("tensors or TensorDicts joined") if _may_join_tensordicts(frame, name, arguments) else found
    if is_torch_distribution(name):
        return frozenset({distribution_of(arguments, name)})
    if frame.inference.hierarchy.membership(External(name)).verdict is Verdict.YES:
        return frozenset({Submodule(name)})
    return unknown(f"the result of {name}")


def _may_join_tensordicts(frame: Frame, name: str, arguments: Arguments) -> bool:
    """Whether ``torch.stack`` or the like is given what it does not take for certain to be tensors, beside TensorDicts.

    TensorDict takes part in these functions, and the result is another one.
    """
    if not has("join_functions", name) or "tensordict" not in frame.scope.file.source.text:
        return False
    return may_be(element_of(arguments.argument(0, "tensors")), Unknown)


def torch_module_result(callee: Submodule, arguments: Arguments) -> Value:
    """What calling an nn.Module of torch returns for tensors, where its ``forward`` promises a tensor."""
    known = torch_class(callee.class_name)
    if known is None or not known.returns_tensor or not arguments.positional:
        return COMPUTED
    if not any(isinstance(one, TENSOR_KINDS) for one in arguments.positional[0]):
        return COMPUTED
    like = torch_api.result_tensor(arguments.every())
    has_parameters = bool(known.parameters)
    differs = Differs.AT_RANDOM if has_parameters or "Dropout" in callee.class_name else like.differs
    return frozenset({replace(like, derived=like.derived or has_parameters, differs=differs)})


def _other_package(frame: Frame, name: str, arguments: Arguments) -> Value:
    top = name.partition(".")[0]
    if top == "numpy":
        return _of_numpy(name, arguments)
    if top == "math":
        return NUMBER
    if top in _PLAIN:
        return OTHER
    if name in _CONTAINERS:
        return _CONTAINERS[name](arguments)
    if iterates(name) and (given := arguments.argument(0, "iterable")):
        return sequence_of("list", element_of(given))
    if name in library_functions().like_argument:
        return _like_argument(arguments, expanded=name in library_functions().expanding)
    if top == "builtins" or top in sys.stdlib_module_names:
        return OTHER if name.endswith(("Error", "Exception", "Warning")) else UNKNOWN
    if frame.inference.hierarchy.membership(External(name)).verdict is Verdict.YES:
        return frozenset({Submodule(name)})
    return unknown(f"the result of {name}")


def _of_numpy(name: str, arguments: Arguments) -> Value:
    """An array; what a ufunc computes of a tensor, which has no gradient then, is wrapped as one."""
    array: Value = frozenset({array_of_call(name, arguments)})
    given = [value for value in arguments.positional if may_be(value, *TENSOR_KINDS)]
    is_listed = name.count(".") == 1 and name in library_functions().array_functions
    if not given or arguments.keyword("out") or not is_listed:
        return array
    like = torch_api.result_tensor(given, elementwise=True)
    tensor: Value = frozenset({replace(like, derived=False, argument="", alias="")})
    return tensor if any(is_only(value, *TENSOR_KINDS) for value in given) else tensor | array


def _default_dict(arguments: Arguments) -> Value:
    """A dict; where its factory makes lists or dicts, each key that is new has an empty one of them."""
    made = dict_of(replace(arguments, positional=arguments.positional[1:]))
    factory = arguments.positional[0] if arguments.positional else NOTHING
    fresh = join(_EMPTY.get(one.name, NOTHING) if isinstance(one, ExternalValue) else NOTHING for one in factory)
    return frozenset(Mapping(one.items, one.rest | fresh) if isinstance(one, Mapping) else one for one in made)


_EMPTY: dict[str, Value] = {
    "builtins.list": sequence("list", []),
    "builtins.dict": frozenset({Mapping((), NOTHING)}),
    "collections.OrderedDict": frozenset({Mapping((), NOTHING)}),
}


def _deque(arguments: Arguments) -> Value:
    given = arguments.argument(0, "iterable")
    return sequence_of("deque", element_of(given)) if given or arguments.starred else sequence("deque", [])


def _from_keys(arguments: Arguments) -> Value:
    """``dict.fromkeys(keys, value)``, whatever the keys are."""
    return frozenset({Mapping((), arguments.argument(1, "value") or NONE)})


def _chain(arguments: Arguments) -> Value:
    return sequence_of("list", join(element_of(value) for value in arguments.positional))


def _named_tuple_class(arguments: Arguments) -> Value:
    """``namedtuple("Point", "x y")`` or ``namedtuple("Point", ["x", "y"])``."""
    names = items_of(arguments.argument(1, "field_names"))
    written = literal_string(arguments.argument(1, "field_names"))
    fields = [literal_string(one) for one in names or ()] if written is None else written.replace(",", " ").split()
    known = tuple(one for one in fields if one is not None)
    return frozenset({NamedTupleClass(known)}) if known and len(known) == len(fields) else UNKNOWN


def named_tuple_of(callee: NamedTupleClass, arguments: Arguments) -> Value:
    """What calling such a class makes of the arguments; fields that they do not give are not known."""
    given = () if arguments.starred else arguments.positional
    by_name = dict(zip(callee.fields, given, strict=False)) | arguments.keywords
    items = tuple(by_name.get(field, UNKNOWN) for field in callee.fields)
    return frozenset({Sequence("tuple", items, join(items), callee.fields)})


_CONTAINERS: dict[str, Callable[[Arguments], Value]] = {
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict": dict_of,
    "collections.defaultdict": _default_dict,
    "collections.deque": _deque,
    "collections.namedtuple": _named_tuple_class,
    "itertools.chain": _chain,
}


def _like_argument(arguments: Arguments, *, expanded: bool) -> Value:
    first = arguments.argument(0, "tensor")
    if may_be(first, *TENSOR_KINDS) and not may_be(first, Unknown):
        return frozenset({replace(torch_api.result_tensor(arguments.every()), expanded=expanded)})
    return UNKNOWN


def _fresh(one: Alternative) -> Alternative:
    if isinstance(one, Tensor):
        return Tensor(
            differs=one.differs,
            derived=one.derived,
            requires_grad=one.requires_grad,
            dtype=one.dtype,
            location=one.location,
        )
    return one
