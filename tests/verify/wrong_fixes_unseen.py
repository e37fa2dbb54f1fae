"""Wrong fixes in what no output shows: what lies beside tensors, what nothing calls, what changes late or elsewhere.

Nearly all were verified once.
"""

from __future__ import annotations

from mutants import FIXED, OTHER, OTHER_FIXED, PLAIN, Version, method, rows
from wrong_fixes import (
    BOX,
    ORIGINAL,
    READING,
    Wrong,
    above,
    beside,
    of_the_program,
    with_method,
    wrong,
)


def reading(name: str, body: str) -> str:
    """A property."""
    return READING.replace("scale(", f"{name}(").format(body=body)


def of_container(before: str, after: str, read: str = "pair[0]", check: str = "same-state", top: str = "") -> Wrong:
    """A fix of what an attribute ``pair`` holds, which a property makes of buffers."""
    last = f" + self.{read}"
    stored = rows(PLAIN, f"self.pair = {before}")
    now = rows(FIXED, 'self.register_buffer("pair_0", torch.zeros(3), persistent=False)')
    return (
        check,
        Version(now, last=last, more=reading("pair", f"return {after}"), top=top),
        Version(stored, last=last, top=top),
    )


NORMAL = "torch.distributions.Normal"
ITEM = "torch.zeros(3)"
NOW = "self.pair_0"
COLLECTIONS = "from collections import OrderedDict, defaultdict, deque\nfrom types import SimpleNamespace\n\n"
PAIR = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    first: object\n    n: int = 0\n\n"
SLOTTED = "class Slotted:\n    __slots__ = ('x', 'n')\n    def __init__(self, x, n):\n        self.x, self.n = x, n\n\n"

BESIDE_TENSORS: dict[str, Wrong] = {
    "a_number_in_a_list": of_container(f"[{ITEM}, 3]", f"[{NOW}, 4]"),
    "a_number_in_a_list_is_gone": of_container(f"[{ITEM}, 3]", f"[{NOW}]"),
    "none_in_a_list_is_gone": of_container(f"[{ITEM}, None]", f"[{NOW}]"),
    "one_more_in_a_list": of_container(f"[{ITEM}]", f"[{NOW}, {NOW}]"),
    "a_list_in_a_list": of_container(f"[{ITEM}, [1, 2]]", f"[{NOW}, (1, 2)]"),
    "a_name_in_a_dict": of_container(f'{{0: {ITEM}, "mode": "sum"}}', f'{{0: {NOW}, "mode": "mean"}}'),
    "a_key_more_in_a_dict": of_container(f"{{0: {ITEM}}}", f'{{0: {NOW}, "more": 1}}'),
    "keys_of_a_dict_in_another_order": of_container(f"{{0: {ITEM}, 1: 2}}", f"{{1: 2, 0: {NOW}}}"),
    "an_int_key_is_a_text": of_container(f'{{0: {ITEM}, "1": 2}}', f"{{0: {NOW}, 1: 2}}"),
    "a_dict_of_another_default": of_container(
        f"defaultdict(list, {{0: {ITEM}}})", f"defaultdict(int, {{0: {NOW}}})", top=COLLECTIONS
    ),
    "a_deque_of_another_length": of_container(
        f"deque([{ITEM}], maxlen=2)", f"deque([{NOW}], maxlen=3)", top=COLLECTIONS
    ),
    "a_number_in_a_named_tuple": of_container(f"Pair({ITEM}, 1)", f"Pair({NOW}, 2)", top=PAIR),
    "a_number_in_an_object": of_container(f"Box({ITEM}, 1)", f"Box({NOW}, 2)", "pair.x", top=BOX),
    "a_number_in_a_slot": of_container(f"Slotted({ITEM}, 1)", f"Slotted({NOW}, 2)", "pair.x", top=SLOTTED),
    "an_object_is_of_another_class": of_container(
        f"SimpleNamespace(x={ITEM})",
        f"Other(x={NOW})",
        "pair.x",
        top=f"{COLLECTIONS}class Other(SimpleNamespace):\n    pass\n\n",
    ),
    "a_distribution_is_not_checked": of_container(
        f"{NORMAL}({ITEM}, torch.ones(3))",
        f"{NORMAL}({NOW}, self.scale, validate_args=False)",
        "pair.loc",
    ),
    "a_text_in_a_partial": of_container(
        f"partial(torch.add, {ITEM}, alpha=1)",
        f"partial(torch.add, {NOW}, alpha=2)",
        "pair.args[0]",
        top="from functools import partial\n\n",
    ),
    "a_list_of_the_same_object": of_container(f"[{ITEM}, [0]] * 2", f"[{NOW}, [0], {NOW}, [0]]"),
    "a_list_that_is_made_anew": of_container(f"[{ITEM}, []]", f"[{NOW}, [0] * (not self.training)]"),
}

