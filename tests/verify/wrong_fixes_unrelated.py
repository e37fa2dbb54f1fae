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


def called(attribute: str, before: str, after: str) -> Wrong:
    """A fix of an attribute of some name that changes what a branch does which no call takes."""
    first = rows("if x.shape[0] > 1000:", "    {}", f"return self.linear(x) * self.{attribute}")
    stored, now = (one.replace("scale", attribute) for one in (PLAIN, FIXED))
    return "same-code", Version(now, first.format(after)), Version(stored, first.format(before))


def with_new(*statements: str) -> Wrong:
    """A fix that registers in a new method, which has further statements."""
    more = method("def _scale_buffers(self):", FIXED, *statements)
    return "same-code", Version("self._scale_buffers()", more=more), ORIGINAL


BASE = "import torch.utils.checkpoint\n\nclass Base(nn.Module):\n    def forward(self, x):\n        return x * 2\n\n"


def for_old(before: str, after: str) -> Wrong:
    """A fix that changes what becomes of checkpoints of a program that is older than the original."""
    loading = method(
        "def _load_from_state_dict(self, state, prefix, *others):",
        'if "old_scale" in state:',
        "    state[prefix + 'scale'] = {}",
        "super()._load_from_state_dict(state, prefix, *others)",
    )
    return "same-code", Version(more=loading.format(after)), Version(PLAIN, more=loading.format(before))


HELPER = method("def _scaled(self, y):", "if y.shape[0] > 1000:", "    y = y[:10]", "return y * self.scale")
BRANCH = rows("y = self.linear(x)", "if y.shape[0] > 1000:", "    y = y[:1000]", "return y * self.scale")
ALIKE: dict[str, Wrong] = {
    "named_as_self": called("self_mask", "x = self.linear(x)", "x = self.linear(x * 2)"),
    "named_as_the_mode": called("training_mask", "return self.training", "return not self.training"),
    "named_as_a_method": called("running_mean", "x = x.mean(0)", "x = x.mean(1)"),
    "named_as_a_function": called("log_table", "x = torch.log(x)", "x = torch.log(x + 1)"),
    "named_as_the_input": called("x", "x = x + 1", "x = x - 1"),
    "another_input_for_it": (
        "same-code",
        Version(first=rows("if x.shape[0] > 1000:", "    x = x[:10]", "return self.linear(x) * self.scale")),
        Version(
            PLAIN,
            first=rows("if x.shape[0] > 1000:", "    x = x[:1000]", "return self.linear(x) * self.scale.to(x.device)"),
        ),
    ),
}
"""Names that an attribute's name is made of, or that are those of locals, speak of it no more than others."""

NAMES: dict[str, Wrong] = {
    "a_counter_is_saved": (
        "same-state",
        Version(rows(FIXED, 'self.register_buffer("num_scale_calls", torch.zeros(1))'), "self.num_scale_calls += 1"),
        ORIGINAL,
    ),
    "a_counter": ("same-state", Version(rows(FIXED, "self.scale_calls = 0"), "self.scale_calls += 1"), ORIGINAL),
    "a_count_that_grows": (
        "same-state",
        Version(rows(FIXED, "self.scale_count = 0"), "self.scale_count += 1"),
        ORIGINAL,
    ),
    "checkpoints_of_an_older_program": for_old('state.pop("old_scale") * 2', 'state.pop("old_scale")'),
    "a_second_name": (
        "same-state",
        Version(rows(FIXED, 'self.register_buffer("scale_alias", self.scale, persistent=False)')),
        ORIGINAL,
    ),
    "what_is_kept_for_a_moment": (
        "same-code",
        Version(
            first=rows(
                "self.scale_now = self.linear(x)", "y = self.scale_now * self.scale", "del self.scale_now", "return y"
            )
        ),
        Version(PLAIN, first="return self.linear(x) * self.scale"),
    ),
}
"""New attributes whose names have the attribute's in them."""

NEW_CODE: dict[str, Wrong] = {
    "a_branch_in_a_helper": (
        "same-code",
        Version(first="return self._scaled(self.linear(x))", more=HELPER),
        Version(PLAIN, first=BRANCH),
    ),
    "a_setting_in_a_helper": with_new("torch.backends.cuda.enable_flash_sdp(False)"),
    "an_alarm_in_a_helper": with_new("import signal; signal.alarm(3600)"),
    "a_method_that_tools_call": (
        "same-code",
        Version(more=method("def reset_parameters(self):", "self.scale.fill_(1)")),
        ORIGINAL,
    ),
    "a_method_of_notebooks": (
        "same-code",
        Version(more=method("def _repr_html_(self):", "return str(self.scale)")),
        ORIGINAL,
    ),
    "every_name_of_the_file": above("same-code", "", "def __getattr__(scale):\n    return None\n\n"),
    "a_hook_of_tests": above("same-code", "", "def pytest_configure(scale):\n    return None\n\n"),
    "a_cache": (
        "same-code",
        Version(
            "self.register_buffer('scale', _scale_of(3).clone(), persistent=False)",
            top="import functools\n\n@functools.lru_cache\ndef _scale_of(n):\n    return torch.ones(n)\n\n",
        ),
        ORIGINAL,
    ),
    "a_large_library": above("same-code", "", "import sqlite3\n"),
}
"""New functions, classes and imports that no fix needs."""


