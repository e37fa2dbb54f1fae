"""The audit of live modules, and the assertion for test suites."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import threading
from collections import OrderedDict, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch as torch_types
    from torch import nn as nn_types

torch = pytest.importorskip("torch")
nn = torch.nn
from regbuf_lint.verify import assert_state_follows_module, audit  # noqa: E402  torch may be absent
from regbuf_lint.verify.worker.values import digest  # noqa: E402

pytestmark = pytest.mark.torch


@dataclass
class Settings:
    """An object that holds a tensor."""

    low: torch_types.Tensor


class Holder(nn.Module):  # type: ignore[name-defined, misc]
    """Holds one value under the name ``held``."""

    def __init__(self, held: Any) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("table", torch.ones(3))
        self.held = held(self) if callable(held) else held

    def forward(self, x: torch_types.Tensor) -> Any:
        return x * self.weight


def closure(_: nn_types.Module) -> Any:
    bound = torch.ones(2)
    return lambda x: x + bound


def with_default(_: nn_types.Module) -> Any:
    def function(x: Any, bound: Any = torch.ones(2)) -> Any:  # noqa: B008  that is the point
        return x + bound

    return function


FOUND = {
    "tensor": (torch.ones(2), [("held", "tensor")]),
    "list": ([torch.ones(2), 1, torch.ones(2)], [("held[0]", "container"), ("held[2]", "container")]),
    "tuple": ((torch.ones(2),), [("held[0]", "container")]),
    "dict": ({"a": torch.ones(2)}, [("held['a']", "container")]),
    "ordered": (OrderedDict(a=torch.ones(2)), [("held['a']", "container")]),
    "deque": (deque([torch.ones(2)]), [("held[0]", "container")]),
    "set": ({torch.ones(2)}, [("held[0]", "container")]),
    "nested": ([{"a": (torch.ones(2),)}], [("held[0]['a'][0]", "container")]),
    "distribution": (
        torch.distributions.Normal(torch.zeros(2), torch.ones(2)),
        [("held.loc", "distribution"), ("held.scale", "distribution")],
    ),
    "partial": (lambda _: partial(torch.add, torch.ones(2)), [("held.args[0]", "closure")]),
    "partial_keyword": (
        lambda _: partial(torch.add, other=torch.ones(2)),
        [("held.keywords['other']", "closure")],
    ),
    "closure": (closure, [("held.<bound>", "closure")]),
    "closure_in_partial": (lambda m: partial(closure(m), 1), [("held.func.<bound>", "closure")]),
    "default": (with_default, [("held.__defaults__[0]", "closure")]),
    "method": (lambda _: Settings(torch.ones(2)).__repr__, [("held.__self__.low", "closure")]),
    "object": (lambda _: Settings(torch.ones(2)), [("held.low", "object")]),
    "hidden_module": (lambda _: [nn.Linear(1, 1)], [("held[0].weight", "container"), ("held[0].bias", "container")]),
    "alias": (lambda m: m.table, [("held", "alias")]),
    "alias_in_list": (lambda m: [m.table], [("held[0]", "alias")]),
    "requires_grad": (lambda m: m.table.requires_grad_() is None, [("table", "requires-grad")]),
}
"""What an attribute holds, and what the audit says."""

QUIET = {
    "number": 1,
    "none": None,
    "size": torch.Size([2]),
    "dtype": torch.float32,
    "parameter_in_list": lambda m: [m.weight],
    "submodule": lambda _: nn.Linear(2, 2),
    "module_list": lambda _: nn.ModuleList([nn.Linear(2, 2)]),
    "submodule_in_list": lambda m: [m],
    "own_method": lambda m: m.forward,
    "function": lambda _: torch.nn.functional.relu,
    "generator": lambda _: torch.Generator(),
    "strings": ["a", b"b"],
    "numpy_free": {"n": 2},
}


@pytest.mark.parametrize("name", FOUND)
def test_what_stays_behind_is_found(name: str) -> None:
    held, expected = FOUND[name]
    assert [(one.path, one.kind) for one in audit(Holder(held))] == expected


@pytest.mark.parametrize("name", QUIET)
def test_what_follows_is_not(name: str) -> None:
    assert audit(Holder(QUIET[name])) == ()


def test_the_findings_say_where_and_what() -> None:
    outer = nn.Sequential(nn.Linear(1, 1), Holder([torch.ones(2, 3, dtype=torch.int64)]))
    (found,) = audit(outer)
    assert (found.path, found.class_name, found.attribute) == ("1.held[0]", "Holder", "held")
    assert (found.shape, found.dtype, found.device) == ((2, 3), "torch.int64", "cpu")
    assert str(found) == "1.held[0]: container, torch.int64 2x3 on cpu, held by Holder"


def test_an_alias_names_its_buffer() -> None:
    (found,) = audit(Holder(lambda m: m.table))
    assert found.of == "table"
    assert "alias of buffer table" in str(found)


def test_real_modules_of_torch_are_clean() -> None:
    modules = [
        nn.LSTM(2, 2),
        nn.Transformer(8, 2, 1, 1, 8),
        nn.BatchNorm1d(2),
        nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)),
        nn.CrossEntropyLoss(weight=torch.ones(2)),
    ]
    assert [audit(module) for module in modules] == [()] * len(modules)


class Moving(Holder):
    """Moves its tensor itself."""

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        super()._apply(fn, *args, **kwargs)
        self.held = fn(self.held)
        return self


def test_what_a_class_moves_itself_follows() -> None:
    module = Moving(torch.ones(2))
    held = module.held
    assert audit(module) == ()
    assert module.held is held


class Refilling(nn.Module):  # type: ignore[name-defined, misc]
    """Casts what it keeps in a dict, in its own ``to``."""

    def forward(self, x: torch_types.Tensor) -> Any:
        return x

    def __init__(self) -> None:
        super().__init__()
        self.tables = {"a": torch.ones(2)}

    def to(self, *args: Any, **kwargs: Any) -> Any:
        for name in self.tables:
            self.tables[name] = self.tables[name].to(*args, **kwargs)
        return self


class Clearing(Holder):
    """Gives up its cache, counts, and writes, when it moves."""

    def __init__(self, held: Any) -> None:
        super().__init__(held)
        self.cache = {"a": [1], "b": (torch.ones(2), [2])}
        self.moves = 0
        self.forget: Any = lambda: self.cache.pop("a", None)
        self.again: Any = partial(dict.clear, self.cache)

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        self.forget()
        self.again()
        self.moves += 1
        self.weight.data.zero_()
        self.held.zero_()
        return super()._apply(fn, *args, **kwargs)


class Locked(Clearing):
    """Holds what cannot be copied."""

    def __init__(self, held: Any) -> None:
        super().__init__(held)
        self.lock = threading.Lock()


class Watching(Holder):
    """Changes itself whenever a method of it is called."""

    calls = 0

    def _called(self) -> None:
        self.__dict__["calls"] = self.calls + 1

    def __getstate__(self) -> Any:
        self._called()
        return dict(self.__dict__)

    def __deepcopy__(self, memo: Any) -> Any:
        self._called()
        return self

    def named_parameters(self, *args: Any, **kwargs: Any) -> Any:
        self._called()
        return super().named_parameters(*args, **kwargs)

    def named_buffers(self, *args: Any, **kwargs: Any) -> Any:
        self._called()
        return super().named_buffers(*args, **kwargs)

    def named_modules(self, *args: Any, **kwargs: Any) -> Any:
        self._called()
        return super().named_modules(*args, **kwargs)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        self._called()
        return super().state_dict(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        self._called()
        return super().__getattr__(name)

    @property
    def size(self) -> int:
        self._called()
        return 1


LIVE: dict[str, Any] = {
    "to_refills_a_dict": Refilling,
    "apply_clears_a_cache": lambda: Clearing(torch.ones(2)),
    "every_method_counts": lambda: Watching([torch.ones(2)]),
    "with_a_graph": lambda: Holder(lambda m: m.weight * 2),
    "with_a_lock": lambda: Locked(torch.ones(2)),
}


def everything(module: Any) -> list[Any]:
    """What a module holds, with the identities of all objects."""
    found: list[Any] = []
    waiting = [module]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        found.append((id(one), type(one), digest(one) if isinstance(one, torch.Tensor) else None))
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            waiting += [item for pair in one.items() for item in pair]
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif hasattr(one, "__dict__") and not isinstance(one, type):
            waiting += object.__getattribute__(one, "__dict__").values()
    return found


@pytest.mark.parametrize("name", LIVE)
def test_the_live_module_is_as_it_was(name: str) -> None:
    module = LIVE[name]()
    before = everything(module)
    random = torch.get_rng_state()
    audit(module)
    assert everything(module) == before
    for inputs in (None, torch.ones(3)):
        with suppress(AssertionError):  # it lists what stays behind
            assert_state_follows_module(module, inputs, "meta")
        assert everything(module) == before
    assert torch.equal(torch.get_rng_state(), random)


class OfTheClass(Holder):
    """Keeps state in its class, which its own methods write."""

    cache: ClassVar[dict[str, Any]] = {"a": 1}
    moves = 0

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        self.cache.clear()
        type(self).moves += 1
        type(self).late = 1
        super()._apply(fn, *args, **kwargs)
        self.held = fn(self.held)
        return self

    def forward(self, x: torch_types.Tensor) -> Any:
        OfTheClass.cache["x"] = x
        return super().forward(x)


def test_its_classes_are_as_they_were() -> None:
    module = OfTheClass(torch.ones(3))
    before = dict(vars(OfTheClass))
    assert audit(module) == ()
    assert_state_follows_module(module, torch.ones(3), "cpu")
    assert vars(OfTheClass) == before
    assert OfTheClass.cache == {"a": 1}


class Slotted:
    """Keeps a tensor in a slot."""

    __slots__ = ("low",)

    def __init__(self, low: Any) -> None:
        self.low = low


class MovingAll(Holder):
    """Moves by a function of its own what it holds, in whatever."""

    def __init__(self, held: Any, move: Callable[[Any, Any], None]) -> None:
        super().__init__(held)
        self.move = move

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        super()._apply(fn, *args, **kwargs)
        self.move(self, fn)
        return self


def move_slot(module: Any, fn: Any) -> None:
    module.held.low = fn(module.held.low)


def move_last(module: Any, fn: Any) -> None:
    module.held.append(fn(module.held[0]))


def move_default(module: Any, fn: Any) -> None:
    module.held["a"] = fn(module.held["b"])


def move_marked(module: Any, fn: Any) -> None:
    mark = module.held.mark
    module.held = fn(module.held)
    module.held.mark = mark


def marked() -> Any:
    tensor: Any = torch.ones(2)
    tensor.mark = "mask"
    return tensor


MOVED: dict[str, tuple[Callable[[], Any], Callable[[Any, Any], None]]] = {
    "slot": (lambda: Slotted(torch.ones(2)), move_slot),
    "deque": (lambda: deque([torch.ones(2)], maxlen=1), move_last),
    "defaultdict": (lambda: defaultdict(partial(torch.ones, 2), a=torch.ones(2)), move_default),
    "marked": (marked, move_marked),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_a_class_moves_in_whatever_follows(name: str) -> None:
    make, move = MOVED[name]
    assert audit(MovingAll(lambda _: make(), move)) == ()


def test_copies_end_without_a_word() -> None:
    ended: list[str] = []

    class Handle(list[int]):
        def __del__(self) -> None:
            ended.append("handle")

    class Ending(MovingAll):
        def __del__(self) -> None:
            ended.append("module")

    module = Ending(torch.ones(2), lambda module, fn: setattr(module, "held", fn(module.held)))
    module.handle = Handle()
    assert audit(module) == ()
    gc.collect()
    assert ended == []


def test_a_method_of_a_list_is_that_of_its_copy() -> None:
    module = MovingAll(torch.ones(2), lambda module, _: module.push(2))
    module.items = [1]
    module.push = module.items.append
    audit(module)
    assert module.items == [1]


def test_no_copying_of_the_users_own_is_asked() -> None:
    class Table(bytearray):
        def __deepcopy__(self, memo: Any) -> Any:
            self.clear()
            return self

    module = MovingAll(torch.ones(2), lambda module, fn: setattr(module, "held", fn(module.held)))
    module.bits = Table(b"x")
    assert audit(module) == ()
    assert module.bits == b"x"


def test_what_a_dict_is_refilled_with_follows() -> None:
    assert audit(Refilling()) == ()


class Tabled(Holder):
    """Tensors in the class and in a slot."""

    __slots__ = ("low",)
    table_of_all = torch.ones(3)
    low: Any

    def __init__(self) -> None:
        super().__init__(None)
        object.__setattr__(self, "low", torch.ones(2))


def test_tensors_of_the_class_and_in_slots() -> None:
    assert [(one.path, one.kind) for one in audit(Tabled())] == [("table_of_all", "tensor"), ("low", "tensor")]


def test_any_depth() -> None:
    held: Any = torch.ones(2)
    for _ in range(200):
        held = [held]
    assert [one.path for one in audit(Holder(held))] == ["held" + "[0]" * 200]


def test_where_it_stopped_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Settings(Settings(Settings(Settings(torch.ones(2)))))  # type: ignore[arg-type]
    found = audit(Holder(far))
    assert (found, found.stopped) == ((), ("held.low.low.low",))
    assert str(found) == "nothing\nnot looked into: held.low.low.low"
    monkeypatch.setattr("regbuf_lint.verify.containers.MOST_THINGS", 5)
    assert audit(Holder([[[number]] for number in range(9)])).stopped


def test_what_is_ignored_is_left_out() -> None:
    module = nn.Sequential(Holder([torch.ones(1), torch.ones(2)]), Holder(torch.ones(1)))
    paths = [one.path for one in audit(module)]
    assert paths == ["0.held[0]", "0.held[1]", "1.held"]
    assert [one.path for one in audit(module, ignore=["0.held"])] == ["1.held"]
    assert [one.path for one in audit(module, ignore=["1.*"])] == paths[:2]
    assert audit(module, ignore=["held"]) == ()
    assert_state_follows_module(module, device="meta", ignore=["held"])


def test_the_result_is_a_table() -> None:
    assert str(audit(nn.Sequential(Holder([torch.ones(2, 3)]), Holder(lambda m: m.table)))).splitlines() == [
        "where      kind                     dtype          shape  device  class",
        "0.held[0]  container                torch.float32  2x3    cpu     Holder",
        "1.held     alias of buffer 1.table  torch.float32  3      cpu     Holder",
    ]


def test_a_cycle_ends() -> None:
    things: list[Any] = [torch.ones(1)]
    things.append(things)
    assert len(audit(Holder(things))) == 1


# The assertion


class Good(nn.Module):  # type: ignore[name-defined, misc]
    """All of its state follows it."""

    scale: Any

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.register_buffer("scale", torch.arange(3.0))

    def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
        return self.linear(x) * self.scale + shift


class Caching(Good):
    """Keeps what a call computes."""

    def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
        if not hasattr(self, "cache"):
            self.cache = [self.scale * 2]
        return super().forward(x, shift)


class Remembering(Good):
    """Keeps a temporary, which each call replaces."""

    def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
        self.last = x
        return super().forward(x, shift)


class OnCpu(Good):
    """Makes a tensor on the CPU."""

    def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
        return super().forward(x, shift) + torch.ones(3)


class NotCast(Good):
    """Keeps a buffer in float32."""

    def double(self) -> NotCast:
        super().double()
        self.scale = self.scale.float()
        return self


class NotMoved(Good):
    """Keeps a buffer where it is."""

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        kept = self.scale
        super()._apply(fn, *args, **kwargs)
        if self.scale.device != kept.device:
            self.scale = kept
        return self


class Derived(Good):
    """A buffer with a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("norm", self.linear.weight.norm())


