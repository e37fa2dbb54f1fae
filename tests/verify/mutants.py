"""Wrong fixes, each of a kind that one check alone catches.

A mutant is a pair of an original and a fixed version of ``Net``, given as what replaces the lines of a right pair.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

RIGHT = """
import copy
import random

import torch
from torch import nn

{top}
class Net({bases}):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        {storing}

    def forward(self, x):
        {first}
        return self.linear(x) * self.scale{last}
{more}

def make():
    return {made}


def inputs():
    return (torch.randn(2, 3),)
"""
PLAIN = "self.scale = torch.ones(3)"
FIXED = 'self.register_buffer("scale", torch.ones(3), persistent=False)'


@dataclass(frozen=True)
class Version:
    """What is in the class and, as ``top``, before it.

    Each part may have several rows, further ones with their own indentation.
    """

    storing: str = FIXED
    first: str = "pass"
    last: str = ""
    more: str = ""
    top: str = ""
    bases: str = "nn.Module"
    made: str = "Net()"

    def text(self) -> str:
        return RIGHT.format(**asdict(self))


@dataclass(frozen=True)
class Mutant:
    """A wrong fix, and what is wrong with it."""

    wrong: str
    fixed: Version
    original: Version = Version(PLAIN)
    device: str = "cpu"


def rows(*given: str) -> str:
    """Rows of a method's body."""
    return "\n        ".join(given)


def method(head: str, *body: str) -> str:
    return "\n    " + head + "\n        " + rows(*body) + "\n"


OTHER = "self.other = torch.ones(3)"
OTHER_FIXED = 'self.register_buffer("other", torch.ones(3), persistent=False)'

MOVING = method("def _apply(self, fn, recurse=True):", "super()._apply(fn)", "self.scale = fn(self.scale)",
                "return self")  # fmt: skip

STAYING = method("def _apply(self, fn, recurse=True):", "before = self.other", "super()._apply(fn)",
                 "if before.is_meta: self.other = before", "return self")  # fmt: skip
HALVED = method("def half(self):", "super().half()", "self.other = self.other.float()", "return self")
NOW = 'if "scale" in self._buffers: '
"""What a method does only where the fix has been made."""
SAVING = method("def _save_to_state_dict(self, destination, prefix, keep_vars):",
                "super()._save_to_state_dict(destination, prefix, keep_vars)",
                NOW + 'destination[prefix + "more"] = torch.ones(1)')  # fmt: skip
LOADING = method("def _load_from_state_dict(self, state, prefix, metadata, strict, missing, *others):",
                 'state.pop(prefix + "more", None)',
                 "super()._load_from_state_dict(state, prefix, metadata, strict, missing, *others)")  # fmt: skip
REFUSING = method(
    "def _save_to_state_dict(self, destination, prefix, keep_vars):",
    "super()._save_to_state_dict(destination, prefix, keep_vars)",
    NOW + 'destination._metadata[prefix[:-1]]["now"] = True',
) + method(
    "def _load_from_state_dict(self, state, prefix, metadata, strict, missing, *others):",
    "super()._load_from_state_dict(state, prefix, metadata, strict, missing, *others)",
    NOW + 'missing += [] if "now" in metadata else ["linear.scale"]',
)
COPIED = method(
    "def __deepcopy__(self, memo):",
    "twin = Net()",
    "twin.linear = copy.deepcopy(self.linear, memo)",
    "twin.scale = self.scale",
    "return twin",
)
UNPICKLED = method("def __reduce__(self):", NOW + "raise TypeError", "return super().__reduce__()") + COPIED.replace(
    "self.scale", "self.scale.clone()"
)


def sized(stored: str, arguments: str = "n=3", more: str = "") -> str:
    """A class whose constructor takes arguments with defaults, and stores what is multiplied with the input."""
    head = rows(f"class Part(nn.Module):\n    def __init__(self, {arguments}):", "super().__init__()", stored)
    return head + "\n" + method("def forward(self, x):", "return x * torch.stack(list(self.scale))") + more + "\n"


WITH_PART = "nn.Sequential(Net(), Part())"
PART = "torch.from_numpy(self.linear.weight.detach().numpy()[1:])"