SETTERS: dict[str, Wrong] = {
    "a_setter_does_nothing": with_method(
        "same-code",
        reading("rate", "return self.__dict__.get('_rate', 1)")
        + method("@rate.setter\n    def rate(self, value):", "self.__dict__['_rate'] = value"),
        reading("rate", "return self.__dict__.get('_rate', 1)")
        + method("@rate.setter\n    def rate(self, value):", "pass"),
    ),
    "a_setter_of_the_tensor_does_something_else": with_method(
        "same-code",
        reading("gain", "return self.scale") + method("@gain.setter\n    def gain(self, value):", "self.scale = value"),
        reading("gain", "return self.scale")
        + method("@gain.setter\n    def gain(self, value):", "self.scale = value + 1"),
    ),
    "a_setter_is_gone": with_method(
        "same-code",
        reading("gain", "return self.scale") + method("@gain.setter\n    def gain(self, value):", "self.scale = value"),
        reading("gain", "return self.scale"),
    ),
    "a_deleter_is_gone": with_method(
        "same-code",
        reading("gain", "return self.scale") + method("@gain.deleter\n    def gain(self):", "del self.scale"),
        reading("gain", "return self.scale"),
    ),
    "a_setter_is_new": with_method(
        "same-code",
        reading("gain", "return self.scale"),
        reading("gain", "return self.scale") + method("@gain.setter\n    def gain(self, value):", "pass"),
    ),
}

LATE: dict[str, Wrong] = {
    "state_in_eval": (
        "same-state",
        Version(rows(FIXED, "self.kept = 0"), "if not self.training: self.kept = 2"),
        Version(rows(PLAIN, "self.kept = 0"), "if not self.training: self.kept = 1"),
    ),
    "a_buffer_in_eval": (
        "same-state",
        Version(rows(FIXED, 'self.register_buffer("seen", torch.zeros(1))'), "if not self.training: self.seen += 2"),
        Version(rows(PLAIN, 'self.register_buffer("seen", torch.zeros(1))'), "if not self.training: self.seen += 1"),
    ),
    **{
        f"state_from_call_{number}_on": (
            "same-state",
            Version(rows(FIXED, "self.calls = 0"), f"self.calls += 1 + (self.calls >= {number - 1})"),
            Version(rows(PLAIN, "self.calls = 0"), "self.calls += 1"),
        )
        for number in (4, 5, 8)
    },
    "a_buffer_from_the_fifth_call_on": (
        "same-state",
        Version(rows(FIXED, 'self.register_buffer("n", torch.zeros(1))'), "self.n += 1 + (self.n > 3).float()"),
        Version(rows(PLAIN, 'self.register_buffer("n", torch.zeros(1))'), "self.n += 1"),
    ),
    "random_numbers_in_eval": wrong("same-state", first="if not self.training: torch.rand(1)"),
    "random_numbers_from_the_fifth_call_on": (
        "same-state",
        Version(rows(FIXED, "self.calls = 0"), rows("self.calls += 1", "if self.calls > 4: random.random()")),
        Version(rows(PLAIN, "self.calls = 0"), rows("self.calls += 1", "if self.calls > 99: random.random()")),
    ),
    "a_mode_in_eval": wrong("same-state", first="if not self.training: self.linear.train()"),
    "a_setting_in_eval": wrong("same-state", first="if not self.training: torch.set_num_threads(2)"),
}

