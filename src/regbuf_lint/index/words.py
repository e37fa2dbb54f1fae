"""What the text of a file says without being parsed, word by word."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, fields

# Not anchored to the start of the row, since a pattern that starts with a literal is ten times faster.
_HEADER = re.compile(rb"class[ \t]+[\w\x80-\xff]+[ \t]*(?:\[[^\]]*\])?\(([^)]*)\)")
_FIRST_PARAMETER = re.compile(rb"def[ \t]+[\w\x80-\xff]+[ \t]*\(\s*([\w\x80-\xff]+)")
_CALL = re.compile(rb"\b([\w\x80-\xff]+|super\([^)]*\))\.([\w\x80-\xff]+)\(")
_CALLED_CLASS = re.compile(rb"([A-Z\x80-\xff][\w\x80-\xff]*)\(")
_READ = re.compile(rb"\.([\w\x80-\xff]+)\b(?!\()")
_CALLED_METHOD = re.compile(rb"\.([\w\x80-\xff]+)\(")
_DEFINED = re.compile(rb"def (_\w+)\(")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_BETWEEN_KINDS = "\n"
_BETWEEN_WORDS = " "


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a file by what they stand for.

    Attributes:
        bases: words among the bases of class statements.
        called: capitalised names that are called.
        read: names behind a dot that are not called.
        methods: names behind a dot that are called.
        defined: names of functions that begin with an underscore.
        called_on_self: names of methods called on ``super()``, or on what a function takes first (``self``).
    """

    bases: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    called_on_self: frozenset[str] = frozenset()

    def written(self) -> str:
        """The words as text, which ``read_words`` takes."""
        return _BETWEEN_KINDS.join(_BETWEEN_WORDS.join(sorted(words)) for words in _of_each_kind(self))

    def differences(self, other: Words) -> Words:
        """The words that one of two texts of a file has, and the other has not."""
        return Words(*(mine ^ others for mine, others in zip(_of_each_kind(self), _of_each_kind(other), strict=True)))


KINDS = tuple(one.name for one in fields(Words))


def words_of(text: bytes) -> Words:
    """The words of a file.

    Args:
        text: its content.
    """
    receivers = {b"self", *_FIRST_PARAMETER.findall(text)}
    calls = set(_CALL.findall(text))
    return Words(
        _decoded({word for bases in _HEADER.findall(text) for word in _WORD.findall(bases)}),
        _decoded(set(_CALLED_CLASS.findall(text))),
        _decoded(set(_READ.findall(text))),
        _decoded(set(_CALLED_METHOD.findall(text))),
        _decoded(set(_DEFINED.findall(text))),
        _decoded({name for owner, name in calls if owner in receivers or owner.startswith(b"super(")}),
    )


def read_words(written: str) -> Words:
    """The words that ``Words.written`` has written."""
    return Words(*(frozenset(map(sys.intern, words.split())) for words in written.split(_BETWEEN_KINDS)))


def _of_each_kind(words: Words) -> tuple[frozenset[str], ...]:
    return tuple(getattr(words, kind) for kind in KINDS)


def _decoded(words: set[bytes]) -> frozenset[str]:
    return frozenset(sys.intern(word.decode(errors="replace")) for word in words)  # most stand in many files