def called_otherwise(before: str, after: str, *, part: str = "nn.Linear(3, 3)") -> Wrong:
    """A fix after which ``forward`` gives the same, and calls its parts otherwise."""
    stored, first = f"self.part = {part}", "return {} * self.scale"
    return (
        "same-calls",
        Version(rows(FIXED, stored), first.format(after)),
        Version(rows(PLAIN, stored), first.format(before)),
    )


CALLS: dict[str, Wrong] = {
    "its_forward_alone": called_otherwise("self.part(x)", "self.part.forward(x)"),
    "twice": called_otherwise("self.part(x)", "(self.part(x), self.part(x))[0]"),
    "in_another_order": called_otherwise(
        "sum((self.linear(x), self.part(x)))", "sum((self.part(x), self.linear(x))[::-1])"
    ),
    "by_keyword": called_otherwise("self.part(x)", "self.part(input=x)"),
    "of_another_shape": called_otherwise("self.part(x)", "self.part(x[None])[0]", part="nn.ReLU()"),
    "by_a_function": called_otherwise(
        "self.part(x)", "nn.functional.dropout(x, self.part.p, self.training)", part="nn.Dropout(0.5)"
    ),
    "with_activations_that_are_kept": called_otherwise(
        "torch.utils.checkpoint.checkpoint(self.part, x, use_reentrant=False)", "self.part(x)"
    ),
    "without_the_base": (
        "same-calls",
        Version(top=BASE, bases="Base", first="return x * 2 * self.scale"),
        Version(PLAIN, top=BASE, bases="Base", first="return super().forward(x) * self.scale"),
    ),
}
"""Parts that are called otherwise, with the same outputs."""


def later(
    before: str, after: str, *, first: tuple[str, str] = ("pass", "pass"), top: str = "", made: str = "Net()"
) -> Wrong:
    """A fix that changes what is done to others, or becomes of them, later on."""
    return (
        "same-later",
        Version(f'self.register_buffer("scale", {after})', first[1], top=top, made=made),
        Version(f"self.scale = {before}", first[0], top=top, made=made),
    )


TABLE = "TABLE = torch.ones(3)\n\nclass Defaults:\n    TABLE = torch.ones(3)\n\n"
PART_OF_IT = 'self.register_buffer("other", self.scale[1:], persistent=False)'
WRITTEN = "if self.training: self.scale.mul_(0.9)"
BOTH = "return self.linear(x) * self.scale.clone(), self.scale"
AVERAGE = (
    "self.scale = 0.9 * self.scale + 0.1 * x.detach().mean(0)",
    "self.scale.mul_(0.9).add_(0.1 * x.detach().mean(0))",
)


def of_caller(before: str, after: str, first: tuple[str, str] = ("pass", "pass")) -> Wrong:
    """A fix of a part that keeps what the caller gives."""
    part = "class Part(nn.Module):\n    def __init__(self, table):\n        super().__init__()\n        {}\n\n"
    used = part + "    def forward(self, x):\n        {}\n        return x * self.scale\n\n"
    made = "nn.Sequential(Net(), Part(torch.ones(3)))"
    return (
        "same-later",
        Version(top=used.format(after, first[1]), made=made),
        Version(PLAIN, top=used.format(before, first[0]), made=made),
    )


LATER: dict[str, Wrong] = {
    "loading_writes_a_constant": later("TABLE", "TABLE", top=TABLE),
    "loading_writes_a_tensor_of_a_class": later("Defaults.TABLE", "Defaults.TABLE", top=TABLE),
    "an_earlier_output_changes": later(
        "torch.ones(3)",
        "torch.ones(3)",
        first=(rows(AVERAGE[0], BOTH), rows(AVERAGE[1], BOTH)),
    ),
    "a_call_in_bfloat16_stays": later(
        "torch.ones(3)",
        "torch.ones(3)",
        first=(
            "return x * self.scale.to(x.dtype)",
            rows("self.scale = self.scale.to(x.dtype)", "return x * self.scale"),
        ),
    ),
    "the_tensor_of_the_caller_is_copied": of_caller(
        "self.scale = table", 'self.register_buffer("scale", table.clone(), persistent=False)'
    ),
    "the_tensor_of_the_caller_is_overwritten": of_caller(
        "self.scale = table", 'self.register_buffer("scale", table, persistent=False)', AVERAGE
    ),
    "a_view_parts_when_cast": (
        "same-later",
        Version(rows(FIXED, PART_OF_IT), first=WRITTEN),
        Version(rows(PLAIN, "self.other = self.scale[1:]"), first=WRITTEN),
    ),
}
"""What the outputs and the state of a module that is called do not show."""

UNRELATED: dict[str, Wrong] = {
    **LATER,
    **CALLS,
    **ALIKE,
    **NAMES,
    **NEW_CODE,
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