TWO = 'self.register_buffer("low", torch.ones(3)); self.register_buffer("high", {})'
SHARED: dict[str, Wrong] = {
    "two_buffers_have_parted": beside("same-state", TWO.format("self.low"), TWO.format("torch.ones(3)")),
    "two_buffers_are_one": beside("same-state", TWO.format("torch.ones(3)"), TWO.format("self.low")),
    "a_view_has_parted": (
        "same-state",
        Version(
            rows(FIXED, 'self.register_buffer("part", self.scale[:2].clone(), persistent=False)'),
            last=" + self.part[0]",
        ),
        Version(rows(PLAIN, "self.part = self.scale[:2]"), last=" + self.part[0]"),
    ),
    "two_names_have_parted": (
        "same-state",
        Version(rows(FIXED, OTHER_FIXED), last=" * self.other"),
        Version(rows(PLAIN, "self.other = self.scale"), last=" * self.other"),
    ),
    "two_tensors_are_one": (
        "same-state",
        Version(rows(FIXED, 'self.register_buffer("other", self.scale, persistent=False)'), last=" * self.other"),
        Version(rows(PLAIN, OTHER), last=" * self.other"),
    ),
    "a_list_is_another": beside("same-state", "self.a = []; self.b = self.a", "self.a = []; self.b = []"),
    "the_tensor_of_the_file": (
        "same-state",
        Version('self.register_buffer("scale", ONES.clone(), persistent=False)', top="ONES = torch.ones(3)\n"),
        Version("self.scale = ONES", top="ONES = torch.ones(3)\n"),
    ),
}


def overriding(head: str, *body: str, check: str = "same-code", before: str = "") -> Wrong:
    """A fix that has a method in the place of an inherited one, or changes it, and names the tensor in it."""
    return check, Version(more=method(head, *body)), Version(PLAIN, more=before)


LOADING = "def load_state_dict(self, state, strict=True, assign=False):"
OVERRIDES: dict[str, Wrong] = {
    "loading_forgets_the_tensor": overriding(
        LOADING,
        "kept = self.scale.clone()",
        "done = super().load_state_dict(state, strict, assign)",
        "self.scale = kept",
        "return done",
    ),
    "loading_is_never_strict": overriding(
        LOADING, "self.scale", "return super().load_state_dict(state, False, assign)"
    ),
    "loading_assigns_nothing": overriding(LOADING, "self.scale", "return super().load_state_dict(state, strict)"),
    "its_text_says_the_tensor": overriding("def extra_repr(self):", "return str(self.scale)"),
    "its_text_is_another": overriding(
        "def extra_repr(self):",
        'return f"scale={len(self.scale)}"',
        before=method("def extra_repr(self):", 'return f"size={len(self.scale)}"'),
    ),
    "train_writes_the_tensor": overriding(
        "def train(self, mode=True):",
        "if not mode: self.scale.data = self.scale.data * 1",
        "return super().train(mode)",
    ),
    "zero_grad_writes_the_tensor": overriding(
        "def zero_grad(self, set_to_none=True):", "self.scale.zero_()", "super().zero_grad(set_to_none)"
    ),
    "requires_grad_leaves_it": overriding("def requires_grad_(self, requires_grad=True):", "self.scale", "return self"),
    "it_is_as_long_as_the_tensor": overriding("def __len__(self):", "return len(self.scale)"),
    "its_names_are_less": overriding("def __dir__(self):", "self.scale", "return []"),
    "to_is_made_twice": overriding(
        "def to(self, *given, **named):",
        "done = super().to(*given, **named)",
        "done.scale = done.scale.to(torch.float32)",
        "return done",
    ),
    "apply_moves_a_copy": overriding(
        "def _apply(self, fn, recurse=True):",
        "super()._apply(fn)",
        "self.scale = self.scale.clone()",
        "return self",
    ),
    "attributes_that_are_missing": overriding(
        "def __getattr__(self, name):",
        'if name.endswith("scale_old"): return self.scale',
        'return super().__getattr__(name) if name != "gone" else None',
    ),
    "state_is_asked_for_with_more": overriding(
        "def state_dict(self, *given, **named):",
        "found = super().state_dict(*given, **named)",
        'found.pop("scale", None)',
        "return found if len(given) < 3 else {}",
    ),
    "its_hash_is_another": overriding("def __hash__(self):", "self.scale", "return 3"),
}

