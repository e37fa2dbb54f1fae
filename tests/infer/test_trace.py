"""What the trace says becomes of an attribute, by small classes: uses, stores, and the queries over both."""

from __future__ import annotations

import textwrap

import pytest
from infer_examples import traced

from regbuf_lint.model.trail import Flow, Source
from regbuf_lint.model.use import Sink, Store, Trace, Use


def model(methods: str, start: str = "torch.ones(3)", more: str = "") -> str:
    """A class whose ``x`` starts as said, with a buffer ``held`` and a part ``part``, and with these methods."""
    head = f"""\
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.ones(3))
        self.part = nn.Linear(3, 3)
        self.generator = torch.Generator()
        self.x = {start}

"""
    return head + textwrap.indent(textwrap.dedent(methods), "    ") + textwrap.dedent(more)


def trace(methods: str, start: str = "torch.ones(3)", more: str = "") -> Trace:
    return traced(model(methods, start, more))


def forward(*lines: str, start: str = "torch.ones(3)") -> Trace:
    return trace("def forward(self, y):\n" + "".join(f"    {line}\n" for line in lines), start)


def words(use: Use) -> tuple[str, str, set[str], bool]:
    """Sink, flow, names of the partners, and whether it always happens."""
    return use.sink.name, use.flow.name, {one.name for one in use.partners}, use.certain


def uses(found: Trace) -> list[tuple[str, str, set[str], bool]]:
    return [words(one) for one in found.uses("x")]


def meetings(found: Trace) -> list[tuple[str, set[str], bool]]:
    return [(flow, names, certain) for sink, flow, names, certain in uses(found) if sink == "MEETS"]


def the_store(found: Trace) -> Store:
    (store,) = found.stores("x")
    return store


def flows(store: Store) -> set[tuple[str, str, str]]:
    return {(one.source.name, one.name, one.flow.name) for one in store.trail.origins}


