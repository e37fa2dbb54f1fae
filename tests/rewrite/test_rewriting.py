"""Statements become registrations, requests for gradients go, and what cannot be rewritten is refused."""

from __future__ import annotations

import pytest

from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rewrite.annotations import annotation_of
from regbuf_lint.rewrite.calls import is_registered_persistent
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.gradients import as_parameter, is_bare_request, without_gradient
from regbuf_lint.rewrite.lines import type_comment, without_statement
from regbuf_lint.rewrite.lost_parameters import cast_inside
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.registration import Registered
from regbuf_lint.rewrite.statements import register
from regbuf_lint.rewrite.style import TextStyle, quote_of
from regbuf_lint.source.text import SourceText

STYLE = TextStyle(BufferStyle.REGISTER_BUFFER, "", '"', "    ", 88, frozenset({"taken"}), "_Net")
SAVED = Registered(persistent=True)


def span_of(text: str, piece: str) -> Span:
    source = SourceText.from_text(text)
    start = text.index(piece)
    return Span(source.position(start), source.position(start + len(piece)))


def registered(text: str, *targets: str) -> str:
    """The new text of the statement that fills the only line of ``text``."""
    return register(
        SourceText.from_text(f"{text}\n"), span_of(f"{text}\n", text), dict.fromkeys(targets, SAVED), STYLE
    ).content


@pytest.mark.parametrize(
    ("text", "targets", "lines"),
    [
        ("a = self.x = f()", ["self.x"], ["a = f()", 'self.register_buffer("x", a)']),
        ("self.x = a = f()", ["self.x"], ["a = f()", 'self.register_buffer("x", a)']),
        (
            "self.x = self.y = f()",
            ["self.x", "self.y"],
            ['self.register_buffer("x", f())', 'self.register_buffer("y", self.x)'],
        ),
        (
            "self.x, n, self.y = f()",
            ["self.x", "self.y"],
            ["x, n, y = f()", 'self.register_buffer("x", x)', 'self.register_buffer("y", y)'],
        ),
        (
            "self.x, self.y = x, None",
            ["self.x", "self.y"],
            ['self.register_buffer("x", x)', 'self.register_buffer("y", None)'],
        ),
        (
            "self.x, self.y = x, y",
            ["self.x"],
            ["x, self.y = x, y", 'self.register_buffer("x", x)'],
        ),
        (
            "self.x, self.y = x, *y",
            ["self.x", "self.y"],
            ["x, y = x, *y", 'self.register_buffer("x", x)', 'self.register_buffer("y", y)'],
        ),
        (
            "self.x, other.x = f()",
            ["self.x"],
            ["x, other.x = f()", 'self.register_buffer("x", x)'],
        ),
        ("self.taken, b = f()", ["self.taken"], ["taken_, b = f()", 'self.register_buffer("taken", taken_)']),
        ("self.__x, b = f()", ["self.__x"], ["x_, b = f()", 'self.register_buffer("_Net__x", x_)']),
        ("self.x, *rest = f()", ["self.x"], ["x, *rest = f()", 'self.register_buffer("x", x)']),
        ("self.x, a[self.x] = f()", ["self.x"], ["x, a[self.x] = f()", 'self.register_buffer("x", x)']),
        ('setattr(self, f"m{i}", f())', ['setattr(self, f"m{i}", f())'], ['self.register_buffer(f"m{i}", f())']),
        ('setattr(self, f"m{a.b}", f())', ["_"], ['self.register_buffer(f"m{a.b}", f())']),
    ],
)
def test_statements_of_several_targets(text: str, targets: list[str], lines: list[str]) -> None:
    assert registered(text, *targets).split("\n") == lines


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("self.x = a, b", "self.x", "tuple"),
        ("a, *self.x = f()", "self.x", "starred"),
        ("self.x = a, b = f()", "self.x", "pattern"),
        ("self.x += f()", "self.x", "no plain assignment"),
        ("setattr(self, *names)", "_", "three plain ones"),
        ('setattr(self, f"a.{i}", f())', "_", "dot"),
        ("for self.x in y: pass", "self.x", "no simple statement"),
        ("self[0] = f()", "self.x", "no attribute"),
        ("self.x = = 1", "self.x", "libcst cannot parse"),
    ],
)
def test_what_cannot_be_rewritten_is_refused(text: str, target: str, reason: str) -> None:
    with pytest.raises(CannotRewrite, match=reason):
        registered(text, target)