RESET = "def reset(self):"
BROKEN: dict[str, Wrong] = {
    "reset_assigns_a_number": with_method("same-code", *[method(RESET, "self.scale = 1.0")] * 2),
    "reset_assigns_a_list": with_method("same-code", *[method(RESET, "self.scale = [1.0]")] * 2),
    "an_argument_is_assigned": with_method(
        "same-code", *[method("def load(self, value=2.0):", "self.scale = value")] * 2
    ),
    "reset_asks_for_the_dict": with_method("same-code", *[method(RESET, 'del self.__dict__["scale"]')] * 2),
    "what_is_appended_is_lost": (
        "same-code",
        Version(
            rows(FIXED, 'self.register_buffer("pair_0", torch.zeros(3), persistent=False)'),
            last=" + self.pair[0]",
            more=reading("pair", "return [self.pair_0]") + method("def add(self):", "self.pair.append(torch.ones(3))"),
        ),
        Version(
            rows(PLAIN, "self.pair = [torch.zeros(3)]"),
            last=" + self.pair[0]",
            more=method("def add(self):", "self.pair.append(torch.ones(3))"),
        ),
    ),
    "what_others_call_is_broken": (
        "same-code",
        Version(more=method(RESET, "self._reset(2)") + method("def _reset(self, n):", "self.scale = n")),
        Version(PLAIN, more=method(RESET, "self._reset(2)") + method("def _reset(self, n):", "self.scale = n")),
    ),
    "a_property_is_broken": with_method(
        "same-code", *[reading("names", "return [n for n in vars(self) if n == 'scale']")] * 2
    ),
    "a_setter_assigns_a_number": with_method(
        "same-code",
        *[
            reading("gain", "return float(self.scale[0])")
            + method("@gain.setter\n    def gain(self, value):", "self.scale = float(value)")
        ]
        * 2,
    ),
    "a_subclass_is_broken": (
        "same-code",
        Version(more="\nclass Sub(Net):\n    def reset(self):\n        self.scale = 1.0\n"),
        Version(PLAIN, more="\nclass Sub(Net):\n    def reset(self):\n        self.scale = 1.0\n"),
    ),
    "a_method_with_an_argument_is_broken": with_method(
        "same-code", *[method("def fill(self, value):", "self.scale = value.tolist()")] * 2
    ),
}

DECORATED = "import functools\n\ndef tagged(*tags):\n    def mark(f):\n        return f\n    return mark\n\n"
RETRIED = (
    "import functools\n\ndef retried(times):\n    def wrap(f):\n        @functools.wraps(f)\n"
    "        def run(*given):\n            for _ in range(times):\n                result = f(*given)\n"
    "            return result\n        return run\n    return wrap\n\n"
)
INNER = "def made():\n    class Inner:\n        rate = {}\n    return Inner\n\n"
CODE: dict[str, Wrong] = {
    "another_argument_of_a_decorator": with_method(
        "same-code",
        method("@tagged(1)\n    def size(self):", "return 3"),
        method("@tagged(2)\n    def size(self):", "return 3"),
        top=DECORATED,
    ),
    "another_number_of_times": with_method(
        "same-code",
        method("@retried(1)\n    def size(self):", "return 3"),
        method("@retried(2)\n    def size(self):", "return 3"),
        top=RETRIED,
    ),
    "another_size_of_a_cache": with_method(
        "same-code",
        method("@functools.lru_cache(maxsize=1)\n    def size(self):", "return 3"),
        method("@functools.lru_cache(maxsize=None)\n    def size(self):", "return 3"),
        top=DECORATED,
    ),
    "another_argument_of_the_class_decorator": above(
        "same-code",
        f"{DECORATED}@tagged(1)\nclass Other:\n    pass\n\n",
        f"{DECORATED}@tagged(2)\nclass Other:\n    pass\n\n",
    ),
    "a_class_decorator_is_gone": above(
        "same-code", f"{DECORATED}@tagged(1)\nclass Other:\n    pass\n\n", f"{DECORATED}class Other:\n    pass\n\n"
    ),
    "a_constant_of_a_class_in_a_function": above("same-code", INNER.format(3), INNER.format(4)),
    "a_base_of_a_class_in_a_function": above(
        "same-code",
        "def made():\n    class Inner(list):\n        pass\n    return Inner\n\n",
        "def made():\n    class Inner(tuple):\n        pass\n    return Inner\n\n",
    ),
    "a_constant_of_a_class_in_a_class": above(
        "same-code",
        "class Outer:\n    class Inner:\n        rate = 3\n\n",
        "class Outer:\n    class Inner:\n        rate = 4\n\n",
    ),
    "an_argument_of_a_class": above(
        "same-code",
        "class Base:\n    def __init_subclass__(cls, n=0): pass\n\nclass Other(Base, n=1):\n    pass\n\n",
        "class Base:\n    def __init_subclass__(cls, n=0): pass\n\nclass Other(Base, n=2):\n    pass\n\n",
    ),
    "a_statement_of_the_file": above("same-code", "LOG = []\nLOG and print(1)\n", "LOG = []\nLOG and print(2)\n"),
    "what_stands_under_main": above(
        "same-code",
        'if __name__ == "__main__":\n    print(3)\n\n',
        'if __name__ == "__main__":\n    print(4)\n\n',
    ),
    "what_stands_under_type_checking": above(
        "same-code",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from math import sin as f\n\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from math import cos as f\n\n",
    ),
    "an_annotation": with_method(
        "same-code", method("def size(self) -> int:", "return 3"), method("def size(self) -> float:", "return 3")
    ),
    "the_names_for_others": above("same-code", '__all__ = ["Net"]\n', '__all__ = ["Net", "make"]\n'),
    "its_slots": above(
        "same-code", "class Other:\n    __slots__ = ('a',)\n\n", "class Other:\n    __slots__ = ('a', 'b')\n\n"
    ),
    "its_text": with_method(
        "same-code",
        method("def size(self):", '"""How many."""', "return 3"),
        method("def size(self):", '"""How few."""', "return 3"),
    ),
}

