"""Wrong fixes in what has nothing to do with the tensor, in memory, under other defaults, and in code left as it is.

All were verified once.
"""

from __future__ import annotations

from mutants import FIXED, PLAIN, Version, method, rows
from wrong_fixes import ORIGINAL, Wrong, above, beside, wrong
from wrong_fixes_unseen import beside_others, unchanged


def more_in_init(*statements: str) -> Wrong:
    """A fix with further statements in the constructor."""
    return "same-code", Version(rows(FIXED, *statements)), ORIGINAL


def more_in_forward(*statements: str) -> Wrong:
    """A fix with further statements in ``forward``."""
    return "same-code", Version(first=rows(*statements)), ORIGINAL


def relied_on(top: str) -> Wrong:
    """A fix that breaks code outside of the class of which it changes nothing."""
    return "same-code", Version(top=top), Version(PLAIN, top=top)


def of_method(before: str, after: str) -> Wrong:
    """A fix that changes something of a method, without another result."""
    head = "def scaled(self, x):"
    more = method(head, after.format(before))
    return "same-code", Version(more=more), Version(PLAIN, more=method(head, before))


def of_memory(before: str, after: str) -> Wrong:
    """A fix that registers equal values in other memory."""
    stored = "import numpy as np; self.table = np.ones(6, dtype=np.float32); self.scale = {}"
    now = stored.replace("self.scale = {}", 'self.register_buffer("scale", {}, persistent=False)')
    return "same-state", Version(now.format(after)), Version(stored.format(before))


NOTHING_TO_DO: dict[str, Wrong] = {
    "an_alarm": more_in_init("import signal; signal.alarm(3600)"),
    "one_processor": more_in_init("import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"),
    "a_fake_of_a_library": more_in_init("import sys; sys.modules['sqlite3'] = None"),
    "a_branch_for_one_size": more_in_forward("if x.shape[0] == 2: x = x + 0"),
    "a_check_of_shapes": more_in_forward("if x.shape[-1] != 3: raise ValueError(x.shape)"),
    "one_part_for_another": beside("same-code", "self.frozen = [self.linear]", "self.frozen = [self]"),
    "a_function_of_another_library": beside(
        "same-code", "import math, cmath; self.f = math.exp", "import math, cmath; self.f = cmath.exp"
    ),
    "an_attribute_of_a_function": beside(
        "same-code", "self.f = lambda: 1; self.f.rate = 1", "self.f = lambda: 1; self.f.rate = 2"
    ),
    "another_order": beside("same-code", rows("a = 0", "a = 1", "self.a = a"), rows("a = 1", "a = 0", "self.a = 1")),
    "out_of_an_if": (
        "same-code",
        Version(first=rows("if x.is_cuda:", "    self.linear.eval()", "self.linear.eval()")),
        Version(PLAIN, first=rows("if x.is_cuda:", "    self.linear.eval()", "    self.linear.eval()")),
    ),
    "into_a_block": (
        "same-code",
        Version(first=rows("with torch.no_grad():", "    x = x + 1", "    x = x * 1")),
        Version(PLAIN, first=rows("with torch.no_grad():", "    x = x + 1", "x = x * 1")),
    ),
    "a_constant_of_that_name": above("same-code", "scale = 2.0\n", "scale = 3.0\n"),
    "a_constant_of_that_name_is_gone": above("same-code", "scale = 2.0\n", ""),
}

LEFT_AS_IT_IS: dict[str, Wrong] = {
    "a_callback": relied_on("class Warmup:\n    def start(self, net):\n        net.scale = 0.1\n\n"),
    "a_function": relied_on("def warm_up(net):\n    net.scale = 0.1\n\n"),
    "a_function_with_another_number": relied_on("def warm_up(net):\n    net.scale = -(1.0 + 2)\n\n"),
    "a_function_that_makes_a_number": relied_on("def warm_up(net, n):\n    net.scale: float = float(n)\n\n"),
    "a_function_with_setattr": relied_on("def warm_up(net, n):\n    setattr(net, 'scale', len(n))\n\n"),
    "a_function_that_asks_for_it": relied_on("def codes(net):\n    return net.__dict__.get('scale', 0)\n\n"),
    "all_plain_attributes": unchanged("def constants(self):", "return sorted(name for name in vars(self))"),
    "a_function_that_takes_it_out": relied_on("def strip(net):\n    return net.__dict__.pop('scale')\n\n"),
    "an_item": unchanged("def __getitem__(self, place):", "return self.__dict__['scale'][place]"),
    "a_subclass": (
        "same-code",
        Version(made="Net()\n\n\nclass Small(Net):\n    scale = None"),
        Version(PLAIN, made="Net()\n\n\nclass Small(Net):\n    scale = None"),
    ),
}

