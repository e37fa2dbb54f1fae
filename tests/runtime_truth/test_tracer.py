from __future__ import annotations

import functools
import inspect
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from torch import nn
else:
    torch = pytest.importorskip("torch")
    nn = torch.nn

from store_tracer import Store, Tracer

pytestmark = pytest.mark.torch

HERE = Path(__file__)


@contextmanager
def tracing(lines: dict[str, list[int]] | None = None) -> Iterator[Tracer]:
    before = sys.gettrace()
    tracer = Tracer(HERE.parent, lines)
    tracer.start()
    try:
        yield tracer
    finally:
        tracer.stop()
        sys.settrace(before)


def stores(tracer: Tracer) -> dict[str, Store]:
    """What was stored, by attribute; no class here stores an attribute on two lines."""
    found = {attribute: store for (_, _, attribute), store in tracer.stores.items()}
    assert len(found) == len(tracer.stores)
    return found


def fates(tracer: Tracer) -> dict[str, dict[str, int]]:
    return {attribute: dict(store.final) for attribute, store in stores(tracer).items() if store.final}


class Kinds(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plain = torch.ones(2)
        self.listed = [torch.ones(2)]
        self.keyed = {"a": (torch.ones(2), 1)}
        self.shape = torch.ones(2).shape
        self.nothing = None
        self.weight = nn.Parameter(torch.ones(2))
        self.weights = [nn.Parameter(torch.ones(2))]
        self.child = nn.Identity()
        self.noise = torch.distributions.Normal(torch.zeros(1), torch.ones(1))
        self.marked = nn.Buffer(torch.ones(2))
        self.register_buffer("kept", None)
        self.kept = torch.ones(2)
        self.slope = torch.ones(2)

    @property
    def slope(self) -> torch.Tensor:
        return self.plain

    @slope.setter
    def slope(self, value: torch.Tensor) -> None:
        self.stored_slope = value


def test_kinds_of_values() -> None:
    with tracing() as tracer:
        Kinds()
    assert {attribute: dict(store.building) for attribute, store in stores(tracer).items()} == {
        "plain": {"tensor": 1},
        "listed": {"container": 1},
        "keyed": {"container": 1},
        "shape": {"other": 1},
        "nothing": {"none": 1},
        "weight": {"parameter": 1},
        "weights": {"other": 1},
        "child": {"module": 1},
        "noise": {"distribution": 1},
        "marked": {"buffer": 1},
        "kept": {"buffer": 1},
        "slope": {"property": 1},
        "stored_slope": {"tensor": 1},
    }


def test_the_line_is_the_one_of_the_target() -> None:
    with tracing() as tracer:
        Kinds()
    lines, first = inspect.getsourcelines(Kinds)
    expected = next(first + number for number, line in enumerate(lines) if "self.listed" in line)
    assert (HERE.name, expected, "listed") in tracer.stores


class Fates(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stays = torch.ones(2)
        self.deleted = torch.ones(2)
        del self.deleted
        self.registered = torch.ones(2)
        value = self.registered
        del self.registered
        self.register_buffer("registered", value)
        self.promoted = torch.ones(2)
        value = self.promoted
        del self.promoted
        setattr(self, "promoted", nn.Parameter(value))  # noqa: B010


def test_what_becomes_of_a_tensor() -> None:
    with tracing() as tracer:
        Fates()
    final = {name: store.final for (_, _, name), store in tracer.stores.items() if store.final}
    assert final == {
        "stays": {"tensor": 1},
        "deleted": {"absent": 1},
        "registered": {"buffer": 1},
        "promoted": {"parameter": 1},
    }


class Owner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        tensor = self.inner.table
        del self.inner.table
        self.inner.register_buffer("table", tensor)
        self.inner.foreign = torch.ones(2)


class Inner(nn.Module):
    foreign: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.ones(2)


def test_the_outermost_object_decides_and_other_objects_are_not_under_construction() -> None:
    with tracing() as tracer:
        Owner()
        Inner()
    assert fates(tracer) == {"table": {"buffer": 1, "tensor": 1}}
    assert stores(tracer)["foreign"].later == {"tensor": 1}


class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.build()

    def build(self) -> None:
        raise NotImplementedError


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Derived(Base):
    @wrapped
    def __init__(*args: Any) -> None:
        super(Derived, args[0]).__init__()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)

    def build(self) -> None:
        self.built = torch.ones(2)

    def forward(self) -> torch.Tensor:
        self.cached = torch.ones(2)
        return self.cached


def test_methods_that_construction_calls_and_those_called_later() -> None:
    with tracing() as tracer:
        Derived()()
    seen = stores(tracer)
    assert (seen["built"].building, seen["built"].later) == ({"tensor": 1}, {})
    assert (seen["cached"].building, seen["cached"].later) == ({}, {"tensor": 1})
    assert seen["built"].classes == {"Derived"}


class Failing(nn.Module):
    def __init__(self, *, fail: bool) -> None:
        super().__init__()
        self.early = torch.ones(2)
        try:
            self.check(fail=False)
            self.check(fail=True)
        except ValueError:
            self.check(fail=fail)

    def check(self, *, fail: bool) -> None:
        if fail:
            raise ValueError


def test_a_construction_that_fails_decides_nothing() -> None:
    with tracing() as tracer:
        Failing(fail=False)
        with pytest.raises(ValueError, match=r"^$"):
            Failing(fail=True)
        Inner()
    assert fates(tracer) == {"early": {"tensor": 1, "failed": 1}, "table": {"tensor": 1}}


class Moving(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.followed = torch.ones(2)
        self.left = torch.ones(2)
        self.alias = self.followed

    def _apply(self, fn: Any, recurse: bool = True) -> Any:  # noqa: FBT001, FBT002  as in torch
        self.followed = fn(self.followed)
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]


def test_what_a_class_moves_itself() -> None:
    with tracing() as tracer:
        module = Moving()
    first = {name: store for (_, _, name), store in tracer.stores.items() if store.building}
    assert first["followed"].moved == {"Moving"}
    assert first["left"].moved == set()
    assert first["alias"].moved == set()
    assert module.alias is module.followed
    assert not any(store.later for store in tracer.stores.values())


class Casting(nn.Module):
    def __init__(self, *, registered: bool) -> None:
        super().__init__()
        self.followed = torch.ones(2)
        self.left = torch.ones(2)
        if registered:
            self.register_buffer("kept", torch.ones(2))

    def to(self, *args: Any, **kwargs: Any) -> Any:
        self.followed = self.followed.to(*args, **kwargs)
        return super().to(*args, **kwargs)


@pytest.mark.parametrize(("registered", "moved"), [(False, {"Casting"}), (True, set())])
def test_what_a_class_moves_in_its_own_to(*, registered: bool, moved: set[str]) -> None:
    with tracing() as tracer:
        module = Casting(registered=registered)
    first = {name: store for (_, _, name), store in tracer.stores.items() if store.building}
    assert first["followed"].moved == moved
    assert first["left"].moved == set()
    assert module.followed.dtype is torch.float32


def branches(*, taken: bool) -> int:
    if taken:
        return 1
    return 2


class Branching(nn.Module):
    def __init__(self, *, taken: bool) -> None:
        super().__init__()
        if taken:
            self.one = 1
        self.two = 2


def test_which_of_the_given_lines_ran() -> None:
    function = inspect.getsourcelines(branches)[1]
    module = inspect.getsourcelines(Branching)[1]
    wanted = [function + 2, function + 3, module + 4, module + 5]
    with tracing({HERE.name: wanted}) as tracer:
        branches(taken=True)
        Branching(taken=False)
    assert tracer.executed == {HERE.name: {function + 2, module + 5}}


def test_nothing_is_left_behind() -> None:
    original = nn.Module.__setattr__
    with tracing():
        assert nn.Module.__setattr__ is not original
    assert nn.Module.__setattr__ is original