PROGRAM: dict[str, Wrong] = {
    "the_default_dtype_while_building": beside(
        "same-state", "pass", "torch.set_default_dtype(torch.float32 if 0 else torch.float64)"
    ),
    "the_environment_by_its_function": of_the_program("import os; os.environ.pop('HOME')"),
    "the_level_of_logging": of_the_program("import logging; logging.getLogger().setLevel(10)"),
    "the_level_of_one_logger": of_the_program("import logging; logging.getLogger('torch').setLevel(50)"),
    "a_handler_of_logging": of_the_program("import logging; logging.getLogger().addHandler(logging.NullHandler())"),
    "logging_is_off": of_the_program("import logging; logging.disable(50)"),
    "errors_of_numpy": of_the_program("import numpy; numpy.seterr(all='ignore')"),
    "how_numpy_prints": of_the_program("import numpy; numpy.set_printoptions(precision=2)"),
    "how_torch_prints": of_the_program("torch.set_printoptions(precision=2)"),
    "the_precision_of_decimals": of_the_program("import decimal; decimal.getcontext().prec = 5"),
    "the_locale": of_the_program("import locale; locale.setlocale(locale.LC_ALL, 'C')"),
    "collecting_garbage": of_the_program("import gc; gc.disable()"),
    "thresholds_of_collecting": of_the_program("import gc; gc.set_threshold(5000)"),
    "switching_threads": of_the_program("import sys; sys.setswitchinterval(0.5)"),
    "the_longest_number": of_the_program("import sys; sys.set_int_max_str_digits(0)"),
    "precision_of_products": of_the_program("torch.set_float32_matmul_precision('high')"),
    "benchmarking": of_the_program("torch.backends.cudnn.benchmark = True"),
    "tf32": of_the_program("torch.backends.cuda.matmul.allow_tf32 = True"),
    "mkldnn": of_the_program("torch.backends.mkldnn.enabled = False"),
    "anomalies": of_the_program("torch.autograd.set_detect_anomaly(True)"),
    "checks_of_distributions": of_the_program("torch.distributions.Distribution.set_default_validate_args(False)"),
    "the_mask_of_files": of_the_program("import os; os.umask(0o77)"),
    "the_hook_of_exceptions": of_the_program("import sys; sys.excepthook = lambda *a: None"),
    "a_finder_of_imports": of_the_program(
        "import sys; sys.meta_path.append(type('F', (), {'find_spec': lambda *a: None})())"
    ),
    "a_module_is_replaced": of_the_program("import sys, types; sys.modules['random'] = types.ModuleType('random')"),
    "a_function_of_math": of_the_program("import math; math.sqrt = lambda x: 2"),
    "a_function_of_numpy": of_the_program("import numpy; numpy.sqrt = numpy.cbrt"),
    "a_function_of_autograd": of_the_program("torch.autograd.grad = None"),
    "a_method_of_optimizers": of_the_program("torch.optim.Optimizer.zero_grad = lambda *a: None"),
    "a_default_socket_timeout": of_the_program("import socket; socket.setdefaulttimeout(3)"),
    "the_way_of_warnings": of_the_program("import warnings; warnings.showwarning = print"),
    "the_way_threads_start": of_the_program("import threading; threading.stack_size(2**20)"),
    "the_way_processes_start": of_the_program("import multiprocessing; multiprocessing.set_start_method('spawn')"),
    "what_arguments_were_given": of_the_program("import sys; sys.argv.append('x')"),
    "the_temporary_directory": of_the_program("import tempfile; tempfile.tempdir = '/'"),
    "the_time_zone": of_the_program(
        "import os, time; os.environ['TZ'] = 'Asia/Tokyo'; time.tzset(); del os.environ['TZ']"
    ),
    "niceness": of_the_program("import os; os.nice(1)"),
    "recording_shapes": of_the_program("torch.autograd.set_multithreading_enabled(False)"),
}

