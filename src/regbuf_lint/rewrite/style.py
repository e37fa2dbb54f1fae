"""How new text is to look; known without libcst."""

from __future__ import annotations

from dataclasses import dataclass

from regbuf_lint.model.settings import BufferStyle


@dataclass(frozen=True, slots=True)
class TextStyle:
    """What the new text looks like.

    Attributes:
        buffer_style: call of ``register_buffer`` or assignment of ``nn.Buffer``.
        buffer_name: what ``nn.Buffer`` is called in the file, for that style.
        quote: quotation mark of the file's strings.
        unit: white space of one level.
        width: columns of a line.
        taken_names: names that a new local variable must not have.
    """

    buffer_style: BufferStyle
    buffer_name: str
    quote: str
    unit: str
    width: int
    taken_names: frozenset[str] = frozenset()


def quote_of(text: str) -> str:
    """The quotation mark that most strings of a file use; the double one where they are even."""
    return "'" if text.count("'") > _double_quotes(text) else '"'


def _double_quotes(text: str) -> int:
    return text.count('"') - 3 * text.count('"""')
