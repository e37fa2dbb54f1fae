"""Make the edits that the linter reports in its JSON output, with nothing else to go by than that output.

Whoever reads the output (an editor, a review bot) has to come to the text that ``--fix`` writes.
"""

from __future__ import annotations

import re
from io import BytesIO
from tokenize import detect_encoding
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_ROUNDS = 10
ROW_END = re.compile(r"\r\n|\r|\n")


class Edit(NamedTuple):
    """Replace what stands between two offsets."""

    start: int
    end: int
    content: str


class Text:
    """The text of a file, with the places of its rows."""

    def __init__(self, data: bytes) -> None:
        self.encoding = detect_encoding(BytesIO(data).readline)[0]
        self.text = data.decode(self.encoding)
        self._rows = [0, *(match.end() for match in ROW_END.finditer(self.text))]

    def edits(self, finding: dict[str, Any]) -> list[Edit]:
        """The edits of a finding's fix."""
        return [
            Edit(self._offset(edit["location"]), self._offset(edit["end_location"]), edit["content"])
            for edit in finding["fix"]["edits"]
        ]

    def _offset(self, location: dict[str, int]) -> int:
        return self._rows[location["row"] - 1] + location["column"] - 1

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """The file after some edits; what goes to one place stands there in the order given."""
        contents: dict[tuple[int, int], list[str]] = {}
        for edit in dict.fromkeys(edits):
            contents.setdefault((edit.start, edit.end), []).append(edit.content)
        text = self.text
        for start, end in sorted(contents, reverse=True):
            text = f"{text[:start]}{self._joined(contents[start, end])}{text[end:]}"
        return text.encode(self.encoding)

    def _joined(self, contents: list[str]) -> str:
        """Several insertions share the empty line behind them."""
        newline = next(iter(ROW_END.findall(self.text)), "\n")
        if all(one.endswith(newline * 2) for one in contents):
            return "".join(one.removesuffix(newline) for one in contents) + newline
        return "".join(contents)


def overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot be made together."""
    if one[:2] == other[:2]:
        return one != other and one.start < one.end
    return one.start < other.end and other.start < one.end


def after_one_round(data: bytes, findings: list[dict[str, Any]], applicabilities: set[str]) -> bytes:
    """The file after all edits that can be made together, the first finding first."""
    text = Text(data)
    made: list[Edit] = []
    for finding in findings:
        if finding["fix"] is None or finding["fix"]["applicability"] not in applicabilities:
            continue
        edits = text.edits(finding)
        if not any(overlap(edit, other) for edit in edits for other in made):
            made.extend(edits)
    return text.edited(made) if made else data


def after_all_rounds(
    files: dict[str, bytes],
    check: Callable[[dict[str, bytes]], list[dict[str, Any]]],
    applicabilities: set[str],
) -> dict[str, bytes]:
    """Files after the reported edits, again and again until none is reported.

    Args:
        files: contents by path.
        check: puts contents in their places and gives the findings.
        applicabilities: which fixes are made.
    """
    for _ in range(MOST_ROUNDS):
        found: dict[str, list[dict[str, Any]]] = {}
        for finding in check(files):
            found.setdefault(finding["filename"], []).append(finding)
        after = {path: after_one_round(data, found.get(path, []), applicabilities) for path, data in files.items()}
        if after == files:
            break
        files = after
    return files
