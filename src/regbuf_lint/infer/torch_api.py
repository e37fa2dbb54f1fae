"""What calls of torch's functions and methods evaluate to, by the generated table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from regbuf_lint.infer.dimensions import (
    dims_of_call,
    dims_of_method,
    dims_together,
    is_made_of_data,
    may_be_array,
)
from regbuf_lint.infer.gradients import asked, unasked
from regbuf_lint.infer.locations import location_of_call, location_of_method, together
from regbuf_lint.infer.references import ExternalValue
from regbuf_lint.model.value import (
    FLOATING,
    GIVEN_DTYPE,
    NAMELESS,
    NONE,
    ON_CPU,
    TENSOR_KINDS,
    Array,
    Buffer,
    Device,
    Differs,
    Dtype,
    Literal,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Tensor,
    Unknown,
    Value,
    is_refused,
    join,
    may_be,
    unknown,
)
from regbuf_lint.torch_facts.table import table
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments

_DTYPES = {
    "float": Dtype.FLOAT,
    "double": Dtype.DOUBLE,
    "half": Dtype.FLOAT,
    "bfloat": Dtype.FLOAT,
    "int": Dtype.INT,
    "uint": Dtype.INT,
    "long": Dtype.INT,
    "short": Dtype.INT,
    "byte": Dtype.INT,
    "char": Dtype.INT,
    "bool": Dtype.BOOL,
    "complex": Dtype.COMPLEX,
    "chalf": Dtype.COMPLEX,
    "cfloat": Dtype.COMPLEX,
    "cdouble": Dtype.COMPLEX,
}
_NO_GRADIENT = {Dtype.INT, Dtype.BOOL}
_ASKING = "requires_grad"
_DEEPEST_NESTING = 3
"""Of the methods that give a tensor in another form, those whose result has the same shape."""


def constant(name: str) -> Value | None:
    """The value of a constant such as ``torch.float32``, None where ``name`` is none."""
    kind = table().constants.get(name)
    if kind is None:
        return None
    return frozenset({Other(f"dtype:{name.rpartition('.')[2]}" if kind == "dtype" else kind)})


def call_function(name: str, arguments: Arguments) -> Value | None:
    """What ``name(...)`` returns, None where the table does not have the function."""
    spec = table().functions.get(name)
    if spec is None:
        return None
    like = result_tensor(arguments.every(), elementwise=has("elementwise_functions", name))
    location = location_of_call(name, arguments, _tensors_in(arguments.every(), 0))
    like = replace(
        like,
        differs=_difference_of_function(name, like),
        fresh=not (has("view_functions", name) and _holds_held(arguments.every())),
        expanded=_is_expanded(name, arguments),
        generator_state=has("generator_state_functions", name),
        sparse=has("sparse_functions", name) or (_is_sparse(arguments) and _keeps_layout("functions", name)),
        empty=_makes_nothing(name, arguments),
        pinned=_may_be_true(arguments.keyword("pin_memory")),
        view_of_parameter=has("view_functions", name) and _holds_parameter(arguments.every()),
        dtype=_dtype_of_call(name, arguments),
        location=location,
        dims=dims_of_call(name, arguments, like.dims) if location in ON_CPU else None,
        chosen_precision=names_float(arguments.keyword("dtype")) or _is_given_dtype(arguments.keyword("dtype")),
    )
    if not has("view_functions", name):
        like = replace(like, alias="")
    if has("graphless_functions", name) or like.dtype in _NO_GRADIENT:
        like = replace(like, derived=False, argument="")
    if has("convert_functions", name) and any(isinstance(one, Unknown) for one in arguments.argument(0, "data")):
        like = replace(like, fresh=False, argument=NAMELESS)
    found = _value(_choose(spec, arguments), like)
    flag = arguments.keyword(_ASKING)
    return asked(found, flag) if flag else found


def _difference_of_function(name: str, operands: Tensor) -> Differs:
    """Why what a function makes of tensors may be another one each time; ``zeros_like`` takes but their shapes."""
    if has("random_functions", name):
        return Differs.AT_RANDOM
    return Differs.NEVER if name.endswith("_like") else operands.differs


def _is_sparse(arguments: Arguments) -> bool:
    return any(one.sparse for one in _tensors_in(list(arguments.positional[:1]), 0))


def _keeps_layout(kind: str, name: str) -> bool:
    """Whether a function or method gives the numbers of a sparse tensor as a sparse one: elsewhere or reordered."""
    if name.rpartition(".")[2] == "to_dense":
        return False
    return any(has(f"{trait}_{kind}", name) for trait in ("move", "copy", "reshape"))


def _is_expanded(name: str, arguments: Arguments) -> bool:
    if has("expanding_functions", name):
        return True
    return has("view_functions", name) and any(one.expanded for one in _tensors_in(arguments.every(), 0))


def _makes_nothing(name: str, arguments: Arguments) -> bool:
    """Whether a call is ``torch.Tensor()``, ``torch.empty(0)`` or the like, whose result has no elements."""
    if name == "torch.Tensor":
        return not arguments.every()
    copies = is_made_of_data(name) and not has("convert_functions", name)
    first = arguments.argument(0, "data" if copies else "size")
    if copies:
        return bool(first) and all(isinstance(one, Sequence) and one.items == () for one in first)
    if not has("sized_functions", name):
        return False
    listed = [one.items for one in first if isinstance(one, Sequence)]
    sizes = listed[0] if len(listed) == len(first) == 1 else arguments.positional
    return any(_is_nought(size) for size in sizes or ()) or _is_nought(arguments.keyword("size"))


def _is_nought(size: Value) -> bool:
    return bool(size) and all(isinstance(one, Literal) and type(one.value) is int and one.value == 0 for one in size)


def call_method(name: str, receiver: Tensor, arguments: Arguments) -> Value | None:
    """What ``tensor.name(...)`` returns, None where torch's tensors have no such method."""
    spec = table().methods.get(name)
    if spec is None:
        return None
    like = _method_tensor(name, receiver, arguments)
    found = _value(_choose(spec, arguments), like)
    return asked(unasked(found), arguments.argument(0, _ASKING)) if name == f"{_ASKING}_" else found


