"""Random nn.Module classes whose attributes have known histories: what the constructor and other methods do to them."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from hypothesis import strategies as st

HEAD = """\
from typing import Optional

import torch
from torch import Tensor, nn


def use(value):
    if isinstance(value, (int, float)):
        return value
    return 0.0 if value is None else torch.view_as_real(value).sum(-1) if value.is_complex() else value.float()


def made(n):
    table = torch.zeros(n)
    table[0] = 2
    return table

"""

FRESH = st.sampled_from(
    [
        "torch.arange(n)",
        "torch.ones(n)",
        "torch.linspace(0, 1, n)",
        "made(n)",
        "torch.zeros(n, dtype=torch.bool)",
        "torch.eye(n)[0].to(torch.float64)",
        "torch.full((n,), 0.5).half()",
        "torch.tensor([1.0] * n, dtype=torch.float32)",
        "torch.ones(n) - torch.arange(n) / n",
        "-torch.ones(n)",
        "torch.stack([torch.ones(n), torch.zeros(n)], dim=0).sum(0) if n else torch.ones(n)",
        "(\n    torch.ones(n)  # one for each\n    + torch.arange(n)\n)",
        "torch.cat(\n    [\n        torch.ones(1),  # the first\n        torch.zeros(n - 1),\n    ]\n)",
        'torch.tensor(\n    [len("""a\n  b""")] * n\n)',
        "torch.where(torch.arange(n) > 1, torch.tensor(1.0), torch.tensor(float('-inf'))).clamp(min=-3)",
        "lowest if (lowest := torch.zeros(n)) is not None else torch.ones(n)",
        "[torch.ones(n), torch.zeros(n)][0]",
    ]
)
RANDOM = st.sampled_from(["torch.rand(n)", "torch.randn(n).abs()", "torch.randperm(n)", "torch.ones(n).bernoulli()"])
HELD = st.sampled_from(
    ["given", "given.float()", "self.weight * 2", "self.weight.detach() + 1", "torch.ones(1).expand(n)"]
)
EXPRESSIONS = FRESH | RANDOM | HELD | st.just("torch.ones(n, dtype=torch.cfloat)")
EARLY = FRESH | RANDOM | st.sampled_from(["given", "given.float()", "torch.ones(1).expand(n)"])
"""What can be computed before ``super().__init__()``."""


@dataclass(frozen=True)
class History:
    """What a class does with one attribute.

    Attributes:
        body: statements of the constructor, behind ``super().__init__()``.
        read: how ``forward`` reads it.
        early: statements of the constructor before ``super().__init__()``.
        in_class: statements of the class.
        in_forward: statements of ``forward``, behind those that read.
        methods: further methods.
    """

    body: str
    read: str
    early: str = ""
    in_class: str = ""
    in_forward: str = ""
    methods: str = ""


def _in_constructor(*bodies: str) -> list[st.SearchStrategy[History]]:
    return [_filled(body) for body in bodies]


def _filled(body: str, **others: str) -> st.SearchStrategy[History]:
    """A history of templates: ``X`` is the attribute (put in later), ``E`` and ``F`` are expressions."""
    has_early = "E" in others.get("early", "")

    def history(first: str, second: str) -> History:
        texts = {"read": "use(self.X)", **others, "body": body}
        return History(**{name: _put(text, first, second) for name, text in texts.items()})

    return st.builds(history, EARLY if has_early else EXPRESSIONS, EXPRESSIONS)


def _put(template: str, first: str, second: str) -> str:
    """A template with its expressions; continuation lines are indented like the line that they start on."""
    rows = []
    for row in template.split("\n"):
        indent = row[: len(row) - len(row.lstrip())]
        rows.append(row.replace("<E>", first).replace("<F>", second).replace("\n", f"\n{indent}"))
    return "\n".join(rows)


OPTIONAL = 'use(getattr(self, "X", None))'
HISTORIES = st.one_of(
    *_in_constructor(
        "self.X = <E>",
        "self.X: Tensor = <E>",
        "self.X: Optional[Tensor] = <E>",
        "self.X = <E>  # kept as it is",
        "self.X = None\nself.X = <E>",
        "self.X = None\nif flag:\n    self.X = <E>",
        "self.X = <E>\nif flag:\n    self.X = None",
        "if flag:\n    self.X = <E>\nelse:\n    self.X = None",
        "if flag:\n    self.X = <E>\nelse:\n    self.X = <F>",
        "if flag:\n    self.X = <E>\nelse:\n    self.X = 2.0",
        "for i in range(2):\n    self.X = <E>",
        "self.X = <E>\nwhile self.X.sum() < 0:\n    self.X = self.X + 1",
        "self.X = <E>\nself.X = self.X * 2",
        "self.X = torch.ones(n)\nself.X += 1\nself.X[0] = 5",
        "self.X = <E>\nself.X = <F>",
        "self.X = 1.0\nself.X = <E>",
        "self.X = <E>\nself.X = 1.0",
        "self.X = <E>\ndel self.X\nself.X = <F>",
        "self.X = <E>\nself.X = nn.Parameter(self.X.float())",
        "self.X = t = <E>\nself.X_size = t.shape[0]",
        "self.X = self.X_too = <E>",
        "self.X, self.X_too = <E>, <F>",
        "self.X, X_local = torch.sort(torch.rand(n))\nself.X_first = int(X_local[0])",
        "self.X, *self.X_rest = <E>, 1, 2",
        "t = <E>\nself.X = t",
        "t = torch.zeros(n)\nself.X = t\nt[0] = 1",
        "self.X = (t := <E>)",
        "self.X = torch.ones(n); self.X_too = torch.zeros(n)",
        "if flag: self.X = torch.ones(n)\nelse: self.X = torch.zeros(n)",
        'setattr(self, "X", <E>)',
        'for i in range(2):\n    setattr(self, f"X_{i}", torch.ones(n))\nself.X = self.X_0 + self.X_1',
        'for name in ("X", "X_too"):\n    setattr(self, name, torch.ones(n))',
        "try:\n    self.X = <E>\nfinally:\n    self.X_done = True",
        "with torch.no_grad():\n    self.X = <E>",
        'if not hasattr(self, "X"):\n    self.X = <E>',
        'self.register_buffer("X", <E>)',
        'self.register_buffer("X", None)\nself.X = <E>',
        "self.X = <E>\nself.X_too = self.X",
        "self.X = <E>\nself.X_too = self.X + 1",
        "self.X = <E>\nself.__X = torch.ones(n)\nself.X_sum = float(self.__X.sum())",
        "self.X = [<E>, torch.ones(n)]\nself.X = self.X[1]",
        "self.X = (lambda: torch.ones(n))()",
    ),
    _filled("if flag:\n    self.X = <E>", read=OPTIONAL),
    _filled(
        "self._make_X(n, given, flag)",
        methods="def _make_X(self, n: int, given: Tensor, flag: bool):\n    self.X = <E>",
    ),
    _filled(
        "self.reset_X(n, given)",
        methods="def reset_X(self, n: int, given: Tensor):\n    self.X = <E>",
        in_forward="self.reset_X(3, torch.ones(3))",
    ),
    _filled("self.X = <E>", in_forward="self.X = self.X * 1"),
    _filled("self.X = torch.zeros(n)", in_forward="self.X += 1"),
    _filled("self.X = torch.zeros(n)", in_forward="self.X.add_(1)"),
    _filled("self.X = <E>", in_forward="self.X = None"),
    _filled("self.X = <E>", in_forward="self.X = 2.0"),
    _filled("self.X = None", in_forward="if self.X is None:\n    self.X = torch.ones(3)"),
    _filled("self.X = <E>", in_class="X = None"),
    _filled("if flag:\n    self.X = <E>", in_class="X = None"),
    _filled("if self.X is None:\n    self.X = <E>", in_class="X = None"),
    _filled("self.X = <E>", in_class="X: Tensor"),
    _filled("self.X = <E>", in_class="X: Optional[Tensor] = None"),
    _filled("pass", early="self.X = <E>"),
    _filled("pass", early="# about it\nself.X = <E>  # behind it"),
    _filled("self.X_too = self.X + 1", early="self.X = <E>\nX_size = len(self.X)\nself.X_size = X_size"),
    _filled("pass", early="if flag:\n    self.X = <E>\nelse:\n    self.X = None"),
    _filled("pass", early="self.X = <E>\nself.X = self.X * 2"),
    _filled("pass", early="X = torch.ones(n)\nself.X = X\nX = X + 1"),
    _filled("self.X = <F>", early="self.X = <E>"),
    _filled("self.X = <F>", early="self.X = None"),
    _filled("pass", early="self.X: Tensor = <E>"),
    _filled("pass", early="self.X = <E>", in_class="X = None"),
)


def _class(name: str, base: str, histories: list[tuple[str, History]], arguments: str) -> str:
    in_class = [_named(one.in_class, attribute) for attribute, one in histories if one.in_class]
    early = [_named(one.early, attribute) for attribute, one in histories if one.early]
    body = [_named(one.body, attribute) for attribute, one in histories]
    reads = [f"x = x + {_named(one.read, attribute)}" for attribute, one in histories]
    later = [_named(one.in_forward, attribute) for attribute, one in histories if one.in_forward]
    methods = [_named(one.methods, attribute) for attribute, one in histories if one.methods]
    weight = ["self.weight = nn.Parameter(torch.ones(n))"] if base == "nn.Module" else []
    init = _method(
        "def __init__(self, n: int, given: Tensor, flag: bool):",
        [*early, f"super().__init__({arguments})", *weight, *body],
    )
    start = "x = x * self.weight" if base == "nn.Module" else "x = super().forward(x)"
    forward = _method("def forward(self, x):", [start, *reads, *later, "return x"])
    parts = [*(["\n".join(in_class)] if in_class else []), init, *methods, forward]
    return f"\nclass {name}({base}):\n" + "\n\n".join(_indented(part) for part in parts) + "\n"


def _named(text: str, attribute: str) -> str:
    return text.replace("X", attribute)


def _method(head: str, statements: list[str]) -> str:
    return "\n".join([head, *(_indented(statement) for statement in statements)])


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def _module(own: list[History], of_base: list[History]) -> str:
    mine = [(f"attribute_{index}", one) for index, one in enumerate(own)]
    theirs = [(f"part_{index}", one) for index, one in enumerate(of_base)]
    if not theirs:
        return HEAD + _class("Model", "nn.Module", mine, "")
    base = _class("Base", "nn.Module", theirs, "")
    return HEAD + base + "\n" + _class("Model", "Base", mine, "n, given, flag")


MODULES = st.builds(
    _module, st.lists(HISTORIES, min_size=1, max_size=3), st.just([]) | st.lists(HISTORIES, min_size=1, max_size=2)
)