# Uses


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return y + self.x"], ("SAME", {"y"}, True)),
        (["held = self.x", "return y + held"], ("SAME", {"y"}, True)),
        (["return self.x.to(y.device) + y"], ("MOVED", {"y"}, True)),
        (["return self.x.to(y) + y"], ("MOVED", {"y"}, True)),
        (["return self.x.cpu() + y"], ("TO_CPU", {"y"}, True)),
        (["return (self.x * 2).exp() + y"], ("COMPUTED", {"y"}, True)),
        (["return self.x[1:] + y"], ("ELEMENT", {"y"}, True)),
        (["return self.x.unsqueeze(0) + y"], ("SAME", {"y"}, True)),
        (["return torch.where(y > 0, self.x, y)"], ("SAME", {"y"}, True)),
        (["return y.masked_fill(self.x, 0.0)"], ("SAME", {"y"}, True)),
        (["return self.x * self.held"], ("SAME", {"self.held"}, True)),
        (["return self.x + self.part(y)"], ("SAME", {"self.part"}, True)),
        (["if y.sum() > 0:", "    y = y + self.x", "return y"], ("SAME", {"y"}, False)),
        (["if y.sum() > 0:", "    return y", "return y + self.x"], ("SAME", {"y"}, False)),
        (["for one in y:", "    y = one + self.x", "return y"], ("SAME", {"y"}, False)),
        (["while y.sum() > 0:", "    y = y + self.x", "return y"], ("SAME", {"y"}, False)),
        (["return y + (lambda z: z + self.x)(y)"], ("SAME", {"y"}, True)),
        (["def inner(z):", "    return self.x + z", "return inner(y)"], ("SAME", {"y"}, True)),
        (["add = partial(torch.add, self.x)", "return add(y)"], ("SAME", {"y"}, True)),
        (["return y + getattr(self, 'x')"], ("SAME", {"y"}, True)),
        (["return torch.zeros_like(self.x) + y"], ("BESIDE", {"y"}, True)),
        (["y[y > 0] = self.x", "return y"], ("SAME", {"y"}, True)),
        (["y[torch.arange(2)] = self.x", "return y"], ("SAME", {"y"}, True)),
        (["y[0] = self.x", "return y"], ("SAME", {"y"}, True)),
        (["return torch.ones(3) + self.x"], ("SAME", {""}, True)),
        (["return torch.ones(3, device=y.device) + self.x"], ("SAME", {"y"}, True)),
    ],
)
def test_what_it_meets(lines: list[str], expected: tuple[str, set[str], bool]) -> None:
    assert meetings(forward(*lines)) == [expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return self.x"], ("RETURNED", "SAME", set())),
        (["return self.x * 2"], ("RETURNED", "COMPUTED", set())),
        (["return self.part(self.x)"], ("PASSED", "SAME", {"self.part"})),
        (["return y[self.x]"], ("INDEX", "SAME", {"y"})),
        (["return np.asarray(self.x)"], ("NUMPY", "SAME", set())),
        (["return self.x.numpy()"], ("NUMPY", "SAME", set())),
        (["return self.x.cpu().numpy()"], ("NUMPY", "TO_CPU", set())),
        (["return y + self.x.item()"], ("HOST", "SAME", set())),
        (["return y + self.x[0]"], ("HOST", "SAME", set())),
        (["for one in self.x:", "    y = y + one", "return y"], ("HOST", "ELEMENT", set())),
        (["if self.x > 0:", "    return y"], ("HOST", "COMPUTED", set())),
        (["return self.x.shape[0] + y"], ("METADATA", "SAME", set())),
        (["return y if self.x is None else y + 1"], ("METADATA", "SAME", set())),
        (["return y.new_zeros(3, device=self.x.device)"], ("PLACE", "SAME", set())),
        (["from einops import rearrange", "return rearrange(self.x, 'n -> n 1')"], ("RETURNED", "COMPUTED", set())),
        (["self.part.other = self.x"], ("STORED", "SAME", set())),
        (["self.other = self.x"], ("STORED", "SAME", set())),
        (
            ["return torch.bernoulli(self.x, generator=self.generator).to(y.device) * y"],
            ("DRAW", "SAME", set()),
        ),
        (["view = self.x.view(-1)", "view[0] = 1"], ("MUTATED", "SAME", set())),
        (["rest = self.x[1:]", "rest.add_(y)"], ("MUTATED", "ELEMENT", {"y"})),
        (["y[:, 0] = self.x"], ("COPIED", "SAME", {"y"})),
        (["y[None, ..., 1:] = self.x"], ("COPIED", "SAME", {"y"})),
        (["new = torch.zeros(3)", "new[0] = self.x", "return new + y"], ("COPIED", "SAME", {""})),
        (["torch.zeros(3).copy_(self.x)"], ("COPIED", "SAME", {""})),
        (["self.x.copy_(y)"], ("MUTATED", "SAME", {"y"})),
        (["there = self.x.to(y.device)", "there[0] = 1"], ("MUTATED_COPY", "MOVED", set())),
        (["return map(lambda z: self.x, y)"], ("RETURNED", "SAME", set())),
        (
            ["from tqdm.auto import tqdm", "for one in tqdm(self.x):", "    y = y + one", "return y"],
            ("HOST", "ELEMENT", set()),
        ),
        (
            ["from rich.progress import track", "for one in track(self.x):", "    y = y + one", "return y"],
            ("HOST", "ELEMENT", set()),
        ),
        (["given = {'x': self.x}", "return given | y"], ("RETURNED", "SAME", set())),
        (["given = dict(x=self.x)", "return given | dict(x=y)"], ("RETURNED", "SAME", set())),
    ],
)
def test_how_it_ends(lines: list[str], expected: tuple[str, str, set[str]]) -> None:
    assert [one[:3] for one in uses(forward(*lines))] == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return y * self.x[y.device]", True),
        ("return y * self.x[y.device.index]", True),
        ("return y * self.x[y.get_device()]", True),
        ("return y * self.x.get(y.device)", True),
        ("return y * self.x[len(y)]", False),
        ("return y * self.x[y.dtype]", False),
        ("return y * self.x.get(y.dtype)", False),
        ("return y * self.x[0].to(y.device)", False),
    ],
)
def test_a_device_chooses_from_a_container(*, line: str, expected: bool) -> None:
    start = "{0: torch.ones(3), 1: torch.ones(3)}"
    assert forward(line, start=start).is_chosen_by_device("x") == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["there = self.x.to(y.device).clone()", "there[0] = 1"],
        ["there = self.x.to(y.device) * 2", "there[0] = 1"],
        ["there = self.x.cpu()", "there[0] = 1"],
    ],
)
def test_a_copy_is_changed_alone(lines: list[str]) -> None:
    assert uses(forward(*lines)) == []