def read_property(name: str, receiver: Tensor) -> Value | None:
    """What ``tensor.name`` is, None where torch's tensors have no such property."""
    spec = table().properties.get(name)
    if spec is None:
        return None
    like = receiver if has("view_properties", name) else replace(receiver, fresh=False)
    if name == "data":
        like = replace(like, requires_grad=False, derived=False)
    if name == "grad":
        like = Tensor(fresh=False)
    return _value(_choose(spec, None), like)


def call_generator_method(name: str) -> Value | None:
    """What a method of ``torch.Generator`` returns."""
    spec = table().generator_methods.get(name)
    return None if spec is None else _value(spec, Tensor(generator_state=True))


def as_plain(alternative: Tensor | Parameter | Buffer) -> Tensor:
    """A tensor as it is; the one inside a Parameter or buffer as an operation on it sees it."""
    if isinstance(alternative, Tensor):
        return alternative
    if isinstance(alternative, Buffer):
        return replace(alternative.tensor, fresh=False)
    return Tensor(
        derived=alternative.gives_graph,
        differs=alternative.differs,
        fresh=False,
        view_of_parameter=True,
        dtype=Dtype.FLOAT,
    )


def result_tensor(operands: list[Value], *, elementwise: bool = False) -> Tensor:
    """The tensor that an operation makes of its operands: new, with their randomness and graph.

    Args:
        operands: what is given to it.
        elementwise: whether it computes with their numbers one by one, so that their shapes tell that of the result.
    """
    found = list(_tensors_in(operands, 0))
    dims = dims_together(found)
    is_known = dims == 0 or (elementwise and dims is not None)
    return Tensor(
        derived=any(one.derived or one.requires_grad for one in found),
        differs=max((one.differs for one in found), default=Differs.NEVER),
        dims=dims if is_known and not any(map(may_be_array, operands)) else None,
        location=together(found),
        of_subclass=any(one.of_subclass for one in found),
        argument=next((one.argument for one in found if one.argument), ""),
        alias=next((one.alias for one in found if one.alias), ""),
    )


