"""Every output format against a golden file.

A golden file is read against the description of its format before it is committed. Running this file writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from report_examples import DOCS, EMPTY, EVERYTHING

from regbuf_lint import __version__
from regbuf_lint.report.registry import FORMATS, TEXT_FORMATS, render

GOLDEN = Path(__file__).resolve().parent / "golden"
_SUFFIXES = {
    "json": "json",
    "json-lines": "jsonl",
    "sarif": "sarif",
    "gitlab": "json",
    "junit": "xml",
    "rdjson": "json",
}
_VERSION = "VERSION"


def golden_file(output_format: str) -> Path:
    return GOLDEN / f"{output_format}.{_SUFFIXES.get(output_format, 'txt')}"


def rendered(output_format: str) -> str:
    return render(EVERYTHING, output_format, docs=lambda: DOCS).replace(f'"{__version__}"', f'"{_VERSION}"')


@pytest.mark.parametrize("output_format", FORMATS)
def test_golden(output_format: str) -> None:
    assert rendered(output_format) == golden_file(output_format).read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_format() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {golden_file(one).name for one in FORMATS}


@pytest.mark.parametrize("output_format", sorted(set(FORMATS) - TEXT_FORMATS))
def test_only_formats_for_people_are_coloured(output_format: str) -> None:
    assert render(EVERYTHING, output_format, color=True) == render(EVERYTHING, output_format)


@pytest.mark.parametrize("output_format", FORMATS)
def test_nothing_found_names_no_file(output_format: str) -> None:
    assert "a.py" not in render(EMPTY, output_format)


if __name__ == "__main__":
    for one in FORMATS:
        golden_file(one).write_text(rendered(one), encoding="utf-8")