WRONG = [
    (lambda: Holder(torch.ones(2)), None, r"do not follow the module:\n  held: tensor"),
    (NotMoved, None, r"not on \w+ after .to\(\):\n  scale on cpu"),
    (NotCast, None, r"not cast by .double\(\):\n  scale: torch.float32"),
    (Derived, None, r"norm: requires-grad"),
    (Caching, torch.ones(2, 3), r"stored by a call, and still not on \w+"),
    (OnCpu, torch.ones(2, 3), r"cannot be called on \w+: RuntimeError"),
]


@pytest.mark.parametrize(("make", "inputs", "message"), WRONG)
def test_what_does_not_follow_is_an_error(make: Any, inputs: Any, message: str, device: str) -> None:
    with pytest.raises(AssertionError, match=message):
        assert_state_follows_module(make(), inputs, device)


@pytest.mark.parametrize(
    "inputs",
    [None, torch.ones(2, 3), (torch.ones(2, 3),), [torch.ones(2, 3), 1], {"x": torch.ones(2, 3), "shift": 2}],
)
def test_what_follows_passes(inputs: Any, device: str) -> None:
    module = Good()
    assert_state_follows_module(module, inputs, device)
    assert_state_follows_module(module, inputs)
    assert module.scale.device.type == "cpu"
    assert module.scale.dtype is torch.float32


