"""Pages of rules on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.report.rule_page import rule_page
from regbuf_lint.report.style import Style
from regbuf_lint.report.terminal_page import terminal_page
from regbuf_lint.rules import RULES

if TYPE_CHECKING:
    from regbuf_lint.rules import Rule

PAGE = """\
# name (RBF001)

One `a b` two three four.

## Part

- first item is long enough
- `x`
  - inner item of it

```python
self.m = t  # - no item, `no code`

x = 1
```
"""


def test_signs_of_markdown_are_gone_and_lines_are_broken() -> None:
    assert terminal_page(PAGE, 16, Style()) == (
        "name (RBF001)\n\nOne a b two\nthree four.\n\nPart\n\n• first item is\n  long enough\n• x\n"
        "  • inner item\n    of it\n\n    self.m = t  # - no item, `no code`\n\n    x = 1\n"
    )


def test_code_stays_in_one_line() -> None:
    assert terminal_page("One two `three four`\n", 16, Style()) == "One two\nthree four\n"


def test_colours() -> None:
    page = terminal_page("# Head\n\nSay `x`.\n\n```python\ny\n```\n", 80, Style(color=True))
    assert page == "\x1b[1mHead\x1b[0m\n\nSay \x1b[36mx\x1b[0m.\n\n    \x1b[36my\x1b[0m\n"


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.meta.code) for rule in RULES])
def test_every_page_keeps_its_words(rule: Rule) -> None:
    page = rule_page(rule.meta, rule.docs)
    shown = terminal_page(page, 60, Style())
    assert "```" not in shown
    assert "##" not in shown
    words = [word for word in page.replace("`", "").split() if word.strip("#-") and word != "python"]
    left = [word for word in shown.replace("`", "").split() if word not in {"•", "python"} and word.strip("#-")]
    assert [word.removeprefix("python") for word in words] == left