def test_a_parameter_that_lost_itself_is_not_detached() -> None:
    text = "self.x = nn.Parameter(t).half()\n"
    how = Registered(persistent=True, calls=("detach",))
    with pytest.raises(CannotRewrite, match="new Parameter"):
        register(SourceText.from_text(text), span_of(text, text.strip()), {"self.x": how}, STYLE)


@pytest.mark.parametrize(
    ("name", "class_name", "key"),
    [
        ("x", "A", "x"),
        ("__x", "_A", "_A__x"),
        ("__x", "Outer.Inner", "_Inner__x"),
        ("__x__", "A", "__x__"),
        ("__x", "__", "__x"),
        ("\N{MICRO SIGN}", "A", "\N{GREEK SMALL LETTER MU}"),
    ],
)
def test_names_are_those_that_python_uses(name: str, class_name: str, key: str) -> None:
    namespace: dict[str, dict[str, int]] = {}
    own = class_name.rpartition(".")[2]
    exec(f"class {own}:\n def f(self): self.{name} = 1\na = {own}(); a.f(); found = vars(a)", namespace)  # noqa: S102
    assert attribute_key(name, class_name) == key
    assert [*namespace["found"]] == [key]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("", '"'),
        ("a = 'x'", "'"),
        ("a = 'x'; b = \"y\"", '"'),
        ('"""It\'s a docstring\'s text."""\na = "x"', '"'),
        ('# it\'s\na = "x"', '"'),
        ("a = 'say \"x\"'", '"'),
        ("a = 'it\\'s'; b = 'x'", "'"),
    ],
)
def test_the_quotation_mark_is_that_of_the_file(text: str, quote: str) -> None:
    assert quote_of(text) == quote


@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        ("x = f()  # type: Tensor", "Tensor"),
        ("x = f()  #type:List[int]  # more", "List[int]"),
        ("x = f()  # type: ignore", None),
        ("x = f()  # type:ignore[attr]", None),
        ("x = f()  # the type: Tensor", None),
        ("x = f()", None),
    ],
)
def test_type_comments(text: str, annotation: str | None) -> None:
    source = SourceText.from_text(text)
    found = type_comment(source, span_of(text, "x = f()"))
    assert (found.annotation if found else None) == annotation
    if found is not None:
        assert text.replace(source.slice(found.span), "").startswith("x = f()")


def test_a_comment_behind_a_type_comment_keeps_its_distance() -> None:
    text = "x = f() # type: Tensor  # noqa: E261"
    source = SourceText.from_text(text)
    found = type_comment(source, span_of(text, "x = f()"))
    assert found is not None
    assert text.replace(source.slice(found.span), "") == "x = f()  # noqa: E261"


def test_annotations_are_read_from_the_tree() -> None:
    text = 'self.x: Annotated[T, f(a=1), Literal["="]] = g()'
    assert annotation_of(SourceText.from_text(text), span_of(text, text)) == 'Annotated[T, f(a=1), Literal["="]]'
    with pytest.raises(CannotRewrite):
        annotation_of(SourceText.from_text("self.x = 1"), span_of("self.x = 1", "self.x = 1"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a()\nS()\nb()\n", "a()\nb()\n"),
        ("a()\nS()  # why\nb()\n", "a()\nb()\n"),
        ("a(); S()\n", "a()\n"),
        ("a(); S()  # why\n", "a()  # why\n"),
        ("S(); a()\n", "a()\n"),
        ("a(); S(); b()\n", "a(); b()\n"),
        ("a()\nS();\n", "a()\n"),
    ],
)
def test_taking_a_statement_out(before: str, after: str) -> None:
    source = SourceText.from_text(before)
    span = without_statement(source, span_of(before, "S()"))
    assert before[: source.offset(span.start)] + before[source.offset(span.end) :] == after


@pytest.mark.parametrize("text", ["if a: S()\n", "S()"])
def test_statements_that_stay(text: str) -> None:
    with pytest.raises(CannotRewrite):
        without_statement(SourceText.from_text(text), span_of(text, "S()"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.ones(n, requires_grad=True)", "torch.ones(n)"),
        ("torch.ones(n, requires_grad=True, dtype=d)", "torch.ones(n, dtype=d)"),
        ("torch.ones(n, requires_grad=True).t()", "torch.ones(n).t()"),
        ("torch.ones(n).requires_grad_()", "torch.ones(n)"),
        ("nn.Parameter(t)", "t"),
        ("weight", "weight.detach()"),
    ],
)
def test_gradients_are_dropped(before: str, after: str) -> None:
    source = SourceText.from_text(before)
    assert without_gradient(source, span_of(before, before), detach=False).content == after


