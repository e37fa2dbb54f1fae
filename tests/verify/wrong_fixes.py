"""Wrong fixes of every kind, each with what speaks against it; none of them may be verified.

``WRONG`` maps a name to the check that has to speak against the fix (others may, too), the fixed version, and, where it
is not the usual one, the original.
"""

from __future__ import annotations

from dataclasses import replace

from mutants import FIXED, OTHER, OTHER_FIXED, PLAIN, Version, method, rows

ORIGINAL = Version(PLAIN)
RIGHT = Version()
Wrong = tuple[str, Version, Version]


def wrong(check: str, original: Version = ORIGINAL, **parts: str) -> Wrong:
    """A fix that is right but for some parts."""
    return (
        check,
        replace(original, storing=parts.pop("storing", original.storing.replace(PLAIN, FIXED)), **parts),
        original,
    )


def beside(check: str, before: str, after: str) -> Wrong:
    """A fix that changes something else in the constructor."""
    return check, Version(rows(FIXED, after)), Version(rows(PLAIN, before))


def with_method(check: str, before: str, after: str, **parts: str) -> Wrong:
    """A fix that changes something behind ``forward``."""
    return check, Version(more=after, **parts), Version(PLAIN, more=before, **parts)


def above(check: str, before: str, after: str) -> Wrong:
    """A fix that changes something before the class."""
    return check, Version(top=after), Version(PLAIN, top=before)


def returning(before: str, after: str, check: str = "outputs-cpu", **parts: str) -> Wrong:
    """A fix that changes what ``forward`` returns."""
    return check, Version(first=f"return {after}", **parts), Version(PLAIN, first=f"return {before}", **parts)


READING = method("@property\n    def scale(self):", "{body}")
Y = "self.linear(x) * self.scale"
POINT = "from typing import NamedTuple\n\nclass Point(NamedTuple):\n    x: torch.Tensor\n\n"
BOX = "from dataclasses import dataclass\n\n@dataclass\nclass Box:\n    x: object\n    n: int = 0\n\n"
COUNTED = rows("self.calls += 1", "if self.calls > {}: x = x + 1")

NOT_CURED: dict[str, Wrong] = {
    "unchanged": ("shows-bug", ORIGINAL, ORIGINAL),
    "a_comment": wrong("shows-bug", storing=rows(PLAIN, "# registered")),
    "another_name_beside": wrong("plain-tensors", storing=rows(PLAIN, "self.again = self.scale")),
    "registered_under_another_name": wrong(
        "plain-tensors", storing=rows(PLAIN, 'self.register_buffer("b", self.scale)')
    ),
    "in_a_list": wrong(
        "plain-tensors", storing="self.scales = [torch.ones(3)]", more=READING.format(body="return self.scales[0]")
    ),
    "in_a_closure": wrong(
        "plain-tensors",
        storing=rows("ones = torch.ones(3)", "self.get = lambda: ones"),
        more=READING.format(body="return self.get()"),
    ),
    "in_a_default": wrong(
        "state-kept",
        more=method("@property\n    def scale(self, value=torch.ones(3)):", "return value"),
        storing="pass",
    ),
    "in_a_constant": wrong(
        "state-kept", top="SCALE = torch.ones(3)\n\n", more=READING.format(body="return SCALE"), storing="pass"
    ),
    "in_the_class": wrong("state-kept", storing="type(self).scale = torch.ones(3)"),
    "made_on_each_read": wrong("state-kept", storing="pass", more=READING.format(body="return torch.ones(3)")),
    "by_object_setattr": wrong("plain-tensors", storing='object.__setattr__(self, "scale", torch.ones(3))'),
    "into_the_dict": wrong("plain-tensors", storing='self.__dict__["scale"] = torch.ones(3)'),
    "by_getattr": wrong(
        "state-kept",
        storing="pass",
        more=method(
            "def __getattr__(self, name):", 'return torch.ones(3) if name == "scale" else super().__getattr__(name)'
        ),
    ),
    "in_a_slot": wrong("state-kept", storing="self.scale = torch.ones(3)", more="\n    __slots__ = ('scale',)\n"),
    "one_of_two": ("plain-tensors", Version(rows(FIXED, OTHER)), Version(rows(PLAIN, OTHER))),
    "as_numbers": wrong("state-kept", storing="self.scale = 1.0"),
    "as_numpy": wrong(
        "state-kept", storing="self.scale = torch.ones(3).tolist()", last=" if False else self.linear(x)"
    ),
    "deleted": wrong("state-kept", storing="pass", first="return self.linear(x)"),
    "a_parameter": wrong("not-parameters", storing="self.scale = nn.Parameter(torch.ones(3))"),
    "a_frozen_parameter": wrong(
        "not-parameters", storing="self.scale = nn.Parameter(torch.ones(3), requires_grad=False)"
    ),
    "a_buffer_that_asks_for_a_gradient": wrong(
        "no-gradients", storing='self.register_buffer("scale", torch.ones(3, requires_grad=True), persistent=False)'
    ),
}