def _tensors_in(values: list[Value], depth: int) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        for one in value:
            if isinstance(one, TENSOR_KINDS):
                found.append(as_plain(one))
            elif isinstance(one, Sequence) and depth < _DEEPEST_NESTING:
                found.extend(_tensors_in(list(one.items) if one.items is not None else [one.element], depth + 1))
    return found


def _holds_held(values: list[Value]) -> bool:
    return any(not tensor.fresh for tensor in _tensors_in(values, 0))


def _holds_parameter(values: list[Value]) -> bool:
    return any(tensor.view_of_parameter for tensor in _tensors_in(values, 0))


def _is_view(method: str) -> bool:
    """Whether what a method gives shares the memory of its tensor, however it is called."""
    return has("view_methods", method) and not has("move_methods", method) and not has("copy_methods", method)


def _difference_of_method(name: str, receiver: Tensor, others: Tensor) -> Differs:
    """Why what a method makes of tensors may be another one each time."""
    if has("random_methods", name):
        return Differs.AT_RANDOM
    return others.differs if name.startswith("new_") else max(receiver.differs, others.differs)


def _as_leaf(moved: Tensor, before: Tensor) -> Tensor:
    """A tensor that a method moves or casts, which is the same leaf where it lies there, and is so, already."""
    return replace(moved, requires_grad=True, derived=before.derived) if before.requires_grad else moved


def _method_tensor(name: str, receiver: Tensor, arguments: Arguments) -> Tensor:
    moved, copied = has("move_methods", name), has("copy_methods", name)
    others = Tensor() if has("like_another_methods", name) else result_tensor(arguments.every())
    location = location_of_method(name, receiver, arguments, others)
    like = replace(
        receiver,
        requires_grad=False,
        derived=receiver.derived or receiver.requires_grad or others.derived,
        differs=_difference_of_method(name, receiver, others),
        fresh=True,
        expanded=False,
        sparse=has("sparse_methods", name) or (receiver.sparse and _keeps_layout("methods", name)),
        empty=receiver.empty and (moved or copied),
        dims=_dims_of_method(name, receiver, arguments) if location in ON_CPU else None,
        chosen_precision=_chooses_precision(name, receiver, arguments),
        pinned=name == "pin_memory" or (receiver.pinned and _is_view(name)),
        view_of_parameter=receiver.view_of_parameter and _is_view(name),
        dtype=receiver.dtype if receiver.dtype in {Dtype.DOUBLE, Dtype.FLOAT} else Dtype.UNKNOWN,
        location=location,
    )
    if name.endswith("_") and not name.endswith("__"):
        like = replace(like, fresh=receiver.fresh, requires_grad=receiver.requires_grad, dtype=receiver.dtype)
        if not receiver.derived and not others.derived:
            like = replace(like, derived=False)
        if name == "detach_":
            like = replace(like, requires_grad=False, derived=False)
        return like
    if moved or has("view_methods", name):
        is_expanded = receiver.expanded and name != "contiguous"  # which lays it out anew
        like = replace(like, fresh=receiver.fresh, expanded=is_expanded, dtype=receiver.dtype)
        like = _as_leaf(like, receiver) if moved else like
    else:
        like = replace(like, alias="")
    if has("expanding_methods", name):
        like = replace(like, expanded=True)
    if name == "detach":
        like = replace(like, derived=False)
    if copied:
        like = replace(like, dtype=receiver.dtype, fresh=name != "contiguous" or receiver.fresh)
    like = replace(like, dtype=_cast_dtype(name, arguments, like.dtype))
    if like.dtype in _NO_GRADIENT or name.startswith("new_"):
        like = replace(like, derived=False)
        like = like if moved else replace(like, argument="")
    return like


