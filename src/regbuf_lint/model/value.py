"""What an expression can evaluate to, as far as it matters for the state of an nn.Module.

A value is a set of alternatives; each alternative is one of the frozen classes below. A rule decides only where it
knows every alternative, so an ``Unknown`` among them keeps it silent.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Dtype(Enum):
    """Class of a tensor's dtype; casts such as ``.half()`` reach only FLOAT, DOUBLE and COMPLEX."""

    FLOAT = "float"
    DOUBLE = "double"
    INT = "int"
    BOOL = "bool"
    COMPLEX = "complex"
    UNKNOWN = "unknown"


FLOATING = frozenset({Dtype.FLOAT, Dtype.DOUBLE})
"""Dtypes that a cast such as ``.half()`` changes, complex ones aside."""


class Location(Enum):
    """Where a tensor lies when the object is built, or which place a device is."""

    DEFAULT = "where nothing else is said: the CPU"
    CPU = "the CPU, by name"
    NAMED = "an accelerator, by name"
    CHOSEN = "a device that the machine chooses, or whoever builds the object"
    OFFERED = "the CPU, as a rule: whoever builds the object may choose another device, and need not"
    META = "nowhere: a tensor without data"


ON_CPU = frozenset({Location.DEFAULT, Location.CPU, Location.OFFERED})
"""Where a number, a tensor without dimensions, goes with tensors of any device (torch 2.13)."""


class LeftOut(Enum):
    """What an argument is where callers leave it out."""

    NEVER = "they have to give it, or each of them does"
    NONE = "None"
    OTHER = "something else"


class Differs(IntEnum):
    """Why two constructions of the same object give a value other content; of two reasons the higher counts."""

    NEVER = 0
    BY_PROCESS = 1
    AT_RANDOM = 2


class Alternative(Struct, frozen=True):
    """One thing that an expression can evaluate to.

    Attributes:
        is_function: whether it is a function, of which a table may hold more than a name has other values.
    """

    is_function: ClassVar[bool] = False


class Content(Alternative, frozen=True, kw_only=True):
    """What has content that may come from a random generator, or depend on the rank of the process.

    Attributes:
        differs: why the next construction may give it other content, as far as is known.
    """

    differs: Differs = Differs.NEVER

    @property
    def random(self) -> bool:
        """Whether it comes from a random generator, directly or through other values."""
        return self.differs is Differs.AT_RANDOM