def test_gradients_that_are_asked_for_elsewhere_stay() -> None:
    with pytest.raises(CannotRewrite):
        without_gradient(SourceText.from_text("f(x)"), span_of("f(x)", "f(x)"), detach=False)
    assert without_gradient(SourceText.from_text("a * b"), span_of("a * b", "a * b"), detach=True).content == (
        "(a * b).detach()"
    )


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("self.x.requires_grad_()", True),
        ("self.x.requires_grad_(True)", True),
        ("self.x.requires_grad = True", True),
        ("y = self.x.requires_grad_()", False),
        ("self.x.requires_grad_().mul_(2)", False),
        ("f().requires_grad_()", False),
        ("self.x.requires_grad = self.y.requires_grad = True", False),
    ],
)
def test_requests_that_are_statements_of_their_own(text: str, bare: bool) -> None:  # noqa: FBT001
    assert is_bare_request(SourceText.from_text(text), span_of(text, text)) is bare


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.x = nn.Parameter(t).to(device)", "self.x = nn.Parameter(t.to(device))"),
        ("self.x = Parameter(a + b).cuda().half()", "self.x = Parameter((a + b).cuda().half())"),
        (
            "self.x = nn.Parameter(data=t, requires_grad=False).to(d, non_blocking=True)",
            "self.x = nn.Parameter(data=t.to(d, non_blocking=True), requires_grad=False)",
        ),
        ("self.x = nn.Parameter(t)", None),
        ("self.x = f(nn.Parameter(t)).to(device)", None),
        ("self.x = nn.Parameter(*t).to(device)", None),
        ("self.x = y = nn.Parameter(t).to(device)", None),
        ("self.x: Tensor = nn.Parameter(t).to(device)", None),
    ],
)
def test_casts_go_into_the_parameter(before: str, after: str | None) -> None:
    edit = cast_inside(SourceText.from_text(f"{before}\n"), span_of(f"{before}\n", before), STYLE)
    assert (None if edit is None else edit.content) == after


def test_what_is_no_cast_cannot_go_into_the_parameter() -> None:
    text = "self.x = nn.Parameter(t).view(-1)"
    with pytest.raises(CannotRewrite, match="view"):
        cast_inside(SourceText.from_text(f"{text}\n"), span_of(f"{text}\n", text), STYLE)


def test_an_annotation_stays_at_a_parameter() -> None:
    text = "self.x: Tensor = torch.ones(n, requires_grad=True)"
    edit = as_parameter(SourceText.from_text(text), span_of(text, text), "nn.Parameter", STYLE, is_flagged=False)
    assert edit.content == "self.x: Tensor = nn.Parameter(torch.ones(n))"
    with pytest.raises(CannotRewrite):
        as_parameter(
            SourceText.from_text("a = b = c"),
            span_of("a = b = c", "a = b = c"),
            "nn.Parameter",
            STYLE,
            is_flagged=False,
        )


@pytest.mark.parametrize(
    ("text", "persistent"),
    [
        ('self.register_buffer("x", t)', True),
        ('self.register_buffer("x", t, persistent=False)', False),
        ('self.register_buffer("x", t, False)', False),
        ('self.register_buffer("x", t, persistent=flag)', True),
        ("self.register_buffer(*a)", True),
        ("x", True),
        ("x = =", True),
    ],
)
def test_whether_a_registration_is_persistent(text: str, persistent: bool) -> None:  # noqa: FBT001
    assert is_registered_persistent(SourceText.from_text(text), span_of(text, text)) is persistent


def test_a_position_is_where_the_statement_starts() -> None:
    assert span_of("a\nb", "b") == Span(Position(2, 1), Position(2, 2))


@pytest.mark.parametrize("value", ["+".join(["f(1, 2)"] * 1500), "x" + ".abs()" * 1500])
def test_what_libcst_takes_too_long_for_is_refused(value: str) -> None:
    text = f"self.a = {value}"
    with pytest.raises(CannotRewrite, match="nests too deeply"):
        register(SourceText.from_text(text), span_of(text, text), {"self.a": SAVED}, STYLE)


def test_a_long_table_is_no_deep_one() -> None:
    text = f"self.a = torch.tensor([{', '.join(['-1.5 * x'] * 1500)}])"
    edit = register(SourceText.from_text(text), span_of(text, text), {"self.a": SAVED}, STYLE)
    assert edit.content.startswith("self.register_buffer(")
