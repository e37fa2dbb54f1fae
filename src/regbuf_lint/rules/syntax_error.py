"""RBF900: a file that does not parse, where that matters."""

from __future__ import annotations

from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Position, Span

META = RuleMeta(
    code="RBF900",
    name="syntax-error",
    summary="the file does not parse",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports a file that the running Python cannot parse, where it may hold an nn.Module class or is named on the "
        "command line."
    ),
    why="Nothing else can be found in such a file. Syntax newer than the running Python is reported too.",
    example="def forward(self, x:\n    return x\n",
    use_instead="def forward(self, x):\n    return x\n",
    fix_safety=FixSafety(
        withheld=("always: what was meant cannot be told",),
    ),
    checkpoint_impact="None.",
    references=("https://docs.python.org/3/reference/grammar.html",),
)


def syntax_error(message: str, position: Position) -> Finding:
    """The finding about a file that does not parse."""
    span = Span(position, position)
    help_text = "mend the syntax; if it is newer than the running Python, run regbuf-lint with a newer one"
    return Finding(rule=META, message=f"the file does not parse: {message}", span=span, statement=span, help=help_text)