class Tensor(Content, frozen=True):
    """A tensor that is not registered anywhere.

    Attributes:
        requires_grad: a leaf that asks for a gradient.
        derived: computed from a Parameter, so that it carries a graph.
        fresh: nothing else holds this tensor; False for arguments and other names' tensors.
        expanded: has strides of 0, so that in-place writes fail (``Tensor.expand``).
        generator_state: state of a random generator, which has to stay on the CPU.
        sparse: of a sparse layout, as far as is known; DDP refuses such buffers.
        empty: without elements, as far as is known: it stands for nothing.
        pinned: in page-locked memory of the host, from where it is copied to a device.
        view_of_parameter: shares the memory of a Parameter, of which it is a part or another form.
        of_subclass: of a class that derives from torch's, or computed from one that is.
        dtype: class of its dtype.
        location: where it lies.
        dims: how many dimensions it has, as far as is known of what lies on the CPU.
        chosen_precision: its floating dtype is written where it is made, so that it may be wanted.
        argument: name of the constructor argument that it may be identical with, or an empty string.
        alias: name of the attribute that it was read from, or an empty string.
    """

    requires_grad: bool = False
    derived: bool = False
    fresh: bool = True
    expanded: bool = False
    generator_state: bool = False
    sparse: bool = False
    empty: bool = False
    pinned: bool = False
    view_of_parameter: bool = False
    of_subclass: bool = False
    dtype: Dtype = Dtype.UNKNOWN
    location: Location = Location.DEFAULT
    dims: int | None = None
    chosen_precision: bool = False
    argument: str = ""
    alias: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is without dimensions, as far as is known: it goes with tensors of any device."""
        return self.dims == 0


class Parameter(Content, frozen=True):
    """An ``nn.Parameter``.

    Attributes:
        trainable: False only where ``requires_grad=False`` is written.
        differs: that of its first value.
        flagged: whether something says that it is trained or is not, and which of them is not known.
    """

    trainable: bool = True
    differs: Differs = Differs.AT_RANDOM
    flagged: bool = False

    @property
    def gives_graph(self) -> bool:
        """Whether what is computed from it surely carries a graph."""
        return self.trainable and not self.flagged

    def asked(self, requires_grad: Value) -> Parameter:
        """Return it as an argument ``requires_grad`` leaves it; a Parameter is trained where none is given."""
        known = all(isinstance(one, Literal) for one in requires_grad)
        return replace(self, trainable=not is_refused(requires_grad), flagged=not known)


class Buffer(Alternative, frozen=True):
    """A tensor that is a registered buffer of the object that it was read from, or an ``nn.Buffer`` not stored yet.

    Attributes:
        tensor: what is known of the tensor.
        registers_itself: whether it is an ``nn.Buffer`` object, which every attribute that it is assigned to registers.
    """

    tensor: Tensor = Tensor()
    registers_itself: bool = False


class Submodule(Alternative, frozen=True):
    """An instance of an nn.Module class."""

    class_name: str = ""


class Distribution(Content, frozen=True):
    """A ``torch.distributions`` object.

    Attributes:
        of_tensors: whether a tensor certainly went into it.
        of_numbers: whether nothing but numbers of Python did: it makes tensors of them on the CPU, where it draws, too.
        derived: whether a Parameter may have gone into it, so that what it computes carries a graph.
    """

    of_tensors: bool = False
    of_numbers: bool = False
    derived: bool = True


class NoneValue(Alternative, frozen=True):
    """``None``."""


class Literal(Alternative, frozen=True):
    """A number, string, bytes or bool that is known."""

    value: str | int | float | complex | bool | bytes | None


class Other(Content, frozen=True):
    """Certainly no tensor and nothing that holds one: a number, a string, a dtype, a function, ...

    Attributes:
        what: what it is, in a word.
        usual: the string that it is where nothing else is given, or an empty string.
        left_out: what it is where callers leave it out, if it is an argument that may be a device or the name of one.
    """

    what: str = ""
    usual: str = ""
    left_out: LeftOut = LeftOut.NEVER


class Array(Other, frozen=True):
    """An array or a number of NumPy.

    Attributes:
        dtype: class of its dtype, which tensors made of it get.
        is_number: whether it is a number, as far as is known.
    """

    what: str = "ndarray"
    dtype: Dtype = Dtype.UNKNOWN
    is_number: bool = False


class Device(Other, frozen=True):
    """A ``torch.device``.

    Attributes:
        location: which place it is.
    """

    what: str = "device"
    location: Location = Location.CHOSEN


class Sequence(Alternative, frozen=True):
    """A list, tuple, set or deque.

    Attributes:
        kind: name of the type.
        items: values one by one where the length is known, else None.
        element: what an element can be, over all elements.
        fields: names under which a named tuple offers its items.
    """

    kind: str
    items: tuple[Value, ...] | None
    element: Value
    fields: tuple[str, ...] = ()


class Mapping(Alternative, frozen=True):
    """A dict: values under known string keys, and what stands under any other key."""

    items: tuple[tuple[str, Value], ...]
    rest: Value


class Unknown(Content, frozen=True):
    """Anything.

    Attributes:
        reason: why more is not known.
        argument: name of the argument without annotation that it is, or an empty string.
        present: whether it is known not to be None.
        of_module: whether some nn.Module holds it, which looks after it.
        computed: whether an nn.Module has computed it, or what it is part of, so that it is nobody's Parameter.
        number: whether it is a number, or computed from some, where callers give arguments what these default to.
        left_out: what it is where callers leave it out, if it is an argument.
        location: where it lies if it is a tensor, as far as the code has moved it.
    """

    reason: str = ""
    argument: str = ""
    present: bool = False
    of_module: bool = False
    computed: bool = False
    number: bool = False
    left_out: LeftOut = LeftOut.NEVER
    location: Location = Location.DEFAULT


class Part(Enum):
    """Which part of a loaded object a value is; of an item of an element, ELEMENT is said."""

    WHOLE = "the object itself"
    ITEM = "what an index or unpacking gives"
    ELEMENT = "what iterating gives"


class Place(Struct, frozen=True):
    """An attribute that holds a loaded object, and which part of the object is meant."""

    attribute: str
    part: Part = Part.WHOLE


class Loaded(Unknown, frozen=True):
    """What ``torch.load`` returned, or a part of it: a tensor, or something that holds tensors or even nn.Modules.

    Attributes:
        places: where it has been stored; kept only while its uses are looked for.
        is_moved: whether it has been moved or cast, which no list or dict can be.
    """

    places: frozenset[Place] = frozenset()
    is_moved: bool = False


class Unset(Alternative, frozen=True):
    """The name is not bound on some path."""


Value: TypeAlias = frozenset[Alternative]

NOTHING: Value = frozenset()
NONE: Value = frozenset({NoneValue()})
UNSET: Value = frozenset({Unset()})
OTHER: Value = frozenset({Other()})
NUMBER: Value = frozenset({Other("number")})
UNKNOWN: Value = frozenset({Unknown()})
GIVEN_DTYPE = Other("dtype of the caller")
"""What an argument is whose annotation says that it is a dtype."""
COMPUTED: Value = frozenset({Unknown(computed=True)})

TENSOR_KINDS: tuple[type[Tensor], type[Parameter], type[Buffer]] = (Tensor, Parameter, Buffer)
FOLLOWING: tuple[type[Alternative], ...] = (Buffer, Parameter, Submodule, NoneValue)
"""What an attribute can be that follows the object wherever it is moved."""
NAMELESS = "?"
"""In the place of an argument's name: the tensor comes from outside, and nobody knows as what."""
MOST_ALTERNATIVES = 12
MOST_FUNCTIONS = 40