def _dims_of_method(name: str, receiver: Tensor, arguments: Arguments) -> int | None:
    if not has("elementwise_methods", name):
        return dims_of_method(name, receiver, arguments)
    return result_tensor([frozenset({receiver}), *arguments.every()], elementwise=True).dims


def names_float(value: Value) -> bool:
    """Whether a value is a floating dtype."""
    named = [one.what for one in value if isinstance(one, Other) and one.what.startswith("dtype:")]
    return bool(named) and all(dtype_named(one.removeprefix("dtype:")) in FLOATING for one in named)


def _is_given_dtype(value: Value) -> bool:
    """Whether a dtype is an argument that whoever builds the object has to choose."""
    given = any(one == GIVEN_DTYPE or (isinstance(one, Unknown) and bool(one.argument)) for one in value)
    return given and not may_be(value, NoneValue)


def _chooses_precision(name: str, receiver: Tensor, arguments: Arguments) -> bool:
    """Whether a method casts to a floating dtype that the code or its caller chose, or leaves such a cast as it is."""
    if has("cast_methods", name):
        return dtype_named(name) in FLOATING
    if _is_given_dtype(arguments.keyword("dtype")):
        return True
    if any(names_float(one) or (GIVEN_DTYPE in one and _is_given_dtype(one)) for one in arguments.every()):
        return True
    return receiver.chosen_precision and (has("move_methods", name) or has("reshape_methods", name))


def _cast_dtype(name: str, arguments: Arguments, default: Dtype) -> Dtype:
    if has("cast_methods", name):
        return dtype_named(name)
    for value in arguments.every():
        for one in value:
            if isinstance(one, Other) and one.what.startswith("dtype:"):
                return dtype_named(one.what.removeprefix("dtype:"))
            if isinstance(one, ExternalValue) and _dtype_of_type(one.name) is not Dtype.UNKNOWN:
                return _dtype_of_type(one.name)
    if has("complex_methods", name):
        return Dtype.COMPLEX
    if has("bool_methods", name):
        return Dtype.BOOL
    return Dtype.INT if has("int_methods", name) else default


def _dtype_of_type(name: str) -> Dtype:
    """The class of the dtype that ``torch.DoubleTensor`` or the like has."""
    last = name.rpartition(".")[2]
    return dtype_named(last.removesuffix("Tensor").lower()) if has("factory_functions", name) else Dtype.UNKNOWN


def dtype_named(name: str) -> Dtype:
    """The class of ``torch.<name>``."""
    if name == "float64":
        return Dtype.DOUBLE
    return _DTYPES.get(name.rstrip("0123456789"), Dtype.UNKNOWN)


def _dtype_of_call(name: str, arguments: Arguments) -> Dtype:
    if has("complex_functions", name):
        return Dtype.COMPLEX
    if has("bool_functions", name):
        return Dtype.BOOL
    for one in arguments.keyword("dtype"):
        if isinstance(one, Other) and one.what.startswith("dtype:"):
            return dtype_named(one.what.removeprefix("dtype:"))
    if has("int_functions", name):
        return Dtype.INT
    typed = _dtype_of_type(name)
    if typed is not Dtype.UNKNOWN:
        return typed
    if has("float_functions", name) and not arguments.keyword("dtype") and not arguments.starred:
        return Dtype.FLOAT
    dtypes = {tensor.dtype for tensor in _tensors_in(arguments.every(), 0)}
    if not arguments.keyword("dtype"):
        dtypes |= _dtypes_of_data(name, arguments)
    if Dtype.DOUBLE in dtypes:
        return Dtype.DOUBLE
    return dtypes.pop() if len(dtypes) == 1 else Dtype.UNKNOWN


def _dtypes_of_data(name: str, arguments: Arguments) -> set[Dtype]:
    """The dtypes that arrays hand on to a tensor; NumPy's own, the double one, where they are not known."""
    takes_arrays_alone = has("factory_functions", name) and has("view_functions", name)
    if not takes_arrays_alone and not is_made_of_data(name):
        return set()
    found = {array.dtype for array in _arrays_in(arguments.argument(0, "data"))}
    if takes_arrays_alone and not has("convert_functions", name):
        found = found or {Dtype.UNKNOWN}
    return {Dtype.DOUBLE if one is Dtype.UNKNOWN else one for one in found}


