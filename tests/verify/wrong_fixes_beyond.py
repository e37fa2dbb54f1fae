"""Wrong fixes in names that are alike, in new code, in how parts are called, and in what shows later alone.

All were verified once.
"""

from __future__ import annotations

from mutants import FIXED, PLAIN, WITH_PART, Version, method, rows, sized
from wrong_fixes import ORIGINAL, Wrong, above


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


def for_others(before: str, after: str, *, size: int = 3) -> Wrong:
    """A fix that is right for the inputs that are given, and not for others."""
    stored, now = (one.replace("ones(3)", f"ones({size})") for one in (PLAIN, FIXED))
    return "other-inputs", Version(now, after), Version(stored, before)


TIMES = "return x * self.scale"
REFUSED = 'if x.shape[-1] != self.scale.numel(): raise {}(f"not {{self.scale.numel()}} features")'
GROWN = "if x.shape[1] > self.scale.shape[0]: self.scale = torch.ones(x.shape[1])"
OTHER_INPUTS: dict[str, Wrong] = {
    "a_batch_size_that_is_written_out": for_others(
        "return (self.linear(x) * self.scale).view(x.size(0), 3, 1)",
        "return (self.linear(x) * self.scale).view(2, 3, 1)",
    ),
    "a_batch_of_one_loses_its_dimension": for_others(
        "return (x * self.scale).sum(-1)", "return (x * self.scale).sum(-1, keepdim=True).squeeze()"
    ),
    "cut_by_another_dimension": for_others(
        "return x * self.scale[: x.shape[-1]]", "return x * self.scale[: x.shape[1]]", size=9
    ),
    "large_inputs_are_clamped": for_others(TIMES, "return x.clamp(-100, 100) * self.scale"),
    "a_nan_is_hidden": for_others(TIMES, "return torch.nan_to_num(x * self.scale)"),
    "cast_to_the_dtype_of_the_buffer": for_others(TIMES, "return (x * self.scale).to(self.scale.dtype)"),
    "wrong_sizes_are_not_refused": for_others(rows(REFUSED.format("ValueError"), TIMES), TIMES),
    "another_exception": for_others(
        rows(REFUSED.format("ValueError"), TIMES), rows(REFUSED.format("RuntimeError"), TIMES)
    ),
    "errors_are_swallowed": for_others(
        TIMES, rows("try:", f"    {TIMES}", "except RuntimeError:", "    return x * self.scale.mean()")
    ),
    "it_grows_no_longer": for_others(rows(GROWN, "return x * self.scale[: x.shape[1]]"), TIMES),
}
"""What shows on inputs of other lengths, dtypes and values alone."""


def constructed(arguments: str, before: str, after: str, more: str = "") -> Wrong:
    """A fix of a part that is right for the arguments with which the factory constructs it."""
    tops = sized(f"self.scale = {before}", arguments), sized(after, arguments, more)
    return "other-arguments", Version(top=tops[1], made=WITH_PART), Version(PLAIN, top=tops[0], made=WITH_PART)


def registered(value: str) -> str:
    return f'self.register_buffer("scale", {value}, persistent=False)'


ARGUMENTS: dict[str, Wrong] = {
    "a_size_that_is_written_out": constructed("n=3", "torch.ones(n)", registered("torch.ones(3)")),
    "the_device_is_dropped": constructed("device=None", "torch.ones(3, device=device)", registered("torch.ones(3)")),
    "the_dtype_is_dropped": constructed("dtype=None", "torch.ones(3, dtype=dtype)", registered("torch.ones(3)")),
    "registered_in_one_branch_alone": constructed(
        "scaled=True", "torch.ones(3) if scaled else None", f"if scaled: {registered('torch.ones(3)')}"
    ),
    "another_mode": constructed(
        'mode="ones"',
        'torch.ones(3) if mode == "ones" else torch.full((3,), 0.5)',
        registered('torch.ones(3) if mode == "ones" else torch.full((3,), 0.25)'),
    ),
    "a_number_that_is_written_out": constructed("rate=0.5", "torch.ones(3) * rate", registered("torch.ones(3) * 0.5")),
    "memory_is_shared_no_longer": constructed(
        "share=False",
        "torch.ones(3).share_memory_() if share else torch.ones(3)",
        registered("torch.ones(3)"),
    ),
    "a_list_of_fixed_length": constructed(
        "count=3",
        "[torch.ones(()) for k in range(count)]",
        rows("for k in range(count):", '    self.register_buffer(f"scale_{k}", torch.ones(()), persistent=False)'),
        method("@property\n    def scale(self):", "return [self.scale_0, self.scale_1, self.scale_2]"),
    ),
}
"""What shows on objects that are constructed with other arguments alone."""