def test_what_is_moved_into_the_attribute_is_changed_there() -> None:
    found = forward("self.x = self.x.to(y)", "self.x[0] = 1")
    assert uses(found) == [("MUTATED", "MOVED", set(), True)]
    assert found.is_updated("x")


def test_what_lies_in_one_dict_is_not_computed_together() -> None:
    found = forward("held = {}", "held['y'] = y", "held['x'] = self.x", "return held")
    assert [one[:3] for one in uses(found)] == [("STORED", "SAME", set()), ("RETURNED", "SAME", set())]


def test_what_nobody_reads_has_no_uses() -> None:
    assert uses(forward("return y + self.held")) == []


def test_a_branch_that_raises_is_no_way_out() -> None:
    assert meetings(forward("if y is None:", "    raise ValueError", "return y + self.x")) == [("SAME", {"y"}, True)]


def test_a_computed_name_may_be_any_that_the_text_has() -> None:
    method = "def show(self, name):\n    return getattr(self, name)\n"
    assert uses(trace(method)) == []
    assert [one[:3] for one in uses(trace(f"NAMES = ['x']\n\n{method}"))] == [("PASSED", "SAME", set())]
    started = trace("def forward(self, y, end):\n    return y + getattr(self, f'x{end}')\n")
    assert meetings(started) == [("SAME", {"y"}, True)]
    assert uses(trace("def forward(self, y, end):\n    return y + getattr(self, f'z{end}')\n")) == []


def test_a_helper_is_followed_with_what_it_is_given() -> None:
    """It has no uses of its own beside those that ``forward`` has through it."""
    found = trace("""
        def forward(self, y):
            return self.add(self.x, y)

        def add(self, one, other):
            return one + other + self.x
    """)
    entries = {(use.entry, use.method, use.sink) for use in found.uses("x")}
    assert entries == {("forward", "add", Sink.MEETS)}
    assert {frozenset(one.name for one in use.partners) for use in found.uses("x")} == {frozenset({"y"})}


def test_each_function_that_a_call_may_mean_is_given_what_is_passed() -> None:
    found = trace("""
        def forward(self, y):
            combined = self.added if self.training else self.scaled
            return combined(self.x, y)

        def added(self, one, other):
            return one + other

        def scaled(self, one, other):
            return one * other
    """)
    meetings = {(use.method, *(one.name for one in use.partners)) for use in found.uses("x") if use.sink is Sink.MEETS}
    assert meetings == {("added", "y"), ("scaled", "y")}


def test_of_several_functions_that_take_it_the_same_one_is_named_in_each_process() -> None:
    """Sets of strings have another order in each process; the name is the first by the alphabet."""
    names = ["solve", "integrate", "adjoint", "shoot", "march", "relax", "expand", "propagate"]
    rows = ["import elsewhere", *(f"if y == {at}: f = elsewhere.{one}" for at, one in enumerate(names[1:]))]
    found = forward("import elsewhere", f"f = elsewhere.{names[0]}", *rows, "return f(y, self.x)")
    assert [use.callee for use in found.uses("x") if use.sink is Sink.PASSED] == ["elsewhere.adjoint"]


def test_a_helper_that_only_somebody_else_calls_counts_by_itself() -> None:
    found = trace("def other(self, z):\n    return z * self.x\n")
    assert [(use.entry, words(use)) for use in found.uses("x")] == [("other", ("MEETS", "SAME", {"z"}, True))]