def _arrays_in(value: Value) -> list[Array]:
    """Arrays and numbers of NumPy, in lists, too."""
    found = [one for one in value if isinstance(one, Array)]
    return found + [array for one in value if isinstance(one, Sequence) for array in _arrays_in(one.element)]


def _may_be_true(value: Value) -> bool:
    """Whether an argument is given, and not to say no."""
    return bool(value) and not is_refused(value)


def _choose(spec: Any, arguments: Arguments | None) -> Any:
    """The return of the first overload that the call fits, ``"unknown"`` where none does."""
    if not isinstance(spec, dict) or "overloads" not in spec:
        return spec
    if arguments is None or arguments.starred:
        return "unknown"
    for overload in spec["overloads"]:
        if _fits(overload, arguments):
            return overload["returns"]
    return "unknown"


def _fits(overload: dict[str, Any], arguments: Arguments) -> bool:
    keyword_only = overload.get("keyword_only", ())
    params = [name for name in overload["params"] if name not in keyword_only]
    variadic = any(name.startswith("*") for name in params)
    given = len(arguments.positional)
    if given > len(params) and not variadic:
        return False
    if not set(arguments.keywords) <= {*params, *keyword_only}:
        return False
    if not set(overload["required"]) <= {*params[:given], *arguments.keywords}:
        return False
    return _flags_fit(overload, params, arguments) and _kinds_fit(overload, params, arguments)


def _given(name: str, params: list[str], arguments: Arguments) -> Value:
    return arguments.argument(params.index(name), name) if name in params else arguments.keyword(name)


def _flags_fit(overload: dict[str, Any], params: list[str], arguments: Arguments) -> bool:
    """Whether the flags on which the result depends are given as the overload wants them, or left at its default."""
    for name, wanted in overload.get("when", {}).items():
        value = _given(name, params, arguments)
        if not value and name not in overload["required"]:
            continue
        if not any(isinstance(one, Literal) and one.value == wanted for one in value):
            return False
    return True


def _kinds_fit(overload: dict[str, Any], params: list[str], arguments: Arguments) -> bool:
    """Whether no argument is certainly of another kind than its parameter."""
    return all(_may_be_kind(_given(name, params, arguments), kind) for name, kind in overload.get("types", {}).items())


def _may_be_kind(value: Value, kind: str) -> bool:
    if not value:
        return True
    if kind == "none":  # who passes something means the overload that takes something
        return any(isinstance(one, NoneValue) for one in value)
    if any(isinstance(one, Unknown) for one in value):
        return True
    if kind == "tensor":
        return any(isinstance(one, TENSOR_KINDS) for one in value)
    if kind == "list":
        return any(isinstance(one, Sequence) for one in value)
    return not all(isinstance(one, (*TENSOR_KINDS, NoneValue)) for one in value)


def _value(spec: Any, like: Tensor) -> Value:
    if isinstance(spec, str):
        return _simple(spec, like)
    if "tuple" in spec:
        # One of several may hold indices.
        like = replace(like, dtype=Dtype.UNKNOWN) if like.dtype is Dtype.FLOAT else like
        items = tuple(_value(item, like) for item in spec["tuple"])
        return frozenset({Sequence("tuple", items, join(items), tuple(spec.get("fields", ())))})
    return frozenset({Sequence("list", None, _value(spec["list"], like))})


def _simple(spec: str, like: Tensor) -> Value:
    if spec == "tensor":
        return frozenset({like})
    if spec == "optional-tensor":
        return frozenset({like, NoneValue()})
    if spec == "none":
        return NONE
    if spec == "unknown":
        return unknown("torch says so little about the result")
    if spec == "generator-state":
        return frozenset({replace(like, generator_state=True)})
    if spec in {"device", "device-number"}:
        return frozenset({Device(location=like.location)})
    return frozenset({Other(spec)})
