"""Strings as values: known ones, and those put together from parts of which some are not known (``mask_*``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.model.value import OTHER, Literal, Other, Sequence, Value, the_one

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.model.value import Alternative

_PATTERN = "str:"
_FIELD = re.compile(r"\{[^{}]*\}")
_CHANGING = frozenset(
    {
        "capitalize", "casefold", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip", "strip",
        "swapcase", "title", "upper",
    }
)  # fmt: skip
"""Methods of a string that give another one, hardly any longer."""
_LAYING_OUT = frozenset({"center", "expandtabs", "format_map", "join", "ljust", "rjust", "translate", "zfill"})
"""Methods that give another string, too, which may become as long as their arguments say."""
_DIVIDING = {"partition": "tuple", "rpartition": "tuple", "rsplit": "list", "split": "list", "splitlines": "list"}
"""Methods that give strings, and in what."""
_ANY_STRING = Other("str")
_LONGEST = 1000
"""Letters of what is put together; no name or device is as long, and twenty doublings make a million of one."""


def literal_string(value: Value) -> str | None:
    """The one string that a value is, None where it may be anything else."""
    strings = literal_strings(value)
    return strings[0] if strings is not None and len(strings) == 1 else None


def literal_strings(value: Value) -> tuple[str, ...] | None:
    """The strings that a value can be, None where it may be something else."""
    strings = tuple(one.value for one in value if isinstance(one, Literal) and isinstance(one.value, str))
    return strings if strings and len(strings) == len(value) else None


def pattern_of(value: Value) -> str | None:
    """The pattern that a computed string follows, None where it could be any string."""
    one = the_one(value)
    pattern = one.what.removeprefix(_PATTERN) if isinstance(one, Other) and one.what.startswith(_PATTERN) else ""
    return pattern if pattern.strip("*") else None


def usually(value: Value, text: str) -> Value:
    """What somebody may give, and what is ``text`` by default: an argument or a field that is certainly no tensor."""
    return frozenset(replace(one, usual=text) if isinstance(one, Other) else one for one in value)


def usual_strings(value: Value) -> tuple[str, ...]:
    """The strings that a value is by default."""
    return tuple(sorted(one.usual for one in value if isinstance(one, Other) and one.usual))


def is_string(value: Value) -> bool:
    """Whether a value is a string of which at least a part is known."""
    return literal_string(value) is not None or pattern_of(value) is not None


def joined(parts: Iterable[Value]) -> Value:
    """The string of these parts, one behind the other."""
    return _string("".join(map(_text, parts)))


def method_of_string(owner: Alternative, name: str, arguments: Arguments) -> Value:
    """What a method gives of a string, known or not."""
    text = owner.value if isinstance(owner, Literal) and isinstance(owner.value, str) else None
    if name == "format" and text is not None:
        return _string(_FIELD.sub("*", text))
    if name in _DIVIDING:
        return frozenset({Sequence(_DIVIDING[name], None, frozenset({_ANY_STRING}))})
    if name not in _CHANGING:
        return frozenset({_ANY_STRING}) if name in _LAYING_OUT | {"format"} else OTHER
    given = [literal_string(value) for value in arguments.every()]
    known = [one for one in given if one is not None]
    if len(known) < len(given) or arguments.starred or arguments.keywords:
        return frozenset({_ANY_STRING})
    if text is not None:
        return frozenset({Literal(_changed(text, name, known))})
    usual = owner.usual if isinstance(owner, Other) else ""
    return frozenset({replace(_ANY_STRING, usual=_changed(usual, name, known))})


def _changed(text: str, name: str, arguments: list[str]) -> str:
    longest = max(map(len, (text, *arguments)))
    if longest > _LONGEST:
        return text
    try:
        return str(getattr(text, name)(*arguments))
    except TypeError:  # one argument too many or too few: the program raises
        return text


def _text(value: Value) -> str:
    one = the_one(value)
    if isinstance(one, Literal) and isinstance(one.value, (str, int)):
        return str(one.value)
    return pattern_of(value) or "*"


def _string(text: str) -> Value:
    if len(text) > _LONGEST:
        return frozenset({_ANY_STRING})
    return frozenset({Other(_PATTERN + text) if "*" in text else Literal(text)})