OTHER_VALUES: dict[str, Wrong] = {
    "zeros": wrong("state-kept", storing=FIXED.replace("ones", "zeros")),
    "one_bit": wrong("state-kept", storing=FIXED.replace("torch.ones(3)", "torch.tensor([1.0, 1.0, 1.0000001])")),
    "negative_zero": (
        "state-kept",
        Version(FIXED.replace("ones(3)", "zeros(3).neg()")),
        Version(PLAIN.replace("ones", "zeros")),
    ),
    "another_dtype": wrong("state-kept", storing=FIXED.replace("ones(3)", "ones(3, dtype=torch.float64)")),
    "another_shape": wrong("state-kept", storing=FIXED.replace("ones(3)", "ones(1, 3)")),
    "random_and_not_saved": (
        "round-trip",
        Version(FIXED.replace("ones", "rand")),
        Version(PLAIN.replace("ones", "rand")),
    ),
    "a_view_that_cannot_be_written": (
        "ddp-safe",
        Version(FIXED.replace("ones(3)", "ones(1).expand(3)")),
        Version(PLAIN.replace("ones(3)", "ones(1).expand(3)")),
    ),
    "another_buffer": beside(
        "same-state", 'self.register_buffer("n", torch.zeros(2))', 'self.register_buffer("n", torch.ones(2))'
    ),
    "another_buffer_is_gone": beside(
        "same-state", 'self.register_buffer("n", torch.zeros(2), persistent=False)', "pass"
    ),
    "another_buffer_is_saved": beside(
        "state-dict-keys",
        'self.register_buffer("n", torch.zeros(2), persistent=False)',
        'self.register_buffer("n", torch.zeros(2))',
    ),
    "another_buffer_is_not_saved": beside(
        "state-dict-keys",
        'self.register_buffer("n", torch.zeros(2))',
        'self.register_buffer("n", torch.zeros(2), persistent=False)',
    ),
    "one_more_buffer": beside("same-state", "pass", 'self.register_buffer("n", torch.zeros(2), persistent=False)'),
    "one_more_parameter": beside("not-parameters", "pass", "self.n = nn.Parameter(torch.zeros(2))"),
    "one_more_part": beside("same-state", "pass", "self.drop = nn.Dropout(0.0)"),
    "another_plain_tensor": (
        "same-state",
        Version(rows(FIXED, "self.kept = torch.zeros(2)")),
        Version(rows(PLAIN, "self.kept = torch.ones(2)")),
    ),
    "a_weight": beside("same-state", "pass", "nn.init.zeros_(self.linear.bias)"),
    "a_bias_is_gone": beside("state-kept", "pass", 'self.linear.register_parameter("bias", None)'),
    "a_frozen_weight": beside("same-state", "pass", "self.linear.weight.requires_grad_(False)"),
    "a_thawed_weight": beside("same-state", "self.linear.requires_grad_(False)", "pass"),
    "weights_in_another_order": (
        "same-state",
        Version(rows("weight = self.linear.weight", "del self.linear.weight", "self.linear.weight = weight", FIXED)),
        ORIGINAL,
    ),
    "in_eval_mode": beside("same-state", "pass", "self.eval()"),
    "a_part_in_eval_mode": beside("same-state", "pass", "self.linear.eval()"),
    "a_part_of_another_class": beside(
        "same-state", "pass", 'self.linear.__class__ = type("Linear2", (nn.Linear,), {})'
    ),
    "a_part_is_gone": beside("same-state", "self.drop = nn.Dropout(0.0)", "pass"),
    "a_hook_more": beside("same-state", "pass", "self.linear.register_forward_hook(lambda *_: None)"),
    "a_hook_less": beside("same-state", "self.linear.register_forward_hook(lambda *_: None)", "pass"),
    "a_number": beside("same-state", "self.n = 3", "self.n = 4"),
    "a_number_of_another_type": beside("same-state", "self.n = 3", "self.n = 3.0"),
    "a_number_is_gone": beside("same-state", "self.n = 3", "pass"),
    "a_list_is_a_tuple": beside("same-state", "self.n = [1, 2]", "self.n = (1, 2)"),
    "buffers_in_another_order": beside(
        "same-state",
        rows('self.register_buffer("a", torch.ones(3))', 'self.register_buffer("b", torch.ones(3))'),
        rows('self.register_buffer("b", torch.ones(3))', 'self.register_buffer("a", torch.ones(3))'),
    ),
    "a_dict_in_another_order": beside("same-state", "self.n = {1: 2, 3: 4}", "self.n = {3: 4, 1: 2}"),
    "a_function": beside("same-state", "self.n = lambda x: x", "self.n = lambda x: x + 1"),
    "something_new": beside("same-state", "pass", "self.n = 3"),
    "random_numbers_are_drawn": beside("same-state", "pass", "random.random(), torch.rand(1)"),
    "a_default_dtype": beside(
        "same-state", "pass", "self.register_module('n', None), torch.set_default_dtype(torch.float64)"
    ),
    "gradients_are_switched_off": beside("same-state", "pass", "torch.set_grad_enabled(False)"),
}