UNSTABLE = "return {{'t': time.time(), 'y': self.linear(x) * self.scale + {}}}"
RAISING = "if not self.training: raise ValueError('{}')"
TWO_PARTS = ("self.a = nn.ReLU()", "self.b = nn.Tanh()")
TURNED = 'self.register_buffer("m", torch.ones(2, 3).t(){})'
MORE: dict[str, Wrong] = {
    "parts_in_another_order": beside("same-state", rows(*TWO_PARTS), rows(*reversed(TWO_PARTS))),
    "another_message_of_an_exception": (
        "outputs-cpu",
        Version(first=RAISING.format(2)),
        Version(PLAIN, first=RAISING.format(1)),
    ),
    "a_hook_of_a_tensor": beside("same-state", "pass", "self.linear.weight.register_hook(lambda g: g)"),
    "a_gradient_is_there": beside("same-state", "pass", "self.linear.weight.grad = torch.zeros(3, 3)"),
    "a_layout_in_memory": beside("same-state", TURNED.format(""), TURNED.format(".contiguous()")),
    "an_output_beside_what_is_unstable": (
        "outputs-cpu",
        Version(top="import time\n", first=UNSTABLE.format(1)),
        Version(PLAIN, top="import time\n", first=UNSTABLE.format(0)),
    ),
    "state_beside_what_is_unstable": (
        "same-state",
        Version(top="import time\n", first="self.seen = [time.time(), 2]"),
        Version(PLAIN, top="import time\n", first="self.seen = [time.time(), 1]"),
    ),
}

RUNNING = "self.run = (0.9 * self.run + 0.1 * self.linear(x).mean(0)){}"
KEPT = "self.run = torch.zeros(3)"
ASYNC = "async def scaled(self):"
DRAWN_FROM = "def steps(self):"
TREATED = "import contextlib\n"
OF_TYPES = "self.rates = {{nn.Linear: {}, nn.LayerNorm: {}}}"


def unchanged(head: str, *body: str, top: str = "", decorated: str = "") -> Wrong:
    """A fix that breaks a method of which it changes nothing."""
    more = method(f"{decorated}{head}", *body)
    return "same-code", Version(more=more, top=top), Version(PLAIN, more=more, top=top)