def test_a_list_that_gets_parts_of_a_tensor_leaves_the_tensor_as_it_is() -> None:
    lines = ["parts = []", "for i in range(3):", "    parts.append(self.x[i])", "return parts[0] + y"]
    assert "MUTATED" not in {sink for sink, *_ in uses(forward(*lines))}
    assert "MUTATED" in {sink for sink, *_ in uses(forward("self.x.append(y)", start="[torch.ones(3)]"))}


def test_what_lies_beside_a_result_does_not_lie_beside_the_numbers_that_made_it() -> None:
    lines = [
        "for one in self.x:",
        "    z = torch.stft(y, 4, hop_length=one)",
        "    y = self.held.to(z.device) + self.held",
    ]
    assert {use.sink for use in forward(*lines).uses("x")} == {Sink.HOST}


@pytest.mark.parametrize("move", ["y.to(device=y.device, dtype=self.x.dtype)", "y.to(y.device, self.x.dtype)"])
def test_what_is_cast_to_its_dtype_lies_elsewhere(move: str) -> None:
    found = forward(f"z = {move}", "return z + self.held")
    assert {use.sink for use in found.uses("x")} == {Sink.PLACE}


def test_a_dict_that_may_hold_a_tensor_leaves_it_as_it_is() -> None:
    lines = ["kept = {'x': getattr(self, 'x', None)}", "kept['y'] = y", "return kept"]
    start = "torch.ones(3)\n        if flag: del self.x"
    assert "MUTATED" not in {sink for sink, *_ in uses(forward(*lines, start=start))}


def test_what_a_plain_object_gives_does_not_follow_the_model() -> None:
    kernel = "\nclass Kernel:\n    def __init__(self, warp):\n        self.warp = warp\n"
    found = trace("def forward(self, y, warp):\n    return Kernel(warp).warp(y) + self.x\n", more=kernel)
    (use,) = found.uses("x")
    assert {one.source for one in use.partners} == {Source.PARAMETER}


def test_a_shape_does_not_decide_where_a_result_lies() -> None:
    lines = [
        "steps = torch.arange(3) / y.shape[0]",
        "rows = torch.cat((steps, self.x))",
        "return rows.to(y.device) + y",
    ]
    assert meetings(forward(*lines)) == [("SAME", {""}, True), ("MOVED", {"y"}, True)]


@pytest.mark.parametrize("parts", ["(self.x, y) * 2", "[self.x] + [y]", "(self.x,) + (y, y)"])
def test_a_longer_list_holds_the_parts_of_the_shorter_ones(parts: str) -> None:
    assert meetings(forward(f"parts = {parts}", "return torch.stack(parts)")) == [("SAME", {"y"}, True)]


def test_methods_of_a_subclass_count() -> None:
    more = "\nclass ModelOfMore(Model):\n    def forward(self, y):\n        return y + self.x\n"
    found = trace("def reset(self):\n    return self.held\n", more=more)
    assert meetings(found) == [("SAME", {"y"}, True)]


def test_what_a_method_has_set_is_no_longer_what_was_there() -> None:
    assert uses(forward("self.x = y * 2", "return self.x + y")) == []
    assert meetings(forward("if y.sum() > 0:", "    self.x = y", "return self.x + y")) == [("SAME", {"y"}, True)]


def test_a_device_that_was_compared() -> None:
    found = forward("if self.x.device != y.device:", "    self.x = self.x.to(y.device)", "return self.x + y")
    assert meetings(found) == [("CHECKED", {"y"}, True)]
    store = the_store(found)
    assert store.only_moves
    assert not store.certain
    assert store.own_flows == {Flow.MOVED}


# Stores


