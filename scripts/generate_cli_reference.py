"""Write ``docs/reference.md``: the options of the commands, from their parsers.

python scripts/generate_cli_reference.py            # write the page
python scripts/generate_cli_reference.py --check    # exit with 1 where it differs from what would be written
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from regbuf_lint.cli.arguments import build_parser
from regbuf_lint.cli.command_line import COMMANDS
from regbuf_lint.verify.cli import build_parser as build_verify_parser

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"
_HEAD = """\
# Command-line reference

`scripts/generate_cli_reference.py` writes this page from the parsers. How the options are used is on the pages
[Command line](command-line.md) and [Verifying](verification.md).
"""


_HEADS = {"positional arguments": "argument"}
"""What the tables of groups are about, where that is not options."""


def page() -> str:
    """The text of the page."""
    commands = ", ".join(f"`{command}`" for command in COMMANDS)
    parts = [_HEAD, *_sections(build_parser()), f"Commands, for those who are used to them: {commands}.\n"]
    return "\n".join([*parts, *_sections(build_verify_parser())])


def _sections(parser: argparse.ArgumentParser) -> list[str]:
    """A section for a command, and one for each group of its options."""
    title = f"## {parser.prog}\n\n{parser.description}\n"
    groups = ((group.title or "", _rows(group)) for group in parser._action_groups)  # noqa: SLF001  argparse has no other way
    return [
        title,
        *(
            f"### {name.capitalize()}\n\n| {_HEADS.get(name, 'option')} | |\n|---|---|\n{rows}"
            for name, rows in groups
            if rows
        ),
    ]


def _rows(group: argparse._ArgumentGroup) -> str:
    return "".join(_row(action) for action in group._group_actions if action.help != argparse.SUPPRESS)  # noqa: SLF001  as above


def _row(action: argparse.Action) -> str:
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    value = "" if action.nargs == 0 and action.option_strings else f" `{_value(action)}`"
    words = (action.help or "").replace("|", r"\|")
    return f"| {names}{value} | {words} |\n"


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar.replace("|", r"\|")
    return "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write the page of the command line.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where the page differs")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8", newline="\n")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"docs/{PAGE.name} is not what scripts/generate_cli_reference.py writes", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
