"""How new text is to look; known without libcst."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.model.settings import Brackets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.settings import BufferStyle

_STRING_OR_COMMENT = re.compile(
    r"""
      \#[^\r\n]*
    | \"\"\"(?:\\.|[^\\])*?\"\"\"
    | '''(?:\\.|[^\\])*?'''
    | (?P<string>"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*')
    """,
    re.VERBOSE | re.DOTALL,
)

NO_BUFFER_NAME = "the file has no name for `nn.Buffer`, and no import of torch at its top to put one beside"
"""Why nothing can be written in the style that assigns it."""


class TextStyle(Struct, frozen=True):
    """What the new text looks like.

    Attributes:
        buffer_style: call of ``register_buffer`` or assignment of ``nn.Buffer``.
        buffer_name: what ``nn.Buffer`` is called in the file, for that style; empty where it has no name.
        quote: quotation mark of the file's strings.
        unit: white space of one level.
        width: columns of a line.
        taken_names: names that a new local variable must not have.
        class_name: name of the class around the text; Python mangles private names with it.
        buffer_import: the edit that imports that name, where the file does not.
        brackets: how what does not fit on a line is split at its brackets.
    """

    buffer_style: BufferStyle
    buffer_name: str
    quote: str
    unit: str
    width: int
    taken_names: frozenset[str] = frozenset()
    class_name: str = ""
    buffer_import: Edit | None = None
    brackets: Brackets = Brackets.DEDENTED

    def with_import(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Edits together with the import of ``nn.Buffer`` that their text needs."""
        edits = tuple(edits)
        call = re.compile(rf"(?<![\w.]){re.escape(self.buffer_name)}\(")
        if self.buffer_import is None or not any(call.search(edit.content) for edit in edits):
            return edits
        return (self.buffer_import, *edits)


_WIDTHS = (88, 120)
"""The least and the most columns of a line where no tool of the project says how many there are."""
_FEW = 3
"""Of so many long lines each but one may be an exception."""


@lru_cache(maxsize=8)
def width_of(text: str) -> int:
    """The columns that lines of a file have, docstrings and comments left aside, which nobody wraps as code.

    A few lines may be longer, as those with an address or a message are.
    """
    code = _STRING_OR_COMMENT.sub(lambda match: match["string"] or "", text)
    longest = sorted((len(line.rstrip()) for line in code.splitlines()), reverse=True)
    least, most = _WIDTHS
    return max(least, min(longest[_FEW - 1], most)) if len(longest) >= _FEW else least


@lru_cache(maxsize=8)
def quote_of(text: str) -> str:
    """The quotation mark that most strings of a file use; the double one where they are even.

    Docstrings do not count, nor do strings that hold the other mark and so had no choice.
    """
    singles = 0
    for match in _STRING_OR_COMMENT.finditer(text):
        string = match["string"]
        if string is None:
            continue
        other = "'" if string[0] == '"' else '"'
        if other not in string:
            singles += 1 if string[0] == "'" else -1
    return "'" if singles > 0 else '"'