@pytest.mark.parametrize(
    ("lines", "expected", "certain"),
    [
        (["self.x = y"], {("PARAMETER", "y", "SAME")}, True),
        (["self.x = y.mean()"], {("PARAMETER", "y", "COMPUTED")}, True),
        (["self.x = self.held * 2"], {("OBJECT", "self.held", "COMPUTED")}, True),
        (["self.x = self.part(y)"], {("OBJECT", "self.part", "COMPUTED")}, True),
        (["self.x = torch.ones(3)"], {("FRESH", "", "SAME")}, True),
        (["self.x = torch.tensor(3)"], {("FRESH", "number", "SAME")}, True),
        (["self.x = self.x + 1"], {("ENTRY", "x", "COMPUTED")}, True),
        (["self.x = None"], set(), True),
        (["if y.sum() > 0:", "    self.x = y"], {("PARAMETER", "y", "SAME")}, False),
        (["try:", "    self.x = y", "except ValueError:", "    pass"], {("PARAMETER", "y", "SAME")}, False),
        (["try:", "    self.x = y", "finally:", "    pass"], {("PARAMETER", "y", "SAME")}, True),
        (["for one in y:", "    self.x = one"], {("PARAMETER", "y", "ELEMENT")}, False),
        (["if y is None:", "    return y", "self.x = y"], {("PARAMETER", "y", "SAME")}, False),
        (["setattr(self, 'x', y)"], {("PARAMETER", "y", "SAME")}, True),
    ],
)
def test_what_a_method_puts_there(lines: list[str], expected: set[tuple[str, str, str]], certain: bool) -> None:  # noqa: FBT001
    store = the_store(forward(*lines))
    assert flows(store) == expected
    assert store.certain is certain


def test_a_cast_or_a_move_is_the_value_itself() -> None:
    assert the_store(forward("self.x = self.x.to(y.device)")).only_moves
    assert the_store(forward("self.x = self.x.cpu()")).only_moves
    assert not the_store(forward("self.x = self.x.to(y.device) * 2")).only_moves
    assert not the_store(forward("self.x = y.to(self.x.device)")).only_moves


# Queries


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return y * float(self.x)"], True),
        (["return y * self.x.shape[0]"], True),
        (["if bool(self.x > 0):", "    return y"], True),
        (["for one in self.x.tolist():", "    y = y + one", "return y"], True),
        (["return torch.relu(y).split(list(self.x), dim=2)"], True),
        (["return torch.roll(y, shifts=self.x, dims=0)"], True),
        (["return torch.roll(input=self.x, shifts=3) + y"], False),
        (["return y"], False),
        (["return y * self.x"], False),
        (["return y * float(self.x) + self.x"], False),
        (["self.x = y", "return float(y)"], False),
        (["return print(self.x), foo(self.x)"], False),
        (["return self.x"], False),
        (["return y[self.x]"], False),
    ],
)
def test_is_host_only(lines: list[str], expected: bool) -> None:  # noqa: FBT001
    assert forward(*lines).is_host_only("x") is expected


def test_what_shows_an_object_reads_for_python() -> None:
    assert trace("def __repr__(self):\n    return self.show(self.x)\n").is_host_only("x")
    assert not trace("def show(self):\n    return foo(self.x)\n").is_host_only("x")


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        ("def forward(self, y):\n    self.x = y\n    return self.x", True),
        ("def forward(self, y):\n    self.x = self.held * 2\n    return self.x", True),
        ("def forward(self, y):\n    return self.x\n\ndef fit(self, y):\n    self.x = y", False),
        ("def forward(self, y):\n    self.x = y\n    return y\n\ndef last(self):\n    return self.x", True),
        ("def fit(self, y):\n    self.x = y\n\ndef last(self):\n    return self.x", False),
        ("def forward(self, y):\n    if y is None:\n        self.x = y\n    return self.x", False),
        ("def forward(self, y):\n    self.x = torch.ones(3)\n    return self.x", True),
        ("def forward(self, y):\n    z = y + self.x\n    self.x = y\n    return z", False),
        ("def forward(self, y):\n    self.x = self.x + y\n    return self.x", False),
        ("def forward(self, y):\n    self.x = self.x.to(y.device)\n    return self.x + y", False),
        ("def forward(self, y):\n    return y + self.x", False),
    ],
)
def test_is_replaced_before_read(methods: str, expected: bool) -> None:  # noqa: FBT001
    assert trace(methods).is_replaced_before_read("x") is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return y.cpu() + self.x"], True),
        (["return self.x.numpy()"], True),
        (["return self.x.cpu().numpy()"], False),
        (["return (self.x + torch.ones(3)).to(y.device)"], True),
        (["return (self.x.to(y.device) + torch.ones(3))"], False),
        (["return self.x + torch.ones(3)"], False),
        (["return y.cpu() + self.x.to(y.device)"], False),
        (["return y + self.x + y.cpu()"], False),
        (["z = y * self.x", "return z.cpu() + torch.ones(3).cpu()"], False),
        (["self.x = self.x.cpu()"], True),
        (["return y + self.x"], False),
    ],
)
def test_meets_cpu(lines: list[str], expected: bool) -> None:  # noqa: FBT001
    assert forward(*lines).meets_cpu("x") is expected


