"""Baselines: what is listed, what is left out, what is stale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from regbuf_lint.engine.baseline import Baseline
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rules.plain_tensor_attribute import META as RBF001
from regbuf_lint.rules.syntax_error import META as RBF900
from regbuf_lint.source.errors import SettingsError

CODES = {"RBF001"}


def finding(attribute: str | None = "m", class_name: str = "M", row: int = 3, message: str = "stays behind") -> Finding:
    span = Span(Position(row, 9), Position(row, 15))
    return Finding(RBF001, message, span, span, class_name=class_name, attribute=attribute)


def file_of(*findings: Finding, path: str = "src/a.py") -> FileResult:
    return FileResult(path, findings)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    for name in ("a.py", "b.py"):
        Path("src", name).touch()
    return tmp_path


def written(*files: FileResult, path: str = "base.json") -> Baseline:
    """A baseline as it is after a write and a read."""
    Path(path).write_text(Baseline.of(Path(path), RunResult(files)).text())
    return Baseline.read(Path(path))


def test_what_is_listed_is_left_out_wherever_it_stands() -> None:
    baseline = written(file_of(finding(row=3)))
    moved = finding(row=90, message="stays behind, as line 91 shows")
    assert baseline.without_known(file_of(moved)).findings == ()


@pytest.mark.parametrize(
    "other",
    [
        finding("k"),
        finding(class_name="N"),
        replace(finding(), rule=RBF900),
        finding(None, message="another"),
    ],
)
def test_anything_else_stays(other: Finding) -> None:
    baseline = written(file_of(finding()))
    assert baseline.without_known(file_of(finding(), other)).findings == (other,)
    assert baseline.without_known(file_of(finding(), path="src/b.py")).findings == (finding(),)


def test_more_of_a_kind_than_listed_are_new() -> None:
    baseline = written(file_of(finding(row=3), finding(row=5)))
    assert baseline.without_known(file_of(finding(row=1), finding(row=2), finding(row=9))).findings == (finding(row=9),)


def test_each_file_is_looked_at_anew() -> None:
    baseline = written(file_of(finding()))
    assert baseline.without_known(file_of(finding())).findings == ()
    assert baseline.without_known(file_of(finding())).findings == ()


def test_findings_without_attribute_are_told_apart_by_their_message_without_rows() -> None:
    baseline = written(file_of(finding(None, message="see line 3")))
    assert baseline.without_known(file_of(finding(None, message="see line 8"))).findings == ()


def test_the_directory_of_the_baseline_counts_not_that_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    written(file_of(finding()))
    monkeypatch.chdir("src")
    assert Baseline.read(Path("../base.json")).without_known(file_of(finding(), path="a.py")).findings == ()


def test_syntax_errors_are_not_listed() -> None:
    broken = replace(finding(), rule=RBF900)
    baseline = written(file_of(broken))
    assert baseline.total == 0
    assert baseline.without_known(file_of(broken)).findings == (broken,)


def test_the_file_is_the_same_for_the_same_findings_and_has_a_line_for_each() -> None:
    first = Baseline.of(Path("base.json"), RunResult((file_of(finding("b"), finding("a")), file_of(path="src/b.py"))))
    second = Baseline.of(Path("base.json"), RunResult((file_of(finding("a", row=9), finding("b", row=2)),)))
    assert first.text() == second.text()
    document = json.loads(first.text())
    assert document["version"] == 1
    assert document["findings"][0] == {"file": "src/a.py", "code": "RBF001", "class": "M", "about": "a", "count": 1}
    assert sum(line.startswith("    {") for line in first.text().splitlines()) == 2
    assert json.loads(Baseline.of(Path("x"), RunResult(())).text())["findings"] == []


def stale(baseline: Baseline, *files: FileResult, codes: set[str] | None = None) -> list[str]:
    ran = CODES if codes is None else codes
    return [str(one) for one in baseline.stale(files, {file.path: ran for file in files}, ran)]


def test_entries_that_are_found_no_more_are_stale() -> None:
    baseline = written(file_of(finding("m"), finding("k")))
    assert stale(baseline, file_of(finding("k"))) == ["src/a.py: RBF001 M.m"]
    assert stale(baseline, file_of(finding("k"), finding("m"))) == []


def test_fewer_than_listed_are_stale() -> None:
    baseline = written(file_of(finding(), finding()))
    assert stale(baseline, file_of(finding())) == ["src/a.py: RBF001 M.m"]


def test_nothing_is_stale_of_what_was_not_looked_at() -> None:
    baseline = written(file_of(finding()))
    assert stale(baseline, file_of(path="src/b.py")) == []
    assert stale(baseline, file_of(), codes={"RBF101"}) == []


def test_each_file_has_rules_of_its_own() -> None:
    baseline = written(file_of(finding()), file_of(finding(), path="src/b.py"))
    ran: dict[str, set[str]] = {"src/a.py": {"RBF101"}, "src/b.py": {"RBF001"}}
    found = baseline.stale([file_of(path=path) for path in ran], ran, {"RBF001", "RBF101"})
    assert [one.file for one in found] == ["src/b.py"]
    assert stale(baseline, FileResult("src/a.py", errors=(FileError("src/a.py", "unreadable"),))) == []
    assert stale(baseline, file_of(replace(finding(), rule=RBF900))) == []


def test_entries_of_files_that_are_gone_are_stale() -> None:
    baseline = written(file_of(finding()))
    Path("src/a.py").unlink()
    assert stale(baseline) == ["src/a.py: RBF001 M.m"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{"file": "a.py"}]}', "\xff",
     '{"version": 1, "findings": [{"file": 1, "code": "RBF001", "class": "", "about": "m", "count": 1}]}'],
)  # fmt: skip
def test_other_files_are_refused(text: str) -> None:
    Path("other.json").write_text(text, encoding="latin-1")
    with pytest.raises(SettingsError, match=r"^other\.json: not a baseline of version 1$"):
        Baseline.read(Path("other.json"))


def test_a_missing_file_says_how_it_is_made() -> None:
    with pytest.raises(SettingsError, match=r"no such file; `--write-baseline none\.json` makes it"):
        Baseline.read(Path("none.json"))