class Using(Good):
    """Uses what it holds in each call."""

    def __init__(self, held: Any, use: Callable[[Any], Any]) -> None:
        super().__init__()
        self.held = held
        self.use = use

    def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
        self.use(self.held)
        return super().forward(x, shift)


def locked(lock: Any) -> None:
    with lock:
        pass


USED = {
    "path": (Path("data"), lambda path: path / "more"),
    "fraction": (Fraction(1, 3), lambda number: number + 1),
    "logger": (logging.getLogger("regbuf"), lambda logger: logger.warning("called")),
    "lock": (threading.Lock(), locked),
    "reentrant_lock": (threading.RLock(), locked),
}


@pytest.mark.parametrize("name", USED)
def test_copies_work_with_what_the_module_uses(name: str) -> None:
    assert_state_follows_module(Using(*USED[name]), torch.ones(2, 3))


def test_inputs_may_be_written() -> None:
    class Writing(Good):
        def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
            return super().forward(x.add_(1), shift)

    inputs = torch.ones(2, 3)
    assert_state_follows_module(Writing(), inputs, "cpu")
    assert torch.equal(inputs, torch.ones(2, 3))


def test_random_outputs_are_compared_in_shape() -> None:
    class Dropping(Good):
        def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
            noise = torch.randn(3, generator=None) if x.is_meta else torch.randn(3) + self.calls()
            return nn.functional.dropout(super().forward(x, shift) + noise.to(x.device))

        def calls(self) -> int:
            self.number = getattr(self, "number", 0) + 1
            return self.number

    assert_state_follows_module(Dropping(), torch.ones(2, 3), "cpu")