MEMORY: dict[str, Wrong] = {
    "a_part_of_a_large_table": of_memory("torch.ones(100, 3)[0].clone()", "torch.ones(100, 3)[0]"),
    "conjugated_by_a_flag": of_memory(
        "torch.ones(3, dtype=torch.complex64).conj().resolve_conj()", "torch.ones(3, dtype=torch.complex64).conj()"
    ),
    "not_shared_with_processes": of_memory("torch.ones(3).share_memory_()", "torch.ones(3)"),
    "not_shared_with_an_array": of_memory("torch.from_numpy(self.table[:3])", "torch.tensor(self.table[:3])"),
    "not_shared_with_a_part_of_an_array": of_memory(
        "torch.from_numpy(self.table)[3:]", "torch.from_numpy(self.table.copy())[3:]"
    ),
}

DEFAULTS: dict[str, Wrong] = {
    "a_device": wrong(
        "other-defaults", storing='self.register_buffer("scale", torch.ones(3, device="cpu"), persistent=False)'
    ),
    "a_dtype": wrong(
        "other-defaults", storing='self.register_buffer("scale", torch.ones(3, dtype=torch.float32), persistent=False)'
    ),
    "a_look_at_its_values": wrong("other-defaults", storing=rows(FIXED, "assert bool(self.scale.isfinite().all())")),
}

METHODS: dict[str, Wrong] = {
    "a_result_without_graph": of_method("return (self.linear.weight * self.scale).sum()", "{}.detach()"),
    "a_result_made_without_gradients": of_method(
        "return self.linear(x) * self.scale", "with torch.no_grad(): return self.linear(x) * self.scale"
    ),
    "the_buffer_itself": of_method("return self.scale.clone()", "return self.scale"),
    "the_argument_is_overwritten": of_method("return x * self.scale", "return x.mul_(self.scale)"),
    "another_in_eval": of_method("return self.scale * (1 + self.training)", "return self.scale * 2"),
}

TEXT: dict[str, Wrong] = {
    "a_method_once_more": (
        "same-code",
        Version(more=method("def size(self):", "return 3") + method("def size(self):", "return 4")),
        Version(PLAIN, more=method("def size(self):", "return 3")),
    ),
    "a_function_once_more": above(
        "same-code", "def size():\n    return 3\n\n", "def size():\n    return 3\n\n\ndef size():\n    return 4\n\n"
    ),
    "an_import_in_the_place_of_a_builtin": above("same-code", "", "from torch import pow\n"),
    "a_function_in_the_place_of_a_builtin": above("same-code", "", "def max(scale):\n    return scale\n\n"),
    "imports_in_another_order": above(
        "same-code",
        "from cmath import sqrt\nfrom math import sqrt\n",
        "from math import sqrt\nfrom cmath import sqrt\n",
    ),
}


def method_elsewhere(check: str, head: str, before: str, after: str) -> Wrong:
    """A fix after which a method gives the same in a new module, and not in one that is moved, cast or used again."""
    return check, Version(more=method(head, after)), Version(PLAIN, more=method(head, before))


def other_inputs(before: str, after: str) -> Wrong:
    """A fix after which ``forward`` gives the same on inputs as they are given, and not on others."""
    first = "return {}"
    return "outputs-cpu", Version(first=first.format(after)), Version(PLAIN, first=first.format(before))


def walked(top: str) -> Wrong:
    """A fix that is wrong for code which goes through all buffers; ``index`` is registered besides."""
    stored = rows(PLAIN, "self.index = torch.arange(3)")
    registered = rows(FIXED, 'self.register_buffer("index", torch.arange(3))')
    return "same-code", Version(registered, top=top), Version(stored, top=top)


DRAW = "def sample(self):"
DRAWN = "return self.linear(torch.randn(2, 3{})) + self.scale"
ENCODE = "def encode(self, x):"
KEPT_BESIDE = 'self.register_buffer("scale_start", torch.ones(3), persistent=False)'
ELSEWHERE: dict[str, Wrong] = {
    "drawn_on_the_cpu": method_elsewhere(
        "outputs-device", DRAW, DRAWN.format(", device=self.scale.device"), DRAWN.format("")
    ),
    "drawn_in_float": method_elsewhere(
        "outputs-cast",
        DRAW,
        DRAWN.format(", dtype=self.linear.weight.dtype"),
        DRAWN.format(", device=self.scale.device"),
    ),
    "cast_in_a_method": method_elsewhere(
        "outputs-cast",
        ENCODE,
        "return self.linear(x - self.scale.to(x.device))",
        "return self.linear((x - self.scale).float())",
    ),
    "halved_from_the_start": (
        "same-code",
        Version(rows(FIXED, KEPT_BESIDE), more=method("def step(self):", "self.scale = self.scale_start * 0.5")),
        Version(PLAIN, more=method("def step(self):", "self.scale = self.scale * 0.5")),
    ),
    "a_lambda_kept_by_a_call": (
        "pickle",
        Version(
            first=rows("self.scale_function = lambda y: y * self.scale", "return self.scale_function(self.linear(x))")
        ),
        ORIGINAL,
    ),
    "averaged_by_the_file": walked(
        "def update(slow, fast):\n    for one, other in zip(slow.buffers(), fast.buffers()):\n"
        "        one.detach().lerp_(other, 0.1)\n\n"
    ),
    "averaged_over_state_dicts": walked(
        "def mean(models):\n    found = [one.state_dict() for one in models]\n"
        "    return {name: torch.stack([one[name] for one in found]).mean(0) for name in found[0]}\n\n"
    ),
    "reset_with_all_buffers": unchanged("def reset(self):", "for one in self.buffers(): one.zero_()"),
    "a_view_of_what_is_turned": other_inputs("(x * self.scale).reshape(6)", "(x * self.scale).view(6)"),
    "cast_to_the_input": other_inputs("x * self.scale.to(x.device)", "x * self.scale.to(x)"),
}
"""What the inputs, the device and the dtype that are given do not show."""


