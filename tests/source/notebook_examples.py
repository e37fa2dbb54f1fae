"""Notebooks as they lie on the disk, in the styles in which tools write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MARKDOWN = "# Über *Netze*\n\nself.x = torch.ones(3)"


@dataclass(frozen=True)
class Style:
    """How a tool writes notebooks."""

    indent: int | None = 1
    ascii: bool = False
    as_list: bool = True
    crlf: bool = False
    end: str = "\n"
    bom: bool = False


JUPYTER = Style()
STYLES = {
    "jupyter": JUPYTER,
    "colab": Style(indent=2, ascii=True, end=""),
    "compact": Style(indent=None, end=""),
    "strings": Style(as_list=False),
    "escaped strings": Style(as_list=False, ascii=True, indent=4),
    "windows": Style(crlf=True, bom=True),
}


def code(source: str | list[str], **members: object) -> dict[str, Any]:
    """Return a code cell with an output that looks like code."""
    output = {"name": "stdout", "output_type": "stream", "text": ["self.y = torch.ones(3)\n", "é"]}
    cell = {"cell_type": "code", "execution_count": 3, "metadata": {"tags": ["ä"]}, "outputs": [output]}
    return {**cell, "source": source, **members}


def notebook(*sources: str | dict[str, Any], style: Style = JUPYTER, metadata: dict[str, Any] | None = None) -> bytes:
    """Return a notebook with a cell of text first, so that the first source is in cell 2."""
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": MARKDOWN}]
    cells += [code(source) if isinstance(source, str) else source for source in sources]
    if style.as_list:
        cells = [_with_list(cell) for cell in cells]
    whole = {"cells": cells, "metadata": metadata or {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(whole, indent=style.indent, ensure_ascii=style.ascii) + style.end
    data = text.replace("\n", "\r\n" if style.crlf else "\n").encode()
    return b"\xef\xbb\xbf" + data if style.bom else data


def _with_list(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell["source"]
    return {**cell, "source": source.splitlines(keepends=True)} if isinstance(source, str) else cell


def loaded(data: bytes) -> dict[str, Any]:
    """Return a notebook with each cell's source as one string, so that nothing but its value is compared."""
    whole: dict[str, Any] = json.loads(data.decode("utf-8-sig"))
    for cell in whole["cells"]:
        cell["source"] = "".join(cell["source"])
    return whole
