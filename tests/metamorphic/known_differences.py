"""The list of differences that are known, in ``known_differences.toml``."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparison import Difference

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILE = Path(__file__).with_name("known_differences.toml")
Place = tuple[str, str]
"""The name of a rewrite and that of a program."""


@dataclass(frozen=True)
class Known:
    """A difference that is known.

    Attributes:
        difference: what it is.
        reasons: keys of the sentences that say where it comes from.
    """

    difference: Difference
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class KnownDifferences:
    """The whole list.

    Attributes:
        reasons: for each key, a sentence.
        entries: what is known of each rewrite of each program.
    """

    reasons: Mapping[str, str]
    entries: Mapping[Place, Known]

    def of(self, rewrite: str, programs: Iterable[str]) -> dict[str, Difference]:
        """The differences of some programs under one rewrite."""
        known = ((program, self.entries.get((rewrite, program))) for program in programs)
        return {program: one.difference for program, one in known if one is not None}

    def updated(self, found: Mapping[Place, Difference]) -> KnownDifferences:
        """The list with what was found in place of its entries; an entry keeps its reasons, a new one has none."""
        entries = {
            place: Known(difference, self.entries[place].reasons if place in self.entries else ())
            for place, difference in found.items()
        }
        return KnownDifferences(self.reasons, entries)


def load(path: Path = FILE) -> KnownDifferences:
    """Read the list."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return KnownDifferences(data["reasons"], {_place(one): _known(one) for one in data.get("difference", ())})


def _place(entry: dict[str, Any]) -> Place:
    return entry["rewrite"], entry["fixture"]


def _known(entry: dict[str, Any]) -> Known:
    difference = Difference(tuple(entry.get("lost", ())), tuple(entry.get("gained", ())))
    return Known(difference, tuple(entry["reasons"]))


def dumped(known: KnownDifferences, head: str) -> str:
    """The list as the file has it, behind the comment at its head."""
    return "\n".join([head, "[reasons]", *_reasons(known.reasons), *_entries(known.entries)]) + "\n"


def head(path: Path = FILE) -> str:
    """The comment at the head of the file."""
    rows = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(rows[: next(place for place, row in enumerate(rows) if not row.startswith("#"))])


def _reasons(reasons: Mapping[str, str]) -> Iterator[str]:
    return (f"{key} = {_text(sentence)}" for key, sentence in sorted(reasons.items()))


def _entries(entries: Mapping[Place, Known]) -> Iterator[str]:
    for (rewrite, program), known in sorted(entries.items()):
        yield "\n[[difference]]"
        yield f"rewrite = {_text(rewrite)}"
        yield f"fixture = {_text(program)}"
        for key in ("lost", "gained"):
            if found := getattr(known.difference, key):
                yield f"{key} = [{', '.join(map(_text, found))}]"
        yield f"reasons = [{', '.join(map(_text, known.reasons))}]"


def _text(text: str) -> str:
    """A string as TOML writes it, which is as JSON does for all that stands here."""
    return json.dumps(text, ensure_ascii=False)