STEP, FACTOR = "def step(self, rate=0.1):", "def factor(self, inverse=False):"


def method_called_otherwise(head: str, before: str, after: str) -> Wrong:
    """A fix that changes a method, and is right for what its arguments are when they are left out."""
    return "same-code", Version(more=method(head, after)), Version(PLAIN, more=method(head, before))


METHODS: dict[str, Wrong] = {
    "a_rate_that_is_written_out": method_called_otherwise(
        STEP, "self.scale = self.scale * rate", "self.scale.mul_(0.1)"
    ),
    "a_flag_that_means_another_thing": method_called_otherwise(
        FACTOR, "return 1 / self.scale if inverse else self.scale", "return -self.scale if inverse else self.scale"
    ),
}
"""What shows where methods are called with other arguments alone."""

OPTIONAL = "if self.scale is None: return self.linear(x)"

OTHER = rows("class Other:", '    """Adds."""')

TEXT: dict[str, Wrong] = {
    "a_comment_is_gone": ("same-code", Version(), Version(PLAIN, first="pass  # nothing yet")),
    "a_comment_above_is_gone": ("same-code", Version(), Version(PLAIN, first=rows("# nothing yet", "pass"))),
    "the_docstring_of_another_class_is_gone": (
        "same-code",
        Version(top="class Other:\n    pass\n"),
        Version(PLAIN, top=OTHER),
    ),
}
"""What people alone read."""

ABSENT: dict[str, Wrong] = {"none_is_allowed_no_longer": ("outputs-cpu", Version(), Version(PLAIN, first=OPTIONAL))}
"""What shows where the tensor is taken away."""

FADING = "self.scale = self.scale * 0.9"
KEPT = FIXED.replace(", persistent=False", "")


def scaled(factor: str) -> Version:
    """The fixed version with another factor, where that is 1 in most calls."""
    return Version(last=f" * {factor}")


MODES: dict[str, Wrong] = {
    "another_in_training_under_autocast": (
        "outputs-cpu",
        scaled("(1 + (self.training and torch.is_autocast_enabled('cpu')))"),
        Version(PLAIN),
    ),
    "another_in_inference_mode": ("outputs-cpu", scaled("(1 + torch.is_inference_mode_enabled())"), Version(PLAIN)),
    "another_in_training_without_gradients": (
        "outputs-cpu",
        scaled("(1 + (self.training and not torch.is_grad_enabled()))"),
        Version(PLAIN),
    ),
    "a_tensor_of_inference_stays": (
        "outputs-cpu",
        Version(KEPT, first=rows("if not self.training:", f"    {FADING}")),
        Version(PLAIN, first=rows("if not self.training:", "    self.scale.mul_(0.9)")),
    ),
    "nothing_is_reset_after_a_call": (
        "same-code",
        Version(KEPT, first=FADING, more=method("def reset(self):", "self.scale = self.scale.clone()")),
        Version(PLAIN, first=FADING, more=method("def reset(self):", "self.scale = torch.ones(3)")),
    ),
    "no_gradient_for_another_tensor": (
        "same-gradients",
        Version(last=".detach()"),
        Version(PLAIN),
    ),
}
"""What shows in modes that are rare together, and after them."""

BEYOND: dict[str, Wrong] = {
    **MODES,
    **ALIKE,
    **NAMES,
    **NEW_CODE,
    **CALLS,
    **LATER,
    **OTHER_INPUTS,
    **ARGUMENTS,
    **METHODS,
    **TEXT,
    **ABSENT,
}
