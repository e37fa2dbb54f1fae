"""Say what other tools report on the examples of this linter's rules: the table in ``docs/comparison.md``.

A rule's page has code with its defect, and the same code without it. A tool notices the defect if it says something of
the first that it does not say of the second. What it says is printed, to be read: a note on style is no finding.

    python scripts/compare_tools.py "ruff=ruff check --preview --select ALL --isolated FILE" "pylint=pylint FILE"

FILE stands for the file to check. Each tool runs in an empty directory with all of its rules that the command names.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

from regbuf_lint.rules import RULES

NAME = "modeling_sample.py"
"""What the file is called; one of the tools reads only files that are called like this."""
HEAD = "import torch\nfrom torch import nn\n\n\n"
WRAP = "class Example(nn.Module):\n    def __init__(self) -> None:\n        super().__init__()\n"
NOT_COMPARED = frozenset({"RBF202", "RBF203", "RBF900", "RBF901"})
"""Rules of style, about syntax and about comments: each linter has its own."""
_NUMBER = re.compile(r"\d+")
_POSITION = re.compile(rf"{re.escape(NAME)}\S*")


@dataclass(frozen=True, slots=True)
class Tool:
    """Another tool.

    Attributes:
        name: what the table calls it.
        command: its words; ``FILE`` stands for the file.
    """

    name: str
    command: tuple[str, ...]

    def says(self, text: str) -> Counter[str]:
        """The lines that it prints about a text, without places."""
        with TemporaryDirectory() as directory:
            Path(directory, NAME).write_text(text, encoding="utf-8")
            words = [NAME if word == "FILE" else word for word in self.command]
            done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)  # noqa: S603  ours
        return Counter(_NUMBER.sub("N", _POSITION.sub("", line)).strip() for line in done.stdout.splitlines())


def sample(snippet: str) -> str:
    """A file around a snippet of a rule's page."""
    return HEAD + (snippet if snippet.startswith(("class ", "def ", "@")) else WRAP + indent(snippet, " " * 8))


def main() -> int:
    """Print, for each rule, what each tool says of its defect."""
    parser = argparse.ArgumentParser(description="Run other tools on the examples of the rules.")
    parser.add_argument("tools", nargs="+", metavar="NAME=COMMAND")
    tools = [
        Tool(name, tuple(shlex.split(line)))
        for name, _, line in (one.partition("=") for one in parser.parse_args().tools)
    ]
    for rule in RULES:
        if rule.meta.code in NOT_COMPARED:
            continue
        print(f"{rule.meta.code} {rule.meta.name}")
        for tool in tools:
            told = tool.says(sample(rule.docs.example)) - tool.says(sample(rule.docs.use_instead))
            print(f"  {tool.name}: {' | '.join(told) or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
