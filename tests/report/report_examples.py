"""Results that the tests of reports share."""

from __future__ import annotations

from regbuf_lint.model.finding import Evidence, Finding, Related
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.result import FileError, FileResult, FixedFile, RunResult
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Position, Span

RBF001 = RuleMeta(
    "RBF001",
    "plain-tensor-attribute",
    "a tensor",
    Severity.WARNING,
    on_by_default=True,
    fixable=FixAvailability.ALWAYS,
)
RBF101 = RuleMeta(
    "RBF101", "buffer-requires-grad", "A buffer.", Severity.ERROR, on_by_default=True, fixable=FixAvailability.NEVER
)

TEXT = "class M(nn.Module):\n\tdef __init__(self):\n\t\tself.m = torch.ones(\n\t\t\t3,\n\t\t)\n\t\tself.名 = f('é')\n"


def span(first: int, start: int, last: int, end: int) -> Span:
    return Span(Position(first, start), Position(last, end))


def fix(applicability: Applicability) -> Fix:
    edit = Edit(span(3, 3, 5, 4), 'self.register_buffer("m", torch.ones(3))')
    return Fix(applicability, "Register `m` as a buffer", (edit,), adds=("m",), removes=("old",))


PLAIN = Finding(
    rule=RBF001,
    message="`m` stays behind",
    span=span(3, 3, 5, 4),
    statement=span(3, 3, 5, 4),
    help="write this",
    class_name="M",
    attribute="m",
    method="__init__",
    fix=fix(Applicability.SAFE),
    related=(Related(span(6, 3, 6, 9), "assigned again"),),
    evidence=(
        Evidence("`f` combines it with `x`", span(6, 12, 6, 13)),
        Evidence("`Base.f` moves it by hand", span(30, 5, 30, 9), path="base/of m.py"),
    ),
)
RISKY = Finding(RBF001, "`n` stays behind", span(6, 3, 6, 9), span(6, 3, 6, 18), fix=fix(Applicability.UNSAFE))
GRAD = Finding(RBF101, "never trained", span(6, 12, 6, 18), span(6, 3, 6, 18))

RESULT = RunResult(
    files=(
        FileResult("a/m.py", (PLAIN, RISKY, GRAD), text=TEXT),
        FileResult("b.py", errors=(FileError("b.py", "not valid UTF-8"),)),
    ),
    errors=(FileError("nope", "no such file or directory"),),
)
FIXED = RunResult(
    (
        FileResult(
            "a/m.py",
            (GRAD,),
            text=TEXT,
            fixed=FixedFile("a/m.py", TEXT, TEXT.replace("m", "k"), (PLAIN,), (RISKY,), written=True),
        ),
    )
)
EMPTY = RunResult((FileResult("a.py", text="x = 1\n"),))


def in_cell(cell: int, start: int, end: int) -> Span:
    return Span(Position(2, start, cell=cell), Position(2, end, cell=cell))


CELL = Finding(
    RBF001,
    "`m` stays behind",
    in_cell(4, 1, 6),
    in_cell(4, 1, 6),
    fix=Fix(Applicability.SAFE, "Register `m`", (Edit(in_cell(4, 1, 6), "x"),)),
    related=(Related(in_cell(3, 1, 2), "assigned again"),),
    evidence=(
        Evidence("it is combined with `b`", in_cell(3, 1, 2)),
        Evidence("`Base.f` moves it by hand", span(30, 5, 30, 9), path="base.py"),
    ),
)
NOTEBOOK = RunResult(
    (
        FileResult(
            "nb.ipynb",
            (Finding(RBF101, "never trained", in_cell(3, 1, 2), in_cell(3, 1, 2)), CELL),
            text="joined",
            cells={3: "a\nb", 4: "%time\nm = 1\n"},
            fixed=FixedFile("nb.ipynb", "", "", (CELL,), (CELL,)),
        ),
    )
)
EVERYTHING = RunResult((*RESULT.files, *NOTEBOOK.files), RESULT.errors)
"""What the golden files hold: findings with and without fix and evidence, file errors, and a notebook."""
DOCS = {
    "RBF001": RuleDocs(
        what="Reports a tensor.",
        why="It stays behind.",
        example='self.m = {"a": 1}[0]\n',
        use_instead='self.register_buffer("m", t)\n',
        fix_safety=FixSafety(does="Registers it.", safe=("where it is new",)),
        checkpoint_impact="None.",
        references=("https://example.org",),
    )
}
