"""New text is laid out as a formatter would; ruff's, which lays out as black does, is the judge."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec

import pytest
from msgspec.structs import replace

from regbuf_lint.model.settings import Brackets, BufferStyle
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rewrite.registration import Registered
from regbuf_lint.rewrite.statements import register
from regbuf_lint.rewrite.style import TextStyle, width_of
from regbuf_lint.source.text import SourceText

STYLE = TextStyle(BufferStyle.REGISTER_BUFFER, "nn.Buffer", '"', "    ", 88)
NN_BUFFER = TextStyle(BufferStyle.NN_BUFFER, "nn.Buffer", '"', "    ", 88)
WIDTHS = (79, 88, 100, 120)

VALUES = (
    "torch.ones(n)",
    "(torch.ones(n))",
    "torch.arange(height).float()[:, None] * width + torch.arange(width)[None, :]",
    "torch.cat([torch.zeros(1, dtype=torch.long), torch.cumsum(torch.tensor(sizes_of_levels), dim=0)[:-1]], dim=0)",
    'torch.triu(torch.full((max_position_embeddings, max_position_embeddings), float("-inf")), diagonal=1)',
    "1.0 / (theta ** (torch.arange(0, head_dimension, 2, dtype=torch.float32)[: (head_dimension // 2)] / head_size))",
    "torch.arange(max_position_embeddings, dtype=torch.long, device=device).unsqueeze(0).expand(size, -1).contiguous()",
    "torch.linspace(0, 1, steps) if number_of_steps_in_the_schedule > 1 else torch.ones(number_of_steps_in_schedule)",
    "torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [2.0, 0.0, -2.0]])",
    "torch.from_numpy(np.asarray(mean_of_the_channels_of_the_images, dtype=np.float32)).view(1, -1, 1, 1)",
    "(rather_long_name_of_a_tensor[:, None] < another_long_name_of_a_tensor[None, :]) & padding_mask_of_the_batch",
    "torch.stack([torch.tensor(m, dtype=torch.float32) for m in matrices_of_the_transformations_in_order], dim=0)",
    "functools.reduce(lambda a, b: torch.kron(a, b), [torch.eye(2) for _ in range(number_of_qubits_in_circuit)])",
    "torch.tensor([0.485, 0.456, 0.406,])",
    "torch.zeros(tuple(1 for _ in range(len(self.batch_shape) + 1)), **tkwargs).expand(*self.batch_shape, 1).clone()",
    "posterior_transform.evaluate(self.optimal_outputs).unsqueeze(-1) if posterior_transform else self.optimal_outputs",
    "(\n    context_cat_feature  # row indices = context indices\n)",
    "(\n    torch.ones(3)  # row indices = context indices\n    * 2\n)",
    "torch.arange(max_position_embeddings, dtype=torch.long, device=device).foo.bar(3)[0].clone().foo[3].bar(11)",
    "self.aaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbb.cccccccccccccccccccccccccccc(ddddddddddd).eeee(2)",
    "torch.tensor([math.comb(number_of_elements, k) for k in range(number_of_elements + 1)], dtype=torch.float32)",
    "torch.softmax(torch.arange(number_of_elements_in_total).float() / temperature_of_the_distribution, dim=-1).half()",
    "{'a': 1, 'b': 2, 'cccccccccccccccccccccccccccc': 3, 'dddddddddddddddddddddddddddddddd': 4, 'eeee': 5}['a']",
    "not some_flag_of_the_class and another_flag_that_is_long or yet_another_flag_of_the_class_which_is_long",
    "torch.as_tensor(scheduler.alphas_cumprod if scheduler is not None else default_alphas_cumprod_of_the_whole_model)",
    "torch.nn.functional.one_hot(torch.arange(number_of_classes), num_classes=number_of_classes).to(torch.float32)",
    "x[:, :, None] * yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy[None, None, :] + zzzzzzzzzzzzzzzzzzzzzzz - 1",
    "torch.cat((torch.zeros(number_of_rows, 1), torch.ones(number_of_rows, 1), -torch.ones(number_of_rows, 1)), 1)",
    "1.0 - torch.eye(number_of_elements_in_the_table_of_positions, dtype=torch.float32).unsqueeze(0).unsqueeze(0)",
    "-torch.log(torch.tensor(10000.0)) / some_divisor_of_the_dimension * torch.arange(number_of_elements_in_total)",
    "torch.zeros(1, 2)  # number of the rows, and of the columns",
    "torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size)  # (1, 1, T)",
    "torch.tensor(  # one for each channel\n    [0.485, 0.456, 0.406]\n)  # RGB",
    "torch.tensor([0.485, 0.456, 0.406], device=device_of_the_images)  # type: ignore[arg-type]",
)
INDENTS = (2, 3)
SEPARATOR = "\n\n# ---\n\n\n"
"""Between texts that ruff formats at once, since it starts longer than it formats."""


def formatted(text: str, width: int) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", f"--line-length={width}", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def place_of_assignment(text: str) -> Span:
    node = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assign))
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Span(Position(node.lineno, node.col_offset + 1), Position(node.end_lineno, node.end_col_offset + 1))


def registered(text: str, target: str, how: Registered, style: TextStyle = STYLE) -> str:
    """``text`` with its only assignment made a registration."""
    source = SourceText.from_text(text)
    edit = register(source, place_of_assignment(text), {target: how}, style)
    return text[: source.offset(edit.span.start)] + edit.content + text[source.offset(edit.span.end) :]


def in_method(statement: str, indent: int) -> str:
    heads = ["class Net:", "def __init__(self):", "if flag:"][:indent]
    lines = ["    " * level + head for level, head in enumerate(heads)]
    return "\n".join([*lines, "    " * indent + statement, ""])


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["x", "relative_position_index"])
@pytest.mark.parametrize("style", [STYLE, NN_BUFFER], ids=["register_buffer", "nn.Buffer"])
def test_what_was_formatted_stays_formatted(name: str, width: int, style: TextStyle) -> None:
    style = replace(style, width=width)
    statements = [in_method(f"self.{name} = {value}", indent) for value in VALUES for indent in INDENTS]
    texts = formatted(SEPARATOR.join(statements), width).split(SEPARATOR)
    assert len(texts) == len(statements)
    hows = (Registered(persistent=True), Registered(persistent=False))
    fixed = [registered(text, f"self.{name}", how, style) for text in texts for how in hows]
    for text in fixed:
        ast.parse(text)
    assert formatted(SEPARATOR.join(fixed), width).split(SEPARATOR) == fixed


def statement(text: str, how: Registered | None = None, style: TextStyle = STYLE) -> str:
    return registered(text, "self.x", how or Registered(persistent=True), style)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.x = f(\n    a\n)\n", 'self.register_buffer("x", f(a))\n'),
        ("self.x = (\n    a\n    + b\n)\n", 'self.register_buffer("x", a + b)\n'),
        ("self.x = a \\\n    + b\n", 'self.register_buffer("x", a + b)\n'),
        ("self.x = a[\n    :, 1:\n]\n", 'self.register_buffer("x", a[:, 1:])\n'),
        ("self.x = f((\n    a,\n))\n", 'self.register_buffer("x", f((a,)))\n'),
        (
            "self.x = f(\n    a,\n    b,\n)\n",
            'self.register_buffer(\n    "x",\n    f(\n        a,\n        b,\n    ),\n)\n',
        ),
        (
            "self.x = f(\n    a,  # first\n    b\n)\n",
            'self.register_buffer(\n    "x",\n    f(\n        a,  # first\n        b\n    ),\n)\n',
        ),
        ('self.x = f("""\na""")\n', 'self.register_buffer("x", f("""\na"""))\n'),
        ("self.x = (y := f())\n", 'self.register_buffer("x", (y := f()))\n'),
    ],
    ids=["joined", "parentheses", "backslash", "slice", "one-tuple", "magic comma", "comment", "string", "walrus"],
)
def test_line_breaks_of_the_file(before: str, after: str) -> None:
    assert statement(before) == after


@pytest.mark.parametrize("text", ["(  # why\n    a\n)", "(\n    a  # why\n)"])
def test_a_comment_beside_the_parentheses_goes_behind_the_value(text: str) -> None:
    assert statement(f"self.x = {text}\n") == 'self.register_buffer(\n    "x",\n    a,  # why\n)\n'


def test_a_comment_on_a_row_of_its_own_keeps_the_parentheses() -> None:
    text = "self.x = (\n    # why\n    a\n)\n"
    assert statement(text) == 'self.register_buffer(\n    "x",\n    (\n        # why\n        a\n    ),\n)\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.x = f(a)  # why\n", 'self.register_buffer("x", f(a))  # why\n'),
        (f"self.x = f(a)  # {'c' * 70}\n", f'# {"c" * 70}\nself.register_buffer("x", f(a))\n'),
        (
            f"self.x = f({'argument, ' * 6}a)  # why\r\n",
            f'# why\r\nself.register_buffer(\r\n    "x", f({"argument, " * 6}a)\r\n)\r\n',
        ),
        ("self.x = f(\n    a,\n)  # why\n", 'self.register_buffer(\n    "x",\n    f(\n        a,\n    ),\n)  # why\n'),
        ("self.x, y = f()  # a pair\n", '# a pair\nx, y = f()\nself.register_buffer("x", x)\n'),
        (f"self.x = f(a)  # {'c' * 60}  # noqa\n", f'self.register_buffer(\n    "x", f(a)\n)  # {"c" * 60}  # noqa\n'),
        (f"self.x = f(a)  # pragma: {'c' * 60}\n", f'self.register_buffer(\n    "x", f(a)\n)  # pragma: {"c" * 60}\n'),
        (f"a(); self.x = f(a)  # {'c' * 70}\n", f'a(); self.register_buffer("x", f(a))  # {"c" * 70}\n'),
    ],
    ids=["fits", "too long", "split", "behind the bracket", "unpacked", "pragma within", "pragma", "shared line"],
)
def test_a_comment_behind_the_statement(before: str, after: str) -> None:
    assert statement(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a,   # yes\n{0}  b)  # no\n", "f(a,   # yes\n{0}  b),  # no\n)\n"),
        ("f([a,\n{0}   b])    # both\n", "f([a,\n{0}   b]),  # both\n)\n"),
        ("f([\n{0}    a,   # yes\n{0}])    # all\n", "f([\n{0}    a,   # yes\n{0}]),\n)  # all\n"),
        ("f(a,   # yes\n{0}  b) # noqa\n", "f(a,   # yes\n{0}  b),\n) # noqa\n"),
    ],
    ids=["last item", "rows", "all", "pragma"],
)
def test_a_comment_behind_the_last_item_stays_there(before: str, after: str) -> None:
    indent = "" if before.startswith("f([\n") else " " * 9
    fixed = f'self.register_buffer(\n    "x",\n    {after.format("    ")}'
    assert statement(f"self.x = {before.format(indent)}") == fixed


def test_a_comment_that_stood_below_others_stands_near_what_is_joined() -> None:
    assert statement("self.x = f(a,\n           b)    # both\n") == 'self.register_buffer("x", f(a, b))  # both\n'
    assert statement("self.x = f(a)    # one\n") == 'self.register_buffer("x", f(a))    # one\n'


def test_a_pragma_behind_the_statement_does_not_count() -> None:
    comment = "# noqa: " + "E" * 70
    assert statement(f"self.x = f(a)  {comment}\n") == f'self.register_buffer("x", f(a))  {comment}\n'


def test_a_shared_line_is_not_split() -> None:
    value = "f(" + ", ".join(["argument"] * 12) + ")"
    assert (
        statement(f"a = 1; self.x = {value}\n".replace("a = 1", "a()")) == f'a(); self.register_buffer("x", {value})\n'
    )


def test_calls_go_behind_the_value() -> None:
    how = Registered(persistent=True, calls=("detach", "clone"))
    assert statement("self.x = a + b\n", how) == 'self.register_buffer("x", (a + b).detach().clone())\n'


def test_line_ends_of_the_file_are_used() -> None:
    value = "f(" + ", ".join(["argument"] * 9) + ")"
    fixed = statement(f"self.x = {value}\r\n")
    assert fixed.count("\n") == fixed.count("\r\n") > 1


def test_none_has_no_nn_buffer() -> None:
    assert statement("self.x = None\n", style=NN_BUFFER) == 'self.register_buffer("x", None)\n'


@pytest.mark.parametrize(
    ("targets", "left"),
    [("self.x, self.second_of_the_two_results", "x, self.second_of_the_two_results"), ("self.x = both", "both")],
    ids=["unpacked", "chained"],
)
@pytest.mark.parametrize("value", ["f(\n    {0}\n)", "(\n    f({0})\n)"], ids=["brackets", "parentheses"])
def test_what_is_left_is_joined_where_it_was_only_too_long(targets: str, left: str, value: str) -> None:
    for length, joined in ((88 - len(f"{left} = f()"), True), (89 - len(f"{left} = f()"), False)):
        argument = "a" * length
        first = statement(f"{targets} = {value.format(argument)}\n").partition("\nself.register_buffer(")[0]
        assert first == f"{left} = {f'f({argument})' if joined else value.format(argument)}"


def test_what_is_left_keeps_parentheses_that_it_needs() -> None:
    value = f"(\n    {'a' * 61} for i in range(2)\n)"
    first = f"x, y = {value}".replace("\n    ", "").replace("\n", "")
    assert len(first) == 88
    assert statement(f"self.x, y = {value}\n").startswith(f"{first}\n")


def test_what_is_left_keeps_lines_that_it_did_not_need() -> None:
    assert statement("self.x, y = f(\n    a\n)\n").startswith("x, y = f(\n    a\n)\n")


LONG = "argument_with_long_name"


@pytest.mark.parametrize(
    ("brackets", "how", "lines"),
    [
        (
            Brackets.ALIGNED,
            Registered(persistent=False),
            ['self.register_buffer("x",', f"{' ' * 21}{LONG},", f"{' ' * 21}persistent=False)"],
        ),
        (Brackets.ALIGNED, Registered(persistent=True), ['self.register_buffer("x",', f"{' ' * 21}{LONG})"]),
        (
            Brackets.HANGING,
            Registered(persistent=False),
            ["self.register_buffer(", '    "x",', f"    {LONG},", "    persistent=False)"],
        ),
        (Brackets.HANGING, Registered(persistent=True), ['self.register_buffer("x",', f"{' ' * 21}{LONG})"]),
        (Brackets.DEDENTED, Registered(persistent=True), ["self.register_buffer(", f'    "x", {LONG}', ")"]),
    ],
)
def test_brackets_are_split_as_the_formatter_of_the_project_does(
    brackets: Brackets, how: Registered, lines: list[str]
) -> None:
    """Those of yapf are what yapf 0.43 makes of the call on one line."""
    style = replace(STYLE, width=46, brackets=brackets)
    assert statement(f"self.x = {LONG}\n", how, style).splitlines() == lines


def test_what_hangs_is_on_one_line_where_it_fits() -> None:
    style = replace(STYLE, width=50, brackets=Brackets.HANGING)
    after = 'self.register_buffer(\n    "x", f(argument, argument), persistent=False)\n'
    assert statement("self.x = f(argument, argument)\n", Registered(persistent=False), style) == after


def test_what_is_too_long_for_an_item_of_yapf_is_split_as_black_does() -> None:
    value = "f(" + ", ".join(["argument"] * 12) + ")"
    fixed = statement(f"self.x = {value}\n", style=replace(STYLE, brackets=Brackets.ALIGNED))
    assert fixed == statement(f"self.x = {value}\n")


def test_what_stands_below_a_bracket_stays_there() -> None:
    before = "self.weights = torch.ones(number_of_rows_of_the_table,\n                          number_of_columns)\n"
    before = before.replace("torch.ones(", "torch.zeros_or_something(torch.ones(")
    fixed = registered(
        before.replace("columns)", "columns),  # both\n" + " " * 26 + "1)"), "self.weights", Registered(persistent=True)
    )
    assert "\n    torch.zeros_or_something(torch.ones(number_of_rows_of_the_table,\n" in fixed
    assert f"\n{' ' * 40}number_of_columns),  # both\n" in fixed


DIV = "torch.arange(n)\n    .float()  # cast\n    .div(2),"
ALIGNED = "torch.tensor([[ 1., 0.],\n{0}              [-1., 0.]])"
HUGGED = "torch.tensor([\n{0}    [1, 0],\n{0}    [0, 1]\n{0}])"
WRAPPED = "torch.linspace(\n{0}    0, 1\n{0})"
JOINED = 'self.register_buffer("x", torch.linspace(0, 1))'


@pytest.mark.parametrize(
    "value",
    [
        ALIGNED,
        HUGGED,
        f"{ALIGNED}.view(1, 2)",
        "torch.tensor([1, 2,\n{0}              3, 4])",
        "torch.stack((a,\n{0}             b))",
        "f({{1: a,\n{0}   2: b}})",
    ],
    ids=["aligned", "hugged", "followed", "numbers", "tuple", "dict"],
)
def test_rows_that_no_formatter_wrote_are_kept(value: str) -> None:
    before = f"self.x = {value.format(' ' * 9)}\n" if value != HUGGED else f"self.x = {value.format('')}\n"
    assert statement(before) == f'self.register_buffer(\n    "x",\n    {value.format("    ")},\n)\n'


def test_rows_are_joined_where_yapf_joins_them() -> None:
    style = replace(STYLE, brackets=Brackets.ALIGNED)
    joined = 'self.register_buffer("x", torch.tensor([[1, 0], [0, 1]]))\n'
    assert statement(f"self.x = {HUGGED.format('')}\n", style=style) == joined


@pytest.mark.parametrize("brackets", Brackets)
@pytest.mark.parametrize(
    ("before", "behind", "kept"),
    [
        ("# fmt: off\n", "", True),
        ("# fmt:off\na()\n", "", True),
        ("# yapf: disable\n", "", True),
        ("", "  # fmt: skip", True),
        ("", "  # yapf: disable", True),
        ("# fmt: off\na()\n# fmt: on\n", "", False),
        ("# yapf: disable\n# yapf: enable\n", "", False),
        ("if a:\n    # fmt: off\n    b()\n", "", False),
        ("", "  # format: skipped", False),
    ],
)
def test_what_no_formatter_may_change_keeps_its_lines(
    brackets: Brackets, before: str, behind: str, *, kept: bool
) -> None:
    text = f"{before}self.x = {WRAPPED.format('')}{behind}\n"
    new = f'self.register_buffer(\n    "x",\n    {WRAPPED.format("    ")},\n)' if kept else JOINED
    assert statement(text, style=replace(STYLE, brackets=brackets)) == f"{before}{new}{behind}\n"


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("(a *  # scale\n          2.0)  # done", "a *  # scale\n    2.0,  # done"),
        ("(torch.arange(n)\n          .float()  # cast\n          .div(2))", DIV),
        ("(torch.arange(n)\n    .float()  # cast\n    .div(2))", DIV),
        ("(f(a,  # first\n            b)\n          .div(2))", "f(a,  # first\n      b)\n    .div(2),"),
    ],
    ids=["operator", "below", "hanging", "bracket"],
)
def test_what_stands_below_a_dropped_parenthesis_moves_with_its_first_line(value: str, after: str) -> None:
    assert statement(f"self.x = {value}\n") == f'self.register_buffer(\n    "x",\n    {after}\n)\n'


def test_parentheses_that_only_held_a_comment_go_with_it() -> None:
    value = "f(a) if c else (\n    g(b)  # small\n)"
    expected = 'self.register_buffer(\n    "x",\n    f(a) if c else g(b),  # small\n)\n'
    assert statement(f"self.x = {value}\n") == expected
    sum_ = "f(a) * (\n    b + c  # small\n)"
    expected = 'self.register_buffer(\n    "x",\n    f(a) * (b + c),  # small\n)\n'
    assert statement(f"self.x = {sum_}\n") == expected


def test_a_comment_behind_an_opening_bracket_is_nothing_to_stand_below() -> None:
    inner = "torch.ones(  # all\n    {0}size,  # of that size\n    {0}size,\n{0})"
    expected = f'self.register_buffer(\n    "x",\n    {inner.format("    ")},\n)\n'
    assert statement(f"self.x = {inner.format('')}\n") == expected


@pytest.mark.parametrize(
    ("lines", "width"),
    [
        ([], 88),
        (["x" * 200], 88),
        (["x" * 100] * 2 + ["x" * 20], 88),
        (["x" * 100] * 3, 100),
        (["x" * 140] * 3 + ["x" * 100], 120),
        (["x = 1  # " + "c" * 100] * 5, 88),
        (['"""', *["c" * 100] * 5, '"""'], 88),
    ],
)
def test_the_width_of_a_file_is_that_of_its_code(lines: list[str], width: int) -> None:
    assert width_of("\n".join(lines)) == width