def test_a_temporary_is_no_state(device: str) -> None:
    assert_state_follows_module(Remembering(), torch.ones(2, 3), device)


def test_meta_without_values_is_no_failure() -> None:
    class Deciding(Good):
        def forward(self, x: torch_types.Tensor, shift: Any = 0) -> Any:
            return super().forward(x, shift) if x.sum() > 0 else x

    assert_state_follows_module(Deciding(), torch.ones(2, 3), "meta")


def test_importing_the_package_does_not_import_torch() -> None:
    code = (
        "import sys, regbuf_lint.verify as v; assert 'torch' not in sys.modules; v.audit; assert 'torch' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_there_is_nothing_else() -> None:
    import regbuf_lint.verify as package  # noqa: PLC0415

    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


class Watched:
    """Notes whatever is asked of it, and says that it is a number."""

    asked: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        Watched.asked.append(name)
        return object.__getattribute__(self, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        Watched.asked.append("__class__")
        return int


class WatchedKind(type):
    """A class that notes what is asked of it."""

    def __getattribute__(cls, name: str) -> Any:
        Watched.asked.append(name)
        return type.__getattribute__(cls, name)

    def __eq__(cls, other: object) -> bool:
        Watched.asked.append("__eq__")
        return cls is other

    def __hash__(cls) -> int:
        Watched.asked.append("__hash__")
        return 1


def watched_module() -> nn_types.Module:
    class Kind(metaclass=WatchedKind):
        pass

    class Module(Watched, nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            nn.Module.__init__(self)
            self.holder, self.of_kind = Watched(), Kind()
            self.holder.tensor = self.of_kind.tensor = torch.ones(2)  # type: ignore[attr-defined]

    return Module()


def test_no_object_is_asked_what_it_is() -> None:
    module = watched_module()
    Watched.asked.clear()
    found = [one.path for one in audit(module)]
    assert Watched.asked == []
    assert found == ["holder.tensor", "of_kind.tensor"]


@pytest.mark.parametrize("kind", [list, tuple])
def test_nothing_lies_too_deep(kind: Any) -> None:
    class Moving(nn.Module):  # type: ignore[name-defined, misc]
        def _apply(self, *given: Any) -> Any:
            return super()._apply(*given)

    module = Moving()
    module.held = torch.ones(2)
    for _ in range(3000):
        module.held = kind([module.held])
    assert [one.attribute for one in audit(module)] == ["held"]
    assert_state_follows_module(module, ignore=["held"])


CALLS: list[int] = []
TIMES = 0


def note(number: int) -> None:
    CALLS.append(number)


def test_what_methods_have_taken_along_is_as_it_was() -> None:
    """Globals, also those of functions that are called, closures and defaults."""
    kept = {"calls": 0}

    class Counting(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.ones(3)

        def _apply(self, fn: Any, seen: list[int] = []) -> Any:  # noqa: B006  that is what is tested
            global TIMES  # noqa: PLW0603
            TIMES += 1
            note(TIMES)
            kept["calls"] += 1
            seen.append(1)
            self.scale = fn(self.scale)
            return super()._apply(fn)

    assert audit(Counting()) == ()
    assert (CALLS, TIMES, kept) == ([], 0, {"calls": 0})
    assert vars(Counting)["_apply"].__defaults__ == ([],)


def test_what_leaves_the_program_is_not_let_go() -> None:
    class Leaving(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.ones(3)

        def _apply(self, *_: Any) -> Any:
            sys.exit(3)

    assert [one.path for one in audit(Leaving())] == ["scale"]
