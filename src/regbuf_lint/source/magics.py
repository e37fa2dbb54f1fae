"""What IPython understands beyond Python in the code of a notebook: magics, shell commands, questions for help."""

from __future__ import annotations

import re

from msgspec import Struct

_TRANSPARENT = frozenset({"capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit"})
"""Magics of whole cells that run the rest of the cell as Python."""

_COMMANDS = (
    "alias alias_magic autoawait autocall automagic bookmark cat cd clear code_wrap colors conda config cp debug"
    " dhist dirs doctest_mode edit env gui history killbgscripts ldir less lf lk ll load load_ext loadpy logoff"
    " logon logstart logstate logstop ls lsmagic lx macro magic mamba man matplotlib micromamba mkdir more mv"
    " notebook page pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd"
    " pwd pycat pylab quickref recall rehashx reload_ext rerun reset reset_selective rm rmdir run save sc set_env"
    " sx system tb time timeit unalias unload_ext uv who who_ls whos xdel xmode"
)
"""What IPython takes for a magic even without ``%``."""

_SUSPECT = re.compile(
    rf"^[ \t]*(?:[%!?,;/]|(?:{_COMMANDS.replace(' ', '|')})[ \t])|\?[ \t]*(?:#.*)?\r?$|=[ \t]*[%!]", re.MULTILINE
)
_ESCAPE = re.compile(r"[%!?,;/]")
_BARE_COMMAND = re.compile(
    rf"(?:{_COMMANDS.replace(' ', '|')})[ \t]+(?!(?:and|else|for|if|in|is|not|or)\b)(?:[\w~'\"]|\.\.?(?:[/\s]|$))"
)
_CELL_MAGIC = re.compile(r"%%(\w*)(?!\S*\?)")
_INDENT = re.compile(r"[ \t\f]*")
_COMMAND_END = re.compile(r"(?:\\(?:\r\n|\r|\n)|[^\r\n])*")
_ROW_END = re.compile(r"[^\r\n]*")
_QUOTES = r"'''|\"\"\"|'|\""
_TOKEN = re.compile(
    rf"""(?P<string>{_QUOTES})
    |(?P<comment>\#[^\r\n]*)
    |(?P<joined>\\(?:\r\n|\r|\n))
    |(?P<newline>\r\n|\r|\n)
    |(?P<open>[(\[{{])
    |(?P<close>[)\]}}])
    |(?P<assigned>=[ \t]*(?=[%!]))
    |(?P<help>\?)""",
    re.VERBOSE,
)
_STRING_ENDS = {
    "'": re.compile(r"(?:\\(?:\r\n|[\s\S])|[^'\\\r\n])*'"),
    '"': re.compile(r'(?:\\(?:\r\n|[\s\S])|[^"\\\r\n])*"'),
    "'''": re.compile(r"(?:\\[\s\S]|(?!''')[^\\])*'''"),
    '"""': re.compile(r'(?:\\[\s\S]|(?!""")[^\\])*"""'),
}


class Magic(Struct, frozen=True):
    """Text that is no Python, from one index into a cell's text to another; it ends with its row."""

    start: int
    end: int


def find_magics(source: str) -> tuple[Magic, ...] | None:
    """Return the magics of a cell, in order, or None where the whole cell is in another language."""
    if _SUSPECT.search(source) is None:
        return ()
    found: list[Magic] = []
    at = 0
    while at < len(source):
        start = _indented(source, at)
        cell_magic = _CELL_MAGIC.match(source, start)
        if cell_magic is not None and cell_magic[1] not in _TRANSPARENT:
            return None
        magic = _magic_at(source, start)
        if magic is None:
            at, magic = _statement(source, start)
        else:
            at = _behind_newline(source, magic.end)
        if magic is not None:
            found.append(magic)
    return tuple(found)


def _indented(source: str, at: int) -> int:
    match = _INDENT.match(source, at)
    return match.end() if match is not None else at


def _magic_at(source: str, start: int) -> Magic | None:
    """Return the magic that a statement is, as its first characters say."""
    if _ESCAPE.match(source, start) or _BARE_COMMAND.match(source, start):
        return Magic(start, _end(_COMMAND_END, source, start))
    return None


def _statement(source: str, start: int) -> tuple[int, Magic | None]:
    """Return where the statement that starts at an index ends, behind its newline, and the magic in it."""
    depth, at = 0, start
    while (token := _TOKEN.search(source, at)) is not None:
        at = token.end()
        kind = token.lastgroup
        if kind == "string":
            at = _behind_string(source, token.group(), at)
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "assigned" and not depth:
            end = _end(_COMMAND_END, source, at)
            return _behind_newline(source, end), Magic(at, end)
        elif kind == "help":
            end = _end(_ROW_END, source, at)
            return _behind_newline(source, end), Magic(start, end)
        elif kind == "newline" and not depth:
            return at, None
    return len(source), None


def _behind_string(source: str, quote: str, at: int) -> int:
    """Return the index behind a string's closing quote; that of a string left open ends with its row, or the cell."""
    match = _STRING_ENDS[quote].match(source, at)
    if match is not None:
        return match.end()
    return _end(_ROW_END, source, at) if len(quote) == 1 else len(source)


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match is not None else at


def _behind_newline(source: str, at: int) -> int:
    return at + 2 if source.startswith("\r\n", at) else at + 1