OTHER_OUTPUTS: dict[str, Wrong] = {
    "by_very_little": wrong("outputs-cpu", last=" + 0.0000002"),
    "in_eval": wrong("outputs-cpu", first="if not self.training: x = x + 1"),
    "in_train": wrong("outputs-cpu", first="if self.training: x = x + 1"),
    "from_the_third_call_on": (
        "outputs-cpu",
        Version(rows(FIXED, "self.calls = 0"), COUNTED.format(2)),
        Version(rows(PLAIN, "self.calls = 0"), COUNTED.format(99)),
    ),
    "from_the_fourth_call_on": (
        "outputs-cpu",
        Version(rows(FIXED, "self.calls = 0"), COUNTED.format(3)),
        Version(rows(PLAIN, "self.calls = 0"), COUNTED.format(99)),
    ),
    "a_tuple_is_a_list": returning(f"({Y},)", f"[{Y}]"),
    "a_list_is_a_tensor": returning(f"[{Y}]", Y),
    "one_more": returning(f"({Y},)", f"({Y}, None)"),
    "a_key_is_renamed": returning(f'{{"y": {Y}}}', f'{{"out": {Y}}}'),
    "a_key_of_several_parts_is_renamed": returning(f'{{("y", 1): {Y}}}', f'{{("out", 1): {Y}}}'),
    "a_dtype_as_key_is_another": returning(f"{{torch.float32: {Y}}}", f"{{torch.float64: {Y}}}"),
    "another_default_factory": returning(
        f'defaultdict(int, {{"y": {Y}}})',
        f'defaultdict(list, {{"y": {Y}}})',
        top="from collections import defaultdict\n\n",
    ),
    "another_longest_length": returning(
        f"deque([{Y}], maxlen=2)", f"deque([{Y}], maxlen=3)", top="from collections import deque\n\n"
    ),
    "another_attribute_of_a_dict": returning(
        f"Out({Y}, 1)",
        f"Out({Y}, 2)",
        top="class Out(dict):\n    def __init__(self, y, n):\n        super().__init__(y=y)\n        self.n = n\n\n",
    ),
    "another_exception_in_eval": (
        "outputs-cpu",
        Version(first="if not self.training: raise RuntimeError"),
        Version(PLAIN, first="if not self.training: raise ValueError"),
    ),
    "keys_in_another_order": returning(f'{{"y": {Y}, "n": 1}}', f'{{"n": 1, "y": {Y}}}'),
    "a_named_tuple_is_a_tuple": returning(f"Point({Y})", f"({Y},)", top=POINT),
    "an_object_with_another_number": returning(f"Box({Y}, 1)", f"Box({Y}, 2)", top=BOX),
    "a_number_is_a_tensor": returning(f"({Y}, 1)", f"({Y}, torch.tensor(1))"),
    "an_int_is_a_float": returning(f"({Y}, 1)", f"({Y}, 1.0)"),
    "another_dtype_of_output": returning(Y, f"({Y}).double()"),
    "nothing": returning(Y, f"None if {Y} is None else None"),
    "inputs_are_written": wrong("outputs-cpu", first=rows("given = x", "x = x.clone()", "given.zero_()")),
    "it_raises_in_eval": wrong("outputs-cpu", first="assert self.training"),
    "output_detached": returning(Y, f"({Y}).detach()", "same-gradients"),
    "input_detached": returning(Y, "self.linear(x.detach()) * self.scale", "same-gradients"),
    "weight_detached": returning(
        Y, "nn.functional.linear(x, self.linear.weight.detach(), self.linear.bias) * self.scale", "same-gradients"
    ),
    "gradient_doubled": wrong("same-gradients", last=" + (x - x.detach()) * 0.5"),
    "without_gradients": (
        "same-gradients",
        Version(
            top="@torch.no_grad()\ndef by(x, y):\n    return x * y\n\n", first="return by(self.linear(x), self.scale)"
        ),
        Version(PLAIN, top="def by(x, y):\n    return x * y\n\n", first="return by(self.linear(x), self.scale)"),
    ),
    "another_mode_after_a_call": wrong(
        "same-state", first="self.train(False) if x.sum() > 1e9 else self.linear.eval()"
    ),
    "a_weight_after_a_call": wrong("outputs-cpu", first="self.linear.bias.data.add_(1)"),
    "a_tensor_of_the_cpu": wrong("outputs-device", last=" * torch.ones(3)"),
}