CALLED_OTHERWISE: dict[str, Wrong] = {
    "a_value_that_was_computed_once": (
        "outputs-cpu",
        Version(
            rows(FIXED, 'self.register_buffer("scale_root", self.scale.sqrt(), persistent=False)'),
            "return self.linear(x) * self.scale_root",
        ),
        Version(PLAIN, "return self.linear(x) * self.scale.sqrt()"),
    ),
    "the_tensor_as_it_was_built": (
        "outputs-cpu",
        Version(first="return self.linear(x) * torch.ones(3)"),
        Version(PLAIN, first="return self.linear(x) * self.scale"),
    ),
    "the_mean_of_the_first_inputs": (
        "outputs-cpu",
        Version(
            rows(FIXED, 'self.register_buffer("scale_mean", None, persistent=False)'),
            rows("if self.scale_mean is None: self.scale_mean = x.detach().mean()", "x = x - self.scale_mean"),
        ),
        Version(PLAIN, "x = x - x.detach().mean()"),
    ),
    "a_graph_without_gradients": (
        "outputs-cpu",
        Version(first="with torch.enable_grad(): return self.linear(x) * self.scale"),
        ORIGINAL,
    ),
    "a_graph_that_outlives_the_call": (
        "same-gradients",
        Version(rows(FIXED, KEPT), RUNNING.format(""), " + self.run"),
        Version(rows(PLAIN, KEPT), RUNNING.format(".detach()"), " + self.run"),
    ),
    "gradients_of_gradients": (
        "same-gradients",
        Version(first=rows("d = x.detach()", "x = 2 * d * x - d * d")),
        Version(PLAIN, first="x = x * x"),
    ),
    "seeds_of_their_own": (
        "same-state",
        Version(rows(FIXED, "torch.manual_seed(0)")),
        Version(rows(PLAIN, "pass")),
    ),
    "a_name_more_of_torch": of_the_program("nn.Conv2d.__call__ = lambda self, x: x"),
    "a_name_more_of_python": of_the_program("import builtins; builtins.profile = print"),
    "names_for_import": above("same-code", '__all__ = ["Net", "make"]\n', '__all__ = ["Net"]\n'),
    "names_for_torchscript": (
        "same-code",
        Version(more='\n    __constants__ = ["size"]\n'),
        Version(PLAIN, more='\n    __constants__ = ["size", "rate"]\n'),
    ),
    "values_by_class": beside("same-state", OF_TYPES.format(0.1, 0), OF_TYPES.format(0, 0.1)),
    "what_is_printed": unchanged("def extra_repr(self):", "return str(vars(self)['scale'])"),
    "zero_grad": unchanged("def zero_grad(self, set_to_none=True):", "vars(self)['scale'].grad = None"),
    "an_async_method": unchanged(ASYNC, "return vars(self)['scale']"),
    "a_generator": unchanged(DRAWN_FROM, "yield vars(self)['scale']"),
    "a_context_manager": unchanged(
        "def frozen(self):", "self.scale = 2", "yield", top=TREATED, decorated="@contextlib.contextmanager\n    "
    ),
}

UNSEEN: dict[str, Wrong] = {
    **CALLED_OTHERWISE,
    **BESIDE_TENSORS,
    **SETTERS,
    **LATE,
    **SHARED,
    **OVERRIDES,
    **BROKEN,
    **CODE,
    **PROGRAM,
    **MORE,
}


def beside_others(**parts: str) -> tuple[Version, Version]:
    """A right fix in a class with some other code."""
    return Version(**parts), Version(PLAIN, **parts)


TIME = "import time\n"
TIMED = "return {'y': self.linear(x) * self.scale, 't': time.time()}"
SAVED = "torch.save({'s': self.scale, 'w': self.linear.state_dict()}, path)"
DOCUMENTED = 'class A:\n    """{}."""\n\n'
RIGHT_ONES: dict[str, tuple[Version, Version]] = {
    "a_global_list_is_filled": beside_others(top="CALLS = [0]\n", first="CALLS[0] += 1"),
    "a_global_number_counts": beside_others(top="N = 0\n", first=rows("global N", "N += 1")),
    "the_class_counts": (
        Version(rows(FIXED, "Net.made += 1"), more="\n    made = 0\n"),
        Version(rows(PLAIN, "Net.made += 1"), more="\n    made = 0\n"),
    ),
    "a_method_trains": beside_others(
        more=method("def fit(self, x):", "for _ in range(3): (self.scale * x).sum()", "return {'loss': 1.0}")
    ),
    "a_method_serves_without_end": beside_others(more=method("def serve(self):", "while True: self.scale")),
    "a_method_prints": beside_others(more=method("def show(self):", "print(self.scale, id(self))")),
    "a_method_saves": beside_others(more=method("def save(self, path='x.pt'):", SAVED, "return path")),
    "state_tells_the_time": beside_others(top=TIME, first="self.seen = time.time()"),
    "outputs_tell_the_time": beside_others(top=TIME, first=TIMED),
    "another_text_of_a_class": (Version(top=DOCUMENTED.format("One")), Version(PLAIN, top=DOCUMENTED.format("Two"))),
    "an_annotation_more": (Version(more="\n    scale: torch.Tensor\n"), ORIGINAL),
    "an_import_more": (Version(top="from torch import Tensor\n", more="\n    scale: Tensor\n"), ORIGINAL),
}
"""Right fixes beside code of which something could be thought: the fixed version and the original."""
