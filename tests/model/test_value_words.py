"""Values in words."""

from __future__ import annotations

import pytest

from regbuf_lint.infer.references import NamedTupleClass
from regbuf_lint.model.value import (
    NONE,
    NOTHING,
    UNSET,
    Buffer,
    Differs,
    Distribution,
    Dtype,
    Literal,
    Loaded,
    Mapping,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
)
from regbuf_lint.model.value_words import in_words


def value(*alternatives: object) -> Value:
    return frozenset(alternatives)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (NOTHING, "nothing"),
        (value(Tensor()), "a tensor"),
        (value(Tensor(dtype=Dtype.FLOAT, differs=Differs.AT_RANDOM)), "a floating-point tensor drawn at random"),
        (value(Tensor(differs=Differs.BY_PROCESS)), "a tensor that depends on the rank of the process"),
        (
            value(Tensor(dtype=Dtype.INT, requires_grad=True, argument="w", alias="v")),
            "an integer tensor that requires a gradient, given as the argument `w`, read from `self.v`",
        ),
        (value(Tensor(derived=True, expanded=True)), "a tensor computed from Parameters, expanded from a smaller one"),
        (value(Tensor(empty=True), *NONE), "a tensor without elements or None"),
        (value(Parameter(), Buffer(), *UNSET), "a Parameter, a buffer or nothing"),
        (value(Parameter(trainable=False)), "a Parameter that is not trained"),
        (value(Submodule()), "an nn.Module"),
        (value(Submodule("torch.nn.Linear")), "an nn.Module (`torch.nn.Linear`)"),
        (value(Distribution()), "a distribution"),
        (value(Literal("x")), "`'x'`"),
        (value(Other()), "no tensor"),
        (value(Other("range")), "no tensor (`range`)"),
        (value(Other("str:a*")), "no tensor"),
        (value(Unknown()), "something unknown"),
        (value(Unknown("calls itself")), "something unknown (calls itself)"),
        (value(Unknown("an argument", "w")), "the argument `w`, which may be anything"),
        (value(Loaded()), "something that `torch.load` gave"),
        (value(Sequence("tuple", (value(Tensor()), NONE), value(Tensor()))), "a tuple that holds a tensor or None"),
        (value(Sequence("list", None, value(Tensor()))), "a list that holds a tensor"),
        (value(Sequence("list", (), NOTHING)), "an empty list"),
        (value(Mapping((("a", value(Tensor())),), NOTHING)), "a dict that holds a tensor"),
        (value(NamedTupleClass(())), "an object, a class or a function"),
    ],
)
def test_words(held: Value, words: str) -> None:
    assert in_words(held) == words