def test_what_shows_the_object_does_not_want_it_on_the_cpu() -> None:
    shown = "def __repr__(self):\n    return str(self.x.numpy())\n"
    assert not trace(f"{shown}\ndef forward(self, y):\n    return y * self.x.to(y.device)").meets_cpu("x")
    assert trace(f"{shown}\ndef table(self):\n    return self.x.numpy()").meets_cpu("x")


def test_what_is_put_where_an_output_lies_is_not_left_behind() -> None:
    moved = "y = y - self.x.to(y)\n    return self.part(y) + {}"
    for other in ("torch.ones(3).to(y)", "torch.ones(3, device=y.device)", "torch.ones(3).to(y.device)"):
        assert meetings(forward(moved.format(other))) == [("MOVED", {"y"}, True)]


def test_a_part_that_is_made_on_the_spot_follows_nobody() -> None:
    assert meetings(forward("pad = nn.ConstantPad1d(1, 0)", "return pad(y) + self.x")) == [("SAME", {"y"}, True)]


def test_what_is_done_to_a_named_tuple_is_done_to_its_tensors() -> None:
    pair = "class Pair(NamedTuple):\n    low: torch.Tensor\n    def twice(self):\n        return self.low * 2\n"
    head = f"from typing import NamedTuple\n\n{pair}\n"
    found = traced(head + model("def forward(self, y):\n    return y + self.x.twice()", "Pair(torch.ones(3))"))
    assert meetings(found) == [("COMPUTED", {"y"}, True)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return torch.bernoulli(self.x, generator=self.generator)"], True),
        (["return torch.bernoulli(self.x.exp(), generator=self.generator).to(y.device)"], True),
        (["return torch.bernoulli(self.x, generator=self.generator) + self.x.to(y.device)"], False),
        (["return torch.bernoulli(self.x, generator=self.generator) + self.x"], False),
        (["return torch.bernoulli(self.x)"], False),
        (["return torch.bernoulli(self.x, generator=y)"], False),
        (["return y"], False),
    ],
)
def test_is_drawn_by_generator(lines: list[str], expected: bool) -> None:  # noqa: FBT001
    assert forward(*lines).is_drawn_by_generator("x") is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["self.x += y"], True),
        (["self.x[0] = y"], True),
        (["view = self.x.view(-1)", "view.add_(1)"], True),
        (["self.x = self.x * 0.9 + y"], True),
        (["self.x.uniform_()"], False),
        (["self.x = y"], False),
        (["self.x = self.x.to(y.device)"], False),
        (["other = self.x.clone()", "other[0] = 1"], False),
        (["self.x[0].mul(2)"], False),
    ],
)
def test_is_updated(lines: list[str], expected: bool) -> None:  # noqa: FBT001
    assert forward(*lines).is_updated("x") is expected


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        ("def forward(self, y):\n    self.x = y", True),
        ("def forward(self, y):\n    self.put(y)\n\ndef put(self, y):\n    self.x = y", True),
        ("def forward(self, y):\n    return y\n\ndef put(self, y):\n    self.x = y", False),
        ("def forward(self, y):\n    self.x = y\n\ndef put(self, y):\n    self.x = y", False),
        ("def forward(self, y):\n    self.x = self.x.to(y.device)", False),
        ("def forward(self, y):\n    return self.x", False),
    ],
)
def test_is_replaced_by_forward(methods: str, expected: bool) -> None:  # noqa: FBT001
    assert trace(methods).is_replaced_by_forward("x") is expected
