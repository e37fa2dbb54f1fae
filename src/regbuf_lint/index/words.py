"""What the text of a file says without being parsed, word by word."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# Patterns that start with a literal are ten times faster than others. So none is anchored to the start of the row, and
# where the literal stands behind the word, the text is read from its end.
_HEADER = re.compile(rb"class[ \t]+[\w\x80-\xff]+[ \t]*(?:\[[^\]]*\])?\(([^)]*)\)")
_FIRST_PARAMETER = re.compile(rb"def[ \t]+[\w\x80-\xff]+[ \t]*\(\s*([\w\x80-\xff]+)")
_FIRST_PARAMETER_OF_METHOD = re.compile(rb"\n[ \t]+def[ \t]+[\w\x80-\xff]+[ \t]*\(\s*([\w\x80-\xff]+)")
_CALLED_ON_NAME_BACKWARDS = re.compile(rb"\(([\w\x80-\xff]+)\.([\w\x80-\xff]+)")
_CALLED_ON_SUPER = re.compile(rb"super\([^)]*\)\.([\w\x80-\xff]+)\(")
_CALLED_CLASS_BACKWARDS = re.compile(rb"\(([\w\x80-\xff]*[A-Z\x80-\xff])")
_READ = re.compile(rb"\.([\w\x80-\xff]+)\b(?!\()")
_CALLED_METHOD = re.compile(rb"\.([\w\x80-\xff]+)\(")
_GIVEN_BACKWARDS = re.compile(rb"=(?<!==)[ \t]*([\w\x80-\xff]+)\.([\w\x80-\xff]*)")
_DEFINED = re.compile(rb"def (_\w+)\(")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_BETWEEN_KINDS = "\n"
_BETWEEN_WORDS = " "


def words_of(text: bytes, kind: str) -> str:
    """The words of a file that stand for something, each once, as ``split_words`` takes them.

    Args:
        text: its content.
        kind: what they stand for, one of:

            - ``bases``: words among the bases of class statements;
            - ``called``: capitalised names that are called;
            - ``read``: names behind a dot that are not called;
            - ``methods``: names behind a dot that are called;
            - ``given``: names behind a dot that are assigned, but for those of what a method takes first (``self``);
            - ``defined``: names of functions that begin with an underscore;
            - ``called_on_self``: names of methods called on ``super()``, or on what a function takes first (``self``).
    """
    found = {word.decode(errors="replace") for word in _FINDERS[kind](text)}
    return _BETWEEN_WORDS.join(sorted(found))


def split_words(words: str) -> list[str]:
    """The words that stand together in a text."""
    return words.split(_BETWEEN_WORDS) if words else []


def written(words: Mapping[str, str]) -> str:
    """The words of a file as text, by what they stand for; ``read_words`` reads it."""
    return _BETWEEN_KINDS.join(f"{kind}{_BETWEEN_WORDS}{found}" for kind, found in words.items())


def read_words(text: str) -> dict[str, str]:
    """The words of a file that ``written`` has written, by what they stand for."""
    parts = (line.partition(_BETWEEN_WORDS) for line in text.split(_BETWEEN_KINDS))
    return {kind: words for kind, _, words in parts}


def together(one: str, other: str) -> str:
    """The words of a file of which two texts that ``written`` has written know some."""
    return written({**read_words(one), **read_words(other)})


def _bases(text: bytes) -> Iterable[bytes]:
    return (word for bases in _HEADER.findall(text) for word in _WORD.findall(bases))


def _given(text: bytes) -> Iterable[bytes]:
    receivers = {name[::-1] for name in (b"self", *_FIRST_PARAMETER_OF_METHOD.findall(text))}
    assigned = set(_GIVEN_BACKWARDS.findall(text[::-1]))
    return (name[::-1] for name, owner in assigned if owner not in receivers)


def _called_on_self(text: bytes) -> Iterable[bytes]:
    receivers = {name[::-1] for name in (b"self", *_FIRST_PARAMETER.findall(text))}
    calls = set(_CALLED_ON_NAME_BACKWARDS.findall(text[::-1]))
    return (*(method[::-1] for method, owner in calls if owner in receivers), *_CALLED_ON_SUPER.findall(text))


_FINDERS: Mapping[str, Callable[[bytes], Iterable[bytes]]] = MappingProxyType(
    {
        "bases": _bases,
        "called": lambda text: (word[::-1] for word in set(_CALLED_CLASS_BACKWARDS.findall(text[::-1]))),
        "read": lambda text: set(_READ.findall(text)),
        "methods": lambda text: set(_CALLED_METHOD.findall(text)),
        "given": _given,
        "defined": _DEFINED.findall,
        "called_on_self": _called_on_self,
    }
)