OTHER_CODE: dict[str, Wrong] = {
    "a_method_that_no_call_gets_through": with_method(
        "same-code",
        method("def more(self, n):", "return [0] * n + [self.scale]"),
        method("def more(self, n):", "return [1] * n + [self.scale]"),
    ),
    "a_method_is_gone": with_method("same-code", method("def size(self):", "return 3"), ""),
    "a_method_does_something_else": with_method(
        "same-code", method("def size(self):", "return 3"), method("def size(self):", "return 4")
    ),
    "a_method_that_does_the_same": with_method(
        "same-code", method("def size(self):", "return 3"), method("def size(self):", "return len('abc')")
    ),
    "a_method_of_a_class_in_a_function_is_gone": above(
        "same-code",
        "def made():\n    class Inner:\n        def size(self):\n            return 3\n    return Inner\n\n",
        "def made():\n    class Inner:\n        pass\n    return Inner\n\n",
    ),
    "a_method_about_the_tensor": with_method(
        "same-code",
        method("def total(self):", "return self.scale.sum()"),
        method("def total(self):", "return self.scale.mean()"),
    ),
    "a_method_that_stores": with_method(
        "same-code",
        method("def reset(self):", "self.scale = torch.zeros(3)"),
        method("def reset(self):", "self.scale = torch.ones(3)"),
    ),
    "a_method_with_an_argument": with_method(
        "same-code",
        method("def scaled(self, y):", "return y * self.scale"),
        method("def scaled(self, y):", "return y + self.scale"),
    ),
    "a_method_that_nothing_can_call": with_method(
        "same-code",
        method("def scaled(self, a, b):", "return a * b * self.scale"),
        method("def scaled(self, a, b):", "return a * self.scale"),
    ),
    "a_method_that_raises": with_method(
        "same-code",
        method("def total(self):", "return self.scale.sum()"),
        method("def total(self):", "raise TypeError(self.scale)"),
    ),
    "a_property": with_method(
        "same-code",
        READING.replace("scale(", "total(").format(body="return self.scale.sum()"),
        READING.replace("scale(", "total(").format(body="return self.scale.max()"),
    ),
    "a_static_method": with_method(
        "same-code",
        method("@staticmethod\n    def size():", "return 3"),
        method("@staticmethod\n    def size():", "return 4"),
    ),
    "a_default": with_method(
        "same-code", method("def size(self, n=3):", "return n"), method("def size(self, n=4):", "return n")
    ),
    "a_renamed_argument": with_method(
        "same-code", method("def size(self, n):", "pass"), method("def size(self, m):", "pass")
    ),
    "a_decorator": with_method(
        "same-code", method("def size(self):", "return 3"), method("@torch.no_grad()\n    def size(self):", "return 3")
    ),
    "a_number_of_the_class": with_method("same-code", "\n    rate = 3\n", "\n    rate = 4\n"),
    "a_number_of_the_class_is_gone": with_method("same-code", "\n    rate = 3\n", ""),
    "another_base": (
        "same-code",
        Version(top="class Mixin:\n    pass\n\n", bases="Mixin, nn.Module"),
        Version(PLAIN, top="class Mixin:\n    pass\n\n"),
    ),
    "a_function_of_the_file": above("same-code", "def size():\n    return 3\n\n", "def size():\n    return 4\n\n"),
    "a_function_of_the_file_is_gone": above("same-code", "def size():\n    return 3\n\n", ""),
    "a_constant": above("same-code", "RATE = 3\n\n", "RATE = 4\n\n"),
    "an_import_is_gone": above("same-code", "import math\n\n", ""),
    "another_class": above(
        "same-code",
        "class Other:\n    def size(self):\n        return 3\n\n",
        "class Other:\n    def size(self):\n        return 4\n\n",
    ),
    "another_class_is_gone": above("same-code", "class Other:\n    def size(self):\n        return 3\n\n", ""),
    "the_class_is_gone": ("builds", Version(bases="Gone"), ORIGINAL),
    "it_does_not_parse": ("builds", Version("self.register_buffer("), ORIGINAL),
    "it_raises": ("builds", Version(rows(FIXED, "raise ValueError")), ORIGINAL),
    "it_is_no_module": ("builds", Version(made="3"), Version(PLAIN, made="Net()")),
}

