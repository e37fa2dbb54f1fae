"""Findings that a code base has already: written to a file once, and left out of reports from then on.

An entry names file, code, class and attribute, and how many findings of that kind there are, but no line: code may
move. A syntax error has no entry, since nothing else is found in its file.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from regbuf_lint.model.identity import identity
from regbuf_lint.rules.syntax_error import META as SYNTAX_ERROR
from regbuf_lint.source.errors import SettingsError, os_error_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileResult, RunResult

_VERSION = 1
_WORDS = ("file", "code", "class", "about")


class Entry(NamedTuple):
    """What findings of one kind have in common.

    Attributes:
        file: path relative to the directory of the baseline, with ``/`` between its parts.
        code: the rule.
        class_name: class of the finding; empty where it names none.
        about: its attribute; of a finding that names none its message, without rows.
    """

    file: str
    code: str
    class_name: str
    about: str

    def __str__(self) -> str:
        owner = f"{self.class_name}.{self.about}" if self.class_name else self.about
        return f"{self.file}: {self.code} {owner}"


class Baseline:
    """The findings that a file lists.

    Args:
        path: the file; entries name files relative to its directory.
        counts: how many findings there are of each kind.
    """

    def __init__(self, path: Path, counts: Counter[Entry]) -> None:
        self.path = path
        self._counts = counts

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Return what a file lists.

        Raises:
            SettingsError: it cannot be read, or is no baseline.
        """
        import json  # noqa: PLC0415  start-up time

        try:
            return cls(path, _counts(json.loads(path.read_bytes())))
        except FileNotFoundError:
            msg = f"{path.as_posix()}: no such file; `--write-baseline {path.as_posix()}` makes it"
        except OSError as error:
            msg = f"{path.as_posix()}: {os_error_text(error)}"
        except (ValueError, KeyError, TypeError, AttributeError):
            msg = f"{path.as_posix()}: not a baseline of version {_VERSION}"
        raise SettingsError(msg)

    @classmethod
    def of(cls, path: Path, result: RunResult) -> Baseline:
        """Return what a file at ``path`` has to list for all findings of a run."""
        return cls(path, Counter(entry for file in result.files for _, entry in _entries(file, path)))

    @property
    def total(self) -> int:
        """The number of findings."""
        return self._counts.total()

    def text(self) -> str:
        """Return the content of the file: JSON, one line for each entry, so that versions are easily compared."""
        import json  # noqa: PLC0415  start-up time

        rows = [
            json.dumps({**dict(zip(_WORDS, entry, strict=True)), "count": number})
            for entry, number in sorted(self._counts.items())
        ]
        listed = ",".join(f"\n    {row}" for row in rows)
        return f'{{\n  "version": {_VERSION},\n  "findings": [{listed}\n  ]\n}}\n'

    def without_known(self, file: FileResult) -> FileResult:
        """Return a result without the findings that are listed; where there are more of a kind, the last ones stay."""
        left = self._counts.copy()
        new: list[Finding] = []
        known = {id(finding): entry for finding, entry in _entries(file, self.path)}
        for finding in file.findings:
            entry = known.get(id(finding))
            if entry is not None and left[entry]:
                left[entry] -= 1
            else:
                new.append(finding)
        return file if len(new) == len(file.findings) else replace(file, findings=tuple(new))

    def stale(
        self, files: Iterable[FileResult], ran: Mapping[str, Collection[str]], everywhere: Collection[str]
    ) -> list[Entry]:
        """Return entries of which a run has found fewer than are listed.

        Args:
            files: what the run found, what is listed included.
            ran: the rules that ran, by the path of each file.
            everywhere: the rules that ran in any file.
        """
        checked: dict[str, bool] = {}
        codes: dict[str, Collection[str]] = {}
        found: Counter[Entry] = Counter()
        for file in files:
            broken = file.errors or any(one.code == SYNTAX_ERROR.code for one in file.findings)
            name = _relative(file.path, self.path)
            checked[name], codes[name] = not broken, ran[file.path]
            found.update(entry for _, entry in _entries(file, self.path))
        return sorted(
            entry
            for entry, number in self._counts.items()
            if entry.code in codes.get(entry.file, everywhere)
            and found[entry] < number
            and checked.get(entry.file, self._is_gone(entry))
        )

    def _is_gone(self, entry: Entry) -> bool:
        return not (self.path.parent / entry.file).exists()


def _counts(document: Any) -> Counter[Entry]:
    """The entries of a document.

    Raises:
        ValueError, KeyError, TypeError: it is no baseline.
    """
    if document["version"] != _VERSION:
        raise ValueError
    counts: Counter[Entry] = Counter()
    for one in document["findings"]:
        words = [one[word] for word in _WORDS]
        if not all(isinstance(word, str) for word in words) or not isinstance(one["count"], int):
            raise TypeError
        counts[Entry(*words)] += one["count"]
    return counts


def _entries(file: FileResult, baseline: Path) -> Iterator[tuple[Finding, Entry]]:
    path = _relative(file.path, baseline)
    for finding in file.findings:
        if finding.code != SYNTAX_ERROR.code:
            yield finding, Entry(path, *identity(finding))


def _relative(path: str, baseline: Path) -> str:
    """Return the path of a file as a baseline names it."""
    start = os.path.realpath(baseline.parent)
    try:
        return os.path.relpath(os.path.realpath(path), start).replace(os.sep, "/")
    except ValueError:  # another drive
        return os.path.realpath(path).replace(os.sep, "/")