def unknown(reason: str) -> Value:
    """A value of which only ``reason`` is known."""
    return frozenset({Unknown(reason)})


def made_of(one: Alternative) -> Value:
    """What is read from, or given by, an alternative of which no more is known."""
    return COMPUTED if isinstance(one, Unknown) and one.computed else UNKNOWN


def join(values: Iterable[Value]) -> Value:
    """What a name can be where paths meet that bind it to ``values``."""
    every = list(values)
    joined = every[0] if len(every) == 1 else frozenset[Alternative]().union(*every)
    if len(joined) > MOST_ALTERNATIVES:
        functions = sum(one.is_function for one in joined)
        if functions > MOST_FUNCTIONS or len(joined) - functions > MOST_ALTERNATIVES:
            return unknown("too many alternatives")
    return joined


def the_one(value: Value) -> Alternative | None:
    """The only alternative; None where there are several."""
    return next(iter(value)) if len(value) == 1 else None


def is_tensor(value: Value) -> bool:
    """Whether every alternative is an unregistered tensor, or None beside at least one tensor."""
    return any(type(one) is Tensor for one in value) and all(type(one) in (Tensor, NoneValue) for one in value)


def is_number(value: Value) -> bool:
    """Whether a value is a tensor without dimensions, which goes with tensors of any device."""
    return is_only(value, Tensor) and holds_numbers(value)


def holds_numbers(value: Value) -> bool:
    """Whether there are unregistered tensors among the alternatives, none of which has dimensions."""
    held = tensors(value)
    return bool(held) and all(one.is_number for one in held)


def is_parameter_or_tensor(value: Value) -> bool:
    """Whether there are Parameters and unregistered tensors among the alternatives, and nothing else."""
    return may_be(value, Tensor) and is_only(without(value, Tensor), Parameter)


def may_be(value: Value, *kinds: type[Alternative]) -> bool:
    """Whether some alternative is of one of ``kinds``."""
    return any(isinstance(one, kinds) for one in value)


def is_refused(flag: Value) -> bool:
    """Whether an argument is given and says no, whatever the program's input."""
    return bool(flag) and all(isinstance(one, Literal) and not one.value for one in flag)


def shared_left_out(arguments: Iterable[Unknown]) -> LeftOut:
    """What one of several arguments is where callers leave it out."""
    found = {one.left_out for one in arguments}
    if not found or LeftOut.NEVER in found:
        return LeftOut.NEVER
    return found.pop() if len(found) == 1 else LeftOut.OTHER


def is_only(value: Value, *kinds: type[Alternative]) -> bool:
    """Whether there are alternatives and each is of one of ``kinds``."""
    return bool(value) and all(isinstance(one, kinds) for one in value)


def tensors(value: Value) -> tuple[Tensor, ...]:
    """The alternatives that are unregistered tensors."""
    return tuple(one for one in value if isinstance(one, Tensor))


def tensors_inside(value: Value) -> Iterator[Tensor]:
    """The unregistered tensors among the alternatives, and those in lists, tuples and dicts among them."""
    yield from tensors(value)
    yield from (tensor for one in value for part in parts_of(one) for tensor in tensors_inside(part))


def parts_of(one: Alternative) -> tuple[Value, ...]:
    """What a list, tuple or dict holds, as far as that is known one by one; nothing for any other alternative."""
    if isinstance(one, Sequence):
        return one.items if one.items is not None else (one.element,)
    return (*(value for _, value in one.items), one.rest) if isinstance(one, Mapping) else ()


def is_empty_container(one: Alternative) -> bool:
    """Whether an alternative is a list or dict that holds nothing but None and containers that are empty too."""
    if not isinstance(one, (Sequence, Mapping)):
        return False
    return all(is_empty_container(held) for value in parts_of(one) for held in without(value, NoneValue))


def asks_for_gradient(value: Value) -> bool:
    """Whether a tensor among the alternatives requires a gradient itself, and none has it from what it is made of."""
    found = tensors(value)
    return any(tensor.requires_grad for tensor in found) and not any(tensor.derived for tensor in found)


def without(value: Value, *kinds: type[Alternative]) -> Value:
    """The alternatives that are of none of ``kinds``."""
    return frozenset(one for one in value if not isinstance(one, kinds))


def map_tensors(value: Value, change: Callable[[Tensor], Alternative]) -> Value:
    """``value`` with ``change`` applied to each unregistered tensor among its alternatives."""
    return frozenset(change(one) if isinstance(one, Tensor) else one for one in value)


def held(value: Value, *, argument: str = "", alias: str = "") -> Value:
    """``value`` as seen by a second holder: its tensors are not fresh any more."""
    return map_tensors(
        value,
        lambda tensor: replace(tensor, fresh=False, argument=argument or tensor.argument, alias=alias or tensor.alias),
    )