OTHER_TOOLS: dict[str, Wrong] = {
    "it_does_not_move": ("moves", Version(more=method("def to(self, *others):", "return self")), ORIGINAL),
    "it_is_not_cast": ("casts", Version(more=method("def half(self):", "return self")), ORIGINAL),
    "it_is_not_cast_to_double": ("casts", Version(more=method("def double(self):", "return self")), ORIGINAL),
    "pickles_have_another_value": (
        "pickle",
        Version(
            more=method(
                "def __setstate__(self, state):",
                "super().__setstate__(state)",
                "self.scale = self.scale + 1",
            )
            + method(
                "def __deepcopy__(self, memo):",
                "twin = Net()",
                "twin.load_state_dict(self.state_dict())",
                "return twin",
            )
        ),
        ORIGINAL,
    ),
    "it_stays_behind": (
        "moves",
        Version(
            rows(FIXED, OTHER_FIXED),
            more=method(
                "def _apply(self, fn, recurse=True):",
                "before = self.other",
                "super()._apply(fn)",
                "self.other = before",
                "return self",
            ),
        ),
        Version(rows(PLAIN, OTHER)),
    ),
    "nothing_is_saved": (
        "state-dict-keys",
        Version(more=method("def state_dict(self, *others, **more):", "return {}")),
        ORIGINAL,
    ),
    "nothing_is_loaded": (
        "round-trip",
        Version(
            more=method(
                "def load_state_dict(self, state, strict=True):", "return nn.modules.module._IncompatibleKeys([], [])"
            )
        ),
        ORIGINAL,
    ),
    "old_checkpoints_are_refused": (
        "checkpoint-loads",
        Version(more=method("def load_state_dict(self, state, strict=True):", "raise RuntimeError('too old')")),
        ORIGINAL,
    ),
    "old_checkpoints_have_too_much": (
        "checkpoint-loads",
        Version(
            more=method(
                "def _load_from_state_dict(self, state, prefix, metadata, strict, missing, unexpected, errors):",
                "super()._load_from_state_dict(state, prefix, metadata, strict, missing, unexpected, errors)",
                'unexpected.append("linear.old")',
            )
        ),
        ORIGINAL,
    ),
    "copies_have_another_value": (
        "deepcopy",
        Version(
            more=method(
                "def __deepcopy__(self, memo):",
                "twin = Net()",
                "twin.load_state_dict(self.state_dict())",
                "twin.scale = twin.scale + 1",
                "return twin",
            )
        ),
        ORIGINAL,
    ),
    "copies_give_another_output": (
        "deepcopy",
        Version(
            first="x = x * self.rate",
            more="\n    rate = 1\n"
            + method(
                "def __deepcopy__(self, memo):",
                "twin = Net()",
                "twin.load_state_dict(self.state_dict())",
                "twin.rate = 2",
                "return twin",
            ),
        ),
        Version(PLAIN, first="x = x * self.rate", more="\n    rate = 1\n"),
    ),
    "copies_share_it": (
        "deepcopy",
        Version(
            more=method(
                "def __deepcopy__(self, memo):",
                "twin = Net()",
                'twin.register_buffer("scale", self.scale)',
                "return twin",
            )
        ),
        ORIGINAL,
    ),
    "it_cannot_be_pickled": ("pickle", Version(more=method("def __reduce__(self):", "raise TypeError")), ORIGINAL),
    "it_cannot_be_exported": ("export", Version(first="if x.sum() > 1e9: x = x + 1"), ORIGINAL),
    "the_buffer_is_the_weight": (
        "optimizer-step",
        Version(rows(FIXED, 'self.register_buffer("start", self.linear.weight.detach(), persistent=False)')),
        Version(rows(PLAIN, "self.start = self.linear.weight.detach().clone()")),
    ),
    "it_is_listed_nowhere": (
        "not-parameters",
        Version(more=method("def buffers(self, recurse=True):", "return iter(())")),
        ORIGINAL,
    ),
}

CALLED = "[one for one in self.scales][0] * self.linear(x)"
LISTED = rows("self.scales = [torch.ones(3)]")
TRAINED = "self.scale = torch.ones(3, requires_grad=True)"
ASKING = 'self.register_buffer("scale", torch.ones(3, requires_grad=True), persistent=False)'
FROZEN = "self.scale = nn.Parameter(torch.ones(3), requires_grad=False)"


def of_list(check: str, made: str, registering: str = 'self.register_buffer("s0", torch.ones(3), False)') -> Wrong:
    """A fix of a list of tensors, whose property makes something else."""
    more = method("@property\n    def scales(self):", f"return {made}")
    return check, Version(registering, f"return {CALLED}", more=more), Version(LISTED, f"return {CALLED}")