MUTANTS = {
    "builds": Mutant("it writes to standard output", Version(rows(FIXED, 'print("built", self.scale)'))),
    "shows-bug": Mutant(
        "there was nothing to be fixed: the class moves its tensor itself",
        Version(more=MOVING),
        Version(PLAIN, more=MOVING),
        device="meta",
    ),
    "plain-tensors": Mutant(
        "one of two tensors was forgotten", Version(rows(FIXED, OTHER)), Version(rows(PLAIN, OTHER))
    ),
    "state-kept": Mutant(
        "one of two tensors is made anew each time it is read",
        Version(more=method("@property\n    def other(self):", "return torch.ones(3)")),
        Version(rows(PLAIN, OTHER)),
    ),
    "same-state": Mutant("it is built in another mode", Version(rows(FIXED, "self.eval().scale"))),
    "same-later": Mutant(
        "loading a checkpoint writes into a constant of the file",
        Version('self.register_buffer("scale", ONES)', top="ONES = torch.ones(3)\n"),
        Version("self.scale = ONES", top="ONES = torch.ones(3)\n"),
    ),
    "other-arguments": Mutant(
        "a size is written out",
        Version(top=sized(FIXED), made=WITH_PART),
        Version(PLAIN, top=sized("self.scale = torch.ones(n)"), made=WITH_PART),
    ),
    "other-inputs": Mutant("it cuts batches of more than three", Version(first="x = x[: len(self.scale)]")),
    "same-code": Mutant(
        "a method does something else",
        Version(more=method("def size(self):", "return 4")),
        Version(PLAIN, more=method("def size(self):", "return 3")),
    ),
    "same-gradients": Mutant(
        "something is added that is nothing, and has a gradient",
        Version(last=" + (self.linear.weight - self.linear.weight.detach()).sum()"),
    ),
    "moves": Mutant(
        "a buffer does not come back",
        Version(rows(FIXED, OTHER_FIXED), more=STAYING),
        Version(rows(PLAIN, OTHER), more=STAYING),
        device="meta",
    ),
    "moves-after-use": Mutant(
        "forward keeps the tensor of its first call in a list",
        Version(first='self.seen = getattr(self, "seen", [x.detach() * 0][: len(self.scale)])'),
        Version(PLAIN, first="self.seen = [x.detach() * 0][: len(self.scale)]"),
        device="meta",
    ),
    "casts": Mutant(
        "half() leaves a buffer out",
        Version(rows(FIXED, OTHER_FIXED), more=HALVED),
        Version(rows(PLAIN, OTHER), more=HALVED),
    ),
    "state-dict-keys": Mutant(
        "a key is saved that no fix declares",
        Version(more=SAVING + LOADING),
        Version(PLAIN, more=SAVING + LOADING),
    ),
    "checkpoint-loads": Mutant(
        "checkpoints of the earlier version are refused",
        Version(more=REFUSING),
        Version(PLAIN, more=REFUSING),
    ),
    "round-trip": Mutant(
        "random values are not saved",
        Version('self.register_buffer("scale", torch.rand(3), persistent=False)'),
        Version("self.scale = torch.rand(3)"),
    ),
    "not-parameters": Mutant(
        "it became a Parameter", Version("self.scale = nn.Parameter(torch.ones(3), requires_grad=False)")
    ),
    "no-gradients": Mutant(
        "the buffer asks for a gradient",
        Version('self.register_buffer("scale", torch.ones(3, requires_grad=True), persistent=False)'),
    ),
    "optimizer-step": Mutant(
        "the buffer is part of the memory of a Parameter, by way of numpy",
        Version(rows(FIXED, f'self.register_buffer("start", {PART})')),
        Version(rows(PLAIN, f"self.start = {PART}.clone()")),
    ),
    "outputs-cpu": Mutant("another result in train(), by very little", Version(last=" + 0.0000002 * self.training")),
    "same-calls": Mutant(
        "a part is not called, and so are none of its hooks",
        Version(first="return nn.functional.linear(x, self.linear.weight, self.linear.bias) * self.scale"),
        Version(PLAIN, first="return self.linear(x) * self.scale"),
    ),
    "outputs-cast": Mutant(
        "it refuses double precision", Version(first="assert self.scale.dtype is not torch.float64")
    ),
    "outputs-device": Mutant("forward makes a tensor on the CPU", Version(last=" * torch.ones(3)"), device="meta"),
    "deepcopy": Mutant("copies share the buffer", Version(more=COPIED), Version(PLAIN, more=COPIED)),
    "pickle": Mutant("it refuses to be pickled", Version(more=UNPICKLED), Version(PLAIN, more=UNPICKLED)),
    "export": Mutant("forward decides by values", Version(first="if (x * self.scale).sum() > 1e9: x = x + self.scale")),
    "other-defaults": Mutant(
        "it lies on the CPU whatever the default device is",
        Version('self.register_buffer("scale", torch.ones(3, device="cpu"), persistent=False)'),
    ),
    "ddp-safe": Mutant(
        "an expanded tensor is registered without a clone",
        Version('self.register_buffer("scale", torch.ones(1).expand(3), persistent=False)'),
        Version("self.scale = torch.ones(1).expand(3)"),
    ),
}  # fmt: skip
"""For each check a wrong fix, by the name of the check that catches it."""
