"""What a rule's page says is true: its example is reported, what it asks for instead is not, and the page is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.rule import FixAvailability
from regbuf_lint.model.settings import Settings
from regbuf_lint.rules import RULES
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from regbuf_lint.rules import Rule

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = "import torch\nfrom torch import nn\n\n\n"
MOST_CHARACTERS = 250
"""How long one case of a fix may be on a page, which is to be read at a glance."""
WRAP = "class Example(nn.Module):\n    def __init__(self) -> None:\n        super().__init__()\n"
USED = f"{WRAP}        self.x = torch.ones(2)\n\n    def forward(self, y):\n        return y + self.x\n"

each_rule = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.meta.code) for rule in RULES])
each_fixable_rule = pytest.mark.parametrize(
    "rule", [pytest.param(rule, id=rule.meta.code) for rule in RULES if rule.meta.fixable is not FixAvailability.NEVER]
)


def as_file(snippet: str) -> SourceText:
    """A file around a snippet, which is a class or statements of a constructor."""
    whole = snippet if snippet.startswith(("class ", "def ", "@")) else WRAP + indent(snippet, " " * 8)
    return SourceText.from_text(HEAD + whole)


def selection(rule: Rule) -> tuple[str, ...]:
    """The rule's code; a suppression can only be unused where the rule that it names runs."""
    return (rule.meta.code, "RBF001") if rule.meta.code == "RBF901" else (rule.meta.code,)


def codes(snippet: str, rule: Rule, tmp_path: Path) -> set[str]:
    settings = Settings(root=tmp_path, select=selection(rule))
    result = check_source(as_file(snippet), tmp_path / "example.py", settings)
    assert result.errors == ()
    return {finding.code for finding in result.findings}


@each_rule
def test_the_example_is_reported(rule: Rule, tmp_path: Path) -> None:
    assert codes(rule.docs.example, rule, tmp_path) == {rule.meta.code}


@each_rule
def test_what_to_use_instead_is_not(rule: Rule, tmp_path: Path) -> None:
    assert codes(rule.docs.use_instead, rule, tmp_path) == set()


@each_rule
def test_what_to_use_instead_breaks_no_other_rule(rule: Rule, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path)
    assert check_source(as_file(rule.docs.use_instead), tmp_path / "example.py", settings).findings == ()


@each_fixable_rule
def test_the_fix_of_the_example_is_what_the_page_shows(rule: Rule, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=selection(rule))
    fixed = check_source(as_file(rule.docs.example), tmp_path / "example.py", settings, fix=FixMode.UNSAFE).fixed
    assert fixed is not None
    shown = {line.partition("  #")[0].strip() for line in rule.docs.use_instead.splitlines()}
    before, after = ({line.strip() for line in text.splitlines()} for text in (fixed.before, fixed.after))
    assert after != before
    assert after - before <= shown


@each_rule
def test_pages_are_complete(rule: Rule) -> None:
    docs = rule.docs
    assert all((docs.what, docs.why, docs.example, docs.use_instead, docs.checkpoint_impact))
    safety = docs.fix_safety
    assert any((safety.safe, safety.unsafe, safety.shown, safety.withheld))
    has_fix = rule.meta.fixable is not FixAvailability.NEVER
    assert bool(safety.does) is has_fix
    assert bool(safety.safe or safety.unsafe) is has_fix
    assert all(len(case) < MOST_CHARACTERS for case in (*safety.safe, *safety.unsafe, *safety.shown, *safety.withheld))
    assert all(address.startswith("https://") for address in docs.references)
    assert docs.references
    assert not rule.meta.summary.endswith(".")


def test_pages_are_what_the_script_writes() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "generate_rule_pages.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_url_has_its_page() -> None:
    for rule in RULES:
        assert (ROOT / "docs" / "rules" / f"{rule.meta.url.split('/')[-2]}.md").is_file()


@pytest.mark.parametrize(
    ("snippet", "loaded"),
    [
        ("self.x = 1\n", False),
        ('self.register_buffer("x", torch.ones(2))\n', False),
        ("self.x = torch.ones(2)\n", False),
        (USED, True),
    ],
)
def test_libcst_is_loaded_only_for_a_fix(snippet: str, loaded: bool, tmp_path: Path) -> None:  # noqa: FBT001
    (tmp_path / "example.py").write_text(as_file(snippet).text, encoding="utf-8")
    script = (
        "import sys; from pathlib import Path; from regbuf_lint.engine.many_files import check_files;"
        "from regbuf_lint.engine.fixing import FixMode; from regbuf_lint.model.settings import Settings;"
        "from regbuf_lint.model.file_settings import FileSettings;"
        "check_files([Path('example.py')], FileSettings.one(Settings(root=Path.cwd())), jobs=1, fix=FixMode.NONE);"
        "sys.exit('libcst' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=tmp_path)
    assert bool(done.returncode) is loaded