OF_OTHER_RULES: dict[str, dict[str, Wrong]] = {
    "RBF002": {
        "a_list_is_a_property_of_tuples": of_list("same-state", "(self.s0,)"),
        "a_list_is_made_on_each_read": of_list("state-kept", "[torch.ones(3)]"),
        "a_list_has_one_more": of_list("outputs-cpu", "[self.s0 + 1, self.s0]"),
        "a_list_is_empty": of_list("state-kept", "[]", "pass"),
    },
    "RBF005": {
        "what_is_trained_is_a_buffer": ("not-parameters", RIGHT, Version(TRAINED)),
        "what_is_trained_is_a_buffer_that_asks": ("no-gradients", Version(ASKING), Version(TRAINED)),
        "what_is_trained_is_frozen": ("optimizer-step", Version(FROZEN), Version(TRAINED)),
        "what_is_trained_is_another": (
            "state-kept",
            Version("self.scale = nn.Parameter(torch.zeros(3))"),
            Version(TRAINED),
        ),
    },
    "RBF101": {
        "it_still_asks": ("shows-bug", Version(ASKING + "  # detached"), Version(ASKING)),
        "it_is_plain_now": ("plain-tensors", Version(PLAIN), Version(ASKING)),
        "it_is_another": ("same-state", Version(FIXED.replace("ones", "zeros")), Version(ASKING)),
        "it_is_trained_now": ("not-parameters", Version("self.scale = nn.Parameter(torch.ones(3))"), Version(ASKING)),
        "it_is_saved_now": ("state-dict-keys", Version(FIXED.replace(", persistent=False", "")), Version(ASKING)),
    },
    "RBF201": {
        "it_is_still_frozen": ("shows-bug", Version(FROZEN + "  # a buffer"), Version(FROZEN)),
        "it_is_thawed": (
            "same-state",
            Version("self.scale = nn.Parameter(torch.ones(3))"),
            Version(FROZEN),
        ),
        "it_is_another_buffer": ("state-kept", Version(FIXED.replace("ones", "zeros")), Version(FROZEN)),
        "its_key_is_lost": ("state-dict-keys", Version(FIXED), Version(FROZEN)),
        "it_is_gone": ("state-kept", Version("pass", first="return self.linear(x)"), Version(FROZEN)),
    },
    "RBF102": {
        "it_still_raises": ("builds", Version(rows(PLAIN, FIXED, "pass")), Version(rows(PLAIN, FIXED))),
        "it_is_the_first_value": (
            "plain-tensors",
            Version(PLAIN),
            Version(rows(PLAIN, FIXED)),
        ),
    },
}
"""Wrong fixes by the rule that they answer to."""


def counting(counted: str, wrong: str) -> Wrong:
    """A fix of a class that counts some calls, and gives something else after them."""
    first = rows(counted, wrong)
    return (
        "outputs-cpu",
        Version(rows(FIXED, "self.calls = 0"), first.format(0)),
        Version(rows(PLAIN, "self.calls = 0"), first.format(99)),
    )


def on_its_own(head: str, *body: str) -> Wrong:
    """A fix that writes a method which the class has inherited."""
    return wrong("same-code", more=method(head, *body))


def of_the_program(said: str) -> Wrong:
    """A fix that changes what the whole program shares."""
    return above("same-state", "pass\n", f"{said}\n")


WRAPPED = "def made(n):\n    def add():\n        return n\n    return add\n\nadd = made({})\n"
CHOSEN = "class A:\n    pass\n\nclass B:\n    pass\n\nchosen = {}\n"
DERIVED = "class A:\n    pass\n\nclass B:\n    pass\n\nclass Unbuilt({}):\n    pass\n"
STREAM = "import io\n"
WEIGHT = "nn.functional.linear(x, self.linear.weight.detach(), self.linear.bias.detach()) * self.scale"
SAVED = "found = super().state_dict(*given, **named)"

LATER_AND_ELSEWHERE: dict[str, Wrong] = {
    "in_eval_after_train": counting(
        "self.calls += self.training", "if not self.training and self.calls > {}: x = x + 1"
    ),
    "in_train_after_eval": counting(
        "self.calls += not self.training", "if self.training and self.calls > {}: x = x + 1"
    ),
    "without_gradients_only": wrong("outputs-cpu", first="if not torch.is_grad_enabled(): x = x + 1"),
    "under_autocast_only": wrong("outputs-cpu", first="if torch.is_autocast_enabled('cpu'): x = x + 1"),
    "input_detached_in_eval": wrong("same-gradients", first="if not self.training: x = x.detach()"),
    "weight_detached_in_eval": wrong("same-gradients", first=f"if not self.training: return {WEIGHT}"),
    "input_detached_from_the_second_call_on": (
        "same-gradients",
        Version(rows(FIXED, "self.calls = 0"), rows("self.calls += 1", "if self.calls > 1: x = x.detach()")),
        Version(rows(PLAIN, "self.calls = 0"), rows("self.calls += 1", "if self.calls > 99: x = x.detach()")),
    ),
    "an_output_asks_for_a_gradient": returning(
        f"({Y}, self.scale + 0)", f"({Y}, (self.scale + 0).requires_grad_())", "same-gradients"
    ),
    "a_generator_gives_something_else": returning(f"(one for one in ({Y}, x))", f"(one for one in ({Y} + 1, x))"),
    "a_stream_holds_something_else": returning(f"({Y}, io.BytesIO(b'1'))", f"({Y}, io.BytesIO(b'2'))", top=STREAM),
    "an_output_deep_in_lists": returning(f"[[[[[[[[[[[{Y}]]]]]]]]]]]", f"[[[[[[[[[[[{Y} + 1]]]]]]]]]]]"),
    "an_output_is_marked": (
        "outputs-cpu",
        Version(first=rows(f"y = {Y}", "y.mark = 2", "return y")),
        Version(PLAIN, first=rows(f"y = {Y}", "y.mark = 1", "return y")),
    ),
    "a_weight_is_marked": beside("same-state", "pass", "self.linear.weight.no_decay = True"),
    "a_number_deep_in_lists": beside("same-state", "self.n = [[[[[[[[[[3]]]]]]]]]]", "self.n = [[[[[[[[[[4]]]]]]]]]]"),
    "an_iterator": beside("same-state", "self.n = iter([1, 2])", "self.n = iter([1, 3])"),
    "a_generator_with_another_seed": beside(
        "same-state", "self.n = torch.Generator().manual_seed(1)", "self.n = torch.Generator().manual_seed(2)"
    ),
    "a_hook_gets_something_else": beside(
        "same-state",
        "self.linear.register_forward_hook(lambda *a, **k: None, with_kwargs=True)",
        "self.linear.register_forward_hook(lambda *a, **k: None)",
    ),
}

