"""Which reports are written where: what ``--output-format`` and ``--output-file`` take."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.report.registry import DEFAULT_FORMAT, FORMATS, TEXT_FORMATS
from regbuf_lint.source.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_FILE_OPTION = "--output-file"
_OF_SOURCES = (".py", ".pyi", ".pyw", ".ipynb")


class Output(Struct, frozen=True):
    """One report.

    Attributes:
        output_format: one of ``FORMATS``.
        file: where it goes; None for standard output.
        option: the option that has named the file.
    """

    output_format: str
    file: str | None = None
    option: str = "--output-format"

    @property
    def is_text(self) -> bool:
        """Whether people read it."""
        return self.output_format in TEXT_FORMATS


DEFAULT_OUTPUTS = (Output(DEFAULT_FORMAT),)


def parse_outputs(text: str) -> tuple[Output, ...]:
    """Read ``FORMAT`` or ``FORMAT:FILE``, several with commas between them.

    Raises:
        ValueError: a format is unknown, a file has no name, or two reports would go to one place.
    """
    outputs = tuple(map(_output, text.split(",")))
    files = [one.file for one in outputs]
    for file in files:
        if files.count(file) > 1:
            where = "standard output" if file is None else f"`{file}`"
            msg = f"two reports would go to {where}: name a file for one of them, as in `sarif:FILE,full`"
            raise ValueError(msg)
    return outputs


def _output(text: str) -> Output:
    name, colon, file = text.strip().partition(":")
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or f"; there are {', '.join(FORMATS)}"
        msg = f"unknown format `{name}`{hint}"
        raise ValueError(msg)
    if colon and not file:
        msg = f"`{text.strip()}` names no file"
        raise ValueError(msg)
    return Output(name, file or None)


def with_output_file(outputs: Sequence[Output], file: str) -> tuple[Output, ...]:
    """Return outputs, the one for standard output into a file instead.

    Raises:
        UsageError: none is for standard output.
    """
    if all(one.file is not None for one in outputs):
        msg = f"{_FILE_OPTION}: --output-format names a file for every report already"
        raise UsageError(msg)
    return tuple(one if one.file is not None else Output(one.output_format, file, _FILE_OPTION) for one in outputs)


def refuse_source(option: str, file: str, read: Iterable[str]) -> None:
    """Refuse to write a file that holds source code.

    Args:
        option: the option that names the file.
        file: the file.
        read: files that are read as source code, whatever their names are.

    Raises:
        UsageError: it is there, and holds source code.
    """
    real = os.path.realpath(file)
    is_source = real.endswith(_OF_SOURCES) or real in map(os.path.realpath, read)
    if is_source and os.path.isfile(real):  # noqa: PTH113  Path's own raises where it may not look
        msg = f"{option}: {file} holds source code, which is not overwritten"
        raise UsageError(msg)
