"""Objects that a call of a class makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.known_classes import Verdict, is_tensor_class, is_torch_distribution
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.infer.annotations import PARAMETERS, instance_of
from regbuf_lint.infer.dimensions import is_plain_number
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.value import (
    OTHER,
    TENSOR_KINDS,
    Distribution,
    Literal,
    NoneValue,
    Parameter,
    Value,
    is_only,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame

_COPYING = frozenset(
    {
        "Beta", "Categorical", "Chi2", "ContinuousBernoulli", "LKJCholesky", "LowRankMultivariateNormal", "Multinomial",
        "MultivariateNormal", "NegativeBinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough",
        "RelaxedBernoulli", "RelaxedOneHotCategorical", "Wishart",
    }
)  # fmt: skip
"""Distributions that compute other tensors from their parameters when they are made (torch 2.13)."""
_NEVER_TENSORS = frozenset({"Exception", "BaseException", "Enum", "IntEnum"})


def instantiate(frame: Frame, symbol: ClassSymbol, arguments: Arguments) -> Value:
    """An object of a class that can be read; its construction is followed only when an attribute is asked for."""
    order = frame.inference.hierarchy.order(symbol)
    outside = [base.name for base in order if isinstance(base, External)]
    if any(is_tensor_class(name) for name in outside) and not PARAMETERS & set(outside):
        return frozenset({replace(result_tensor(arguments.every()), of_subclass=True)})
    is_module = frame.inference.hierarchy.membership(symbol).verdict is Verdict.YES
    base = next(filter(is_torch_distribution, outside), None)
    if not is_module and base is not None:
        return frozenset({distribution_of(arguments, base)})
    if any(name.rpartition(".")[2] in _NEVER_TENSORS for name in outside):
        return OTHER
    return instance_of(frame.inference, symbol)


def distribution_of(arguments: Arguments, name: str) -> Distribution:
    """A distribution over the given parameters.

    Args:
        arguments: what its class is called with.
        name: the class, or the one of torch's own that it derives from. Given nothing but nn.Parameters of one shape,
            most keep these very objects (torch 2.13), which follow the nn.Module that they are registered on.
    """
    given = [value for value in arguments.every() if not _is_flag(value)]
    keeps = name.rpartition(".")[2] not in _COPYING and all(is_only(one, Parameter) for one in given)
    like = result_tensor(given)
    inner = [one for value in given for one in value if isinstance(one, Distribution)]
    return Distribution(
        of_tensors=not keeps and any(_holds_tensor(value) for value in given),
        of_numbers=bool(given) and all(value and all(map(is_plain_number, value)) for value in given),
        derived=like.derived or any(one.derived for one in inner),
        differs=max((like.differs, *(one.differs for one in inner))),
    )


def _is_flag(value: Value) -> bool:
    """Whether an argument such as ``validate_args`` is given, or None in the place of one."""
    return all(
        isinstance(one, NoneValue) or (isinstance(one, Literal) and isinstance(one.value, bool)) for one in value
    )


def _holds_tensor(value: Value) -> bool:
    """Whether a parameter of a distribution is certainly a tensor, or a distribution over tensors."""
    if is_only(value, Distribution):
        return all(one.of_tensors for one in value if isinstance(one, Distribution))
    return is_only(value, *TENSOR_KINDS)