MEMORY: dict[str, Wrong] = {
    "from_the_eighth_call_on": (
        "outputs-cpu",
        Version(rows(FIXED, "self.calls = 0"), COUNTED.format(7)),
        Version(rows(PLAIN, "self.calls = 0"), COUNTED.format(99)),
    ),
    "strides_of_an_output": returning(Y, f"({Y}).t().contiguous().t()"),
    "an_output_is_the_buffer": returning(f"({Y}, self.scale.clone())", f"({Y}, self.scale)"),
    "an_output_is_a_copy_of_the_buffer": returning(f"({Y}, self.scale)", f"({Y}, self.scale.clone())"),
    "an_output_is_the_input": returning(f"({Y}, x.clone())", f"({Y}, x)"),
    "an_output_is_part_of_the_input": returning(f"({Y}, x[:1].clone())", f"({Y}, x[:1])"),
    "an_output_is_another": returning(f"[{Y}, {Y}]", f"[{Y}] * 2"),
    "a_view_of_bytes": returning(f"({Y}, memoryview(b'1'))", f"({Y}, memoryview(b'2'))"),
}

OTHER_DTYPES: dict[str, Wrong] = {
    "double_is_refused": wrong("outputs-cast", first="assert x.dtype is torch.float32"),
    "bfloat16_is_refused": wrong("outputs-cast", first="assert x.dtype is not torch.bfloat16"),
    "double_gives_single_precision": returning(Y, f"({Y}).float()", "outputs-cast"),
    "double_gives_something_else": wrong("outputs-cast", first="if x.dtype is torch.float64: x = x + 1"),
    "bfloat16_gives_one_more": returning(f"[{Y}]", f"[{Y}] * (1 + (x.dtype is torch.bfloat16))", "outputs-cast"),
    "it_cannot_be_assigned": wrong(
        "state-kept",
        more=method(
            "def __setattr__(self, name, value):",
            'if name == "scale": raise TypeError',
            "super().__setattr__(name, value)",
        ),
    ),
}

SAID = "for _ in range(400): print('y' * 60)"
OUTSIDE: dict[str, Wrong] = {
    "a_print_more": (
        "builds",
        Version(rows(FIXED, "print('a row')"), "print('a row')"),
        Version(rows(PLAIN, "print('a row')")),
    ),
    "a_print_behind_much": beside("builds", SAID, rows(SAID, "print('z')")),
    "a_row_on_standard_error": wrong("builds", first="__import__('sys').stderr.write('deprecated\\n')"),
    "a_warning": wrong("builds", first="__import__('warnings').warn('slow')"),
    "a_temporary_file": beside("builds", "pass", "__import__('tempfile').mkstemp()"),
    "a_process": beside("builds", "pass", "__import__('subprocess').run(['true'])"),
    "memory_for_others": beside(
        "builds",
        "from multiprocessing.shared_memory import SharedMemory",
        "from multiprocessing.shared_memory import SharedMemory; "
        "globals().setdefault('KEPT', []).append(SharedMemory(create=True, size=9))",
    ),
    "a_profiler_is_ended": beside("builds", "pass", "__import__('sys').setprofile(None)"),
    "a_seed_of_numpy": above("builds", "import numpy\n", "import numpy\n\nnumpy.random.seed(3)\n"),
    "random_numbers_of_the_file": above("builds", "import random\n", "import random\n\nrandom.random()\n"),
    "a_function_at_the_end": beside("same-state", "pass", "__import__('atexit').register(print)"),
    "a_stream_of_its_own": beside("same-state", "pass", "__import__('sys').stdout = None"),
    "memory_that_torch_shares": beside(
        "same-state",
        "pass",
        "torch.multiprocessing.set_sharing_strategy('file_system'), "
        "globals().setdefault('KEPT', []).append(torch.ones(9).share_memory_())",
    ),
}