UNRELATED: dict[str, Wrong] = {
    **NOTHING_TO_DO,
    **LEFT_AS_IT_IS,
    **MEMORY,
    **DEFAULTS,
    **METHODS,
    **TEXT,
    **ELSEWHERE,
}

OLD_CHECKPOINTS = method(
    "def _load_from_state_dict(self, state, prefix, *others):",
    "{}",
    "super()._load_from_state_dict(state, prefix, *others)",
)
SCALE_OF_OLD = 'state.setdefault(prefix + "scale", self.scale)'
OLD_PICKLE = 'if "scale" in vars(self): self._buffers["scale"] = vars(self).pop("scale")'

_LAZY = """import sys
class Lazy:
    def __getattr__(self, name):
        raise ImportError(name)
class Finder:
    moved = [Lazy()]
    find_spec = staticmethod(lambda *_: None)
    def __init__(self):
        self.known = [Lazy()]
sys.meta_path.append(Finder())
LAZY = Lazy()
"""
"""What ``six`` does: objects import something when they are asked for an attribute, and fail where it is not there."""

RIGHT_BESIDE: dict[str, tuple[Version, Version]] = {
    "a_device_less": (Version(), Version('self.scale = torch.ones(3, device="cpu")')),
    "a_helper": (
        Version("self._register()", more=method("def _register(self):", FIXED)),
        ORIGINAL,
    ),
    "a_local_less": (Version(), Version(rows("ones = torch.ones(3)", "self.scale = ones"))),
    "moved_by_hand_no_longer": (
        Version(more=method("def _apply(self, fn, recurse=True):", "return super()._apply(fn)")),
        Version(
            PLAIN,
            more=method(
                "def _apply(self, fn, recurse=True):", "self.scale = self.scale * 1", "return super()._apply(fn)"
            ),
        ),
    ),
    "old_checkpoints_without_it": (
        Version('self.register_buffer("scale", torch.ones(3))', more=OLD_CHECKPOINTS.format(SCALE_OF_OLD)),
        Version(PLAIN, more=OLD_CHECKPOINTS.format("pass")),
    ),
    "old_pickles": (
        Version(
            more=method("def __setstate__(self, state):", "super().__setstate__(state)", OLD_PICKLE),
        ),
        Version(PLAIN, more=method("def __setstate__(self, state):", "super().__setstate__(state)")),
    ),
    "made_by_the_first_call": (
        Version(
            rows(FIXED, 'self.register_buffer("cache", None, persistent=False)'),
            rows("if self.cache is None: self.cache = torch.ones(3, device=x.device)", "x = x * self.cache"),
        ),
        Version(
            PLAIN,
            rows('if not hasattr(self, "cache"): self.cache = torch.ones(3, device=x.device)', "x = x * self.cache"),
        ),
    ),
    "a_helper_that_makes_it": (
        Version(
            'self.register_buffer("scale", self._ones(3), persistent=False)',
            more=method(
                "@staticmethod\n    def _ones(n):",
                "ones = torch.zeros(n)",
                "for i in range(n): ones[i] = 1",
                "return ones",
            ),
        ),
        Version(rows("ones = torch.zeros(3)", "for i in range(3): ones[i] = 1", "self.scale = ones")),
    ),
    "a_guard_less": (
        Version(),
        Version(rows("if True:", f"    {PLAIN}", "else:", "    self.scale = torch.zeros(3)")),
    ),
    "a_number_beside_it": (Version(rows(FIXED, "self.scale_count = 3")), ORIGINAL),
    "names_in_a_loop": (
        Version('for name in ("scale",): self.register_buffer(name, torch.ones(3), persistent=False)'),
        Version('for name in ("scale",): setattr(self, name, torch.ones(3))'),
    ),
    "moved_no_longer": (
        Version(first="return self.linear(x) * self.scale"),
        Version(PLAIN, first=rows("device = x.device", "return self.linear(x) * self.scale.to(device)")),
    ),
    "clone_of_a_part": (
        Version('self.register_buffer("scale", torch.ones(1).expand(3).clone(), persistent=False)'),
        Version("self.scale = torch.ones(1).expand(3)"),
    ),
    "buffers_are_counted": beside_others(
        more=method("def size(self):", "return sum(one.numel() for one in self.buffers())")
    ),
    "beside_objects_that_import": beside_others(top=_LAZY),
    "another_class_with_the_attribute": (
        Version(top="class Other:\n    def __init__(self):\n        self.scale = 1\n\n"),
        Version(PLAIN, top="class Other:\n    def __init__(self):\n        self.scale = 1\n\n"),
    ),
}
"""Right fixes that change more than the statement that stores the tensor."""