CODE_WITHOUT_NAMES: dict[str, Wrong] = {
    "a_lambda_of_the_class": with_method("same-code", "\n    n = lambda self: 3\n", "\n    n = lambda self: 4\n"),
    "a_property_of_a_lambda": with_method(
        "same-code", "\n    n = property(lambda self: 3)\n", "\n    n = property(lambda self: 4)\n"
    ),
    "a_class_method_of_a_lambda": with_method(
        "same-code", "\n    n = classmethod(lambda cls: 3)\n", "\n    n = classmethod(lambda cls: 4)\n"
    ),
    "a_lambda_of_the_file": above("same-code", "n = lambda: 3\n", "n = lambda: 4\n"),
    "what_a_function_has_taken_along": above("same-code", WRAPPED.format(3), WRAPPED.format(4)),
    "another_class_under_a_name": above("same-code", CHOSEN.format("A"), CHOSEN.format("B")),
    "another_base_of_what_is_not_built": above("same-code", DERIVED.format("A"), DERIVED.format("B")),
    "another_import": above("same-code", "from math import sin as f\n", "from math import cos as f\n"),
}

INHERITED_NO_MORE: dict[str, Wrong] = {
    "train_does_nothing": on_its_own("def train(self, mode=True):", "return self"),
    "apply_does_nothing": on_its_own("def apply(self, fn):", "return self"),
    "bfloat16_does_nothing": on_its_own("def bfloat16(self):", "return self"),
    "zero_grad_does_nothing": on_its_own("def zero_grad(self, set_to_none=True):", "pass"),
    "requires_grad_does_nothing": on_its_own("def requires_grad_(self, requires_grad=True):", "return self"),
    "parameters_are_hidden": on_its_own("def parameters(self, recurse=True):", "return iter(())"),
    "it_is_false": on_its_own("def __bool__(self):", "return False"),
    "it_equals_everything": on_its_own("def __eq__(self, other):", "return True"),
    "metadata_is_lost": on_its_own("def state_dict(self, *given, **named):", SAVED, "return dict(found)"),
    "keys_are_turned_round": on_its_own(
        "def state_dict(self, *given, **named):", SAVED, "return type(found)(reversed(found.items()))"
    ),
    "copies_are_saved": on_its_own(
        "def state_dict(self, *given, **named):", SAVED, "return type(found)((n, v.clone()) for n, v in found.items())"
    ),
    "old_checkpoints_are_ignored": on_its_own(
        "def load_state_dict(self, state, strict=True, assign=False):",
        "return torch.nn.modules.module._IncompatibleKeys([], [])",
    ),
}

THE_PROGRAM: dict[str, Wrong] = {
    "fewer_threads": of_the_program("torch.set_num_threads(2)"),
    "the_environment": of_the_program("import os; os.environ['REGBUF_OTHER'] = '1'"),
    "warnings_are_errors": of_the_program("import warnings; warnings.simplefilter('error')"),
    "a_class_of_torch": of_the_program("nn.Conv2d.forward = lambda self, x: x"),
    "a_function_of_torch": of_the_program("torch.relu = lambda x: x"),
    "a_function_of_python": of_the_program("import builtins; builtins.sum = max"),
    "the_search_path": of_the_program("import sys; sys.path.insert(0, '/nowhere')"),
    "hooks_of_all": of_the_program("nn.modules.module.register_module_forward_hook(lambda *a: None)"),
    "the_recursion_limit": of_the_program("import sys; sys.setrecursionlimit(5000)"),
    "a_thread": of_the_program(
        "import threading, time; threading.Thread(target=time.sleep, args=(99,), daemon=True).start()"
    ),
    "deterministic_algorithms": of_the_program("torch.use_deterministic_algorithms(False)"),
    "denormal_numbers": of_the_program("torch.set_flush_denormal(True)"),
    "a_signal_handler": of_the_program("import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN)"),
    "a_file": of_the_program("open('more.txt', 'w').close()"),
    "numbers_of_numpy": (
        "same-state",
        Version(rows(FIXED, "numpy.random.rand()"), top="import numpy\n"),
        Version(PLAIN, top="import numpy\n"),
    ),
}

WRONG: dict[str, Wrong] = {
    **NOT_CURED,
    **OTHER_VALUES,
    **OTHER_OUTPUTS,
    **OTHER_CODE,
    **OTHER_TOOLS,
    **LATER_AND_ELSEWHERE,
    **MEMORY,
    **OTHER_DTYPES,
    **OUTSIDE,
    **CODE_WITHOUT_NAMES,
    **INHERITED_NO_MORE,
    **THE_PROGRAM,
}
