"""Every file under ``fixtures/``: found what it states, fixed as the file beside it, and true when torch runs it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from fixture_cases import Case, Expected, all_cases, built_file, session_with
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import BufferStyle, Persistence
from regbuf_lint.rules import RULES
from regbuf_lint.source.text import SourceText, decode_source, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from torch import nn

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileResult

CASES = all_cases()
FAILING = {"RBF102", "RBF106"}
"""Rules about what fails as soon as the object is built or the buffer is used: no checkpoint is older than the fix."""
THIRD_PARTY = {
    "lightning",
    "pytorch_lightning",
    "torchmetrics",
    "transformers",
    "numpy",
    "einops",
    "sympy",
    "tensordict",
}
RAISES = {"RBF102": KeyError, "RBF103": AttributeError, "RBF104": TypeError, "RBF106": TypeError}
"""What torch raises for a file of these rules that states a finding, while it is built or called."""
TESTED_ELSEWHERE = {"RBF900"}  # files that do not parse are no fixtures


def each(cases: Iterable[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases])


def check(case: Case, mode: FixMode = FixMode.NONE, source: SourceText | None = None) -> FileResult:
    result = _checked(case, mode, (source or case.source()).data)
    assert result.errors == ()
    return result


@cache
def _checked(case: Case, mode: FixMode, data: bytes) -> FileResult:
    """Check and fix a text once for all tests; where nothing has a fix, fixing it is checking it."""
    if mode is not FixMode.NONE:
        found = _checked(case, FixMode.NONE, data)
        if not any(finding.fix for finding in found.findings):
            return found
    source, session = decode_source(data, str(case.path)), session_with(case.settings)
    return check_source(source, case.place, case.settings, fix=mode, session=session)


def word(finding: Finding) -> str:
    return finding.fix.applicability.value if finding.fix else "withheld"


def described(findings: Iterable[Finding]) -> list[Expected]:
    return sorted(Expected(finding.span.start.row, finding.code, word(finding)) for finding in findings)


def codes(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings)


def fixed_source(case: Case, mode: FixMode = FixMode.UNSAFE, source: SourceText | None = None) -> SourceText:
    source = source or case.source()
    fixed = check(case, mode, source).fixed
    return source.with_text(fixed.after) if fixed else source


# The fixtures themselves


@each(CASES)
def test_statements_are_well_formed(case: Case) -> None:
    stated = [*case.expected(), *case.todo()]
    assert not (case.is_quiet and stated)
    assert case.fixed_path.exists() is bool(case.expects("safe", "unsafe"))


@each(case for case in CASES if case.expected())
def test_what_is_wrong_can_be_built(case: Case) -> None:
    functions = {node.name for node in ast.parse(case.path.read_bytes()).body if isinstance(node, ast.FunctionDef)}
    assert {"make", "inputs"} <= functions


@pytest.mark.parametrize("code", sorted({rule.meta.code for rule in RULES} - TESTED_ELSEWHERE))
def test_every_rule_has_a_firing_and_a_quiet_fixture(code: str) -> None:
    own = [case for case in CASES if case.code == code]
    assert any(expected.code == code for case in own for expected in case.expected())
    assert any(case.is_quiet for case in own)


@pytest.fixture(scope="module")
def formatted_originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Case, bytes]:
    """What ruff makes of fixtures that have a fixed file; all at once, since it starts longer than it formats."""
    originals = {case: case.source().data for case in CASES if case.fixed_path.exists()}
    return formatted(originals, tmp_path_factory.mktemp("originals"))


@pytest.fixture(scope="module")
def formatted_fixes(tmp_path_factory: pytest.TempPathFactory) -> dict[Case, bytes]:
    fixes = {case: case.fixed_path.read_bytes() for case in CASES if case.fixed_path.exists()}
    return formatted(fixes, tmp_path_factory.mktemp("fixes"))


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
@each(case for case in CASES if case.fixed_path.exists())
def test_what_was_formatted_stays_formatted(
    case: Case, formatted_originals: dict[Case, bytes], formatted_fixes: dict[Case, bytes]
) -> None:
    """The fixed files are laid out by hand; ruff's formatter, which lays out as black does, judges them."""
    if formatted_originals[case] != case.source().data:
        pytest.skip("the original is not formatted")
    assert text(formatted_fixes[case]) == text(case.fixed_path.read_bytes())


STYLES = {
    "nn-buffer": {"buffer_style": BufferStyle.NN_BUFFER},
    "annotated": {"annotate": True, "oldest_python": (3, 10)},
    "nn-buffer-annotated": {"buffer_style": BufferStyle.NN_BUFFER, "annotate": True},
}


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("style", STYLES)
def test_what_was_formatted_stays_formatted_in_other_styles(
    style: str, tmp_path: Path, formatted_originals: dict[Case, bytes]
) -> None:
    fixed = {}
    for case, by_formatter in formatted_originals.items():
        source = case.source()
        if by_formatter == source.data:
            settings = replace(case.settings, **STYLES[style])  # type: ignore[arg-type]
            result = check_source(source, case.place, settings, fix=FixMode.UNSAFE, session=session_with(settings))
            assert result.errors == ()
            fixed[case] = source.with_text(result.fixed.after).data if result.fixed else source.data
    assert sum(data != case.fixed_path.read_bytes() for case, data in fixed.items()) > 20
    again = formatted(fixed, tmp_path)
    assert {case.name: text(again[case]) for case in fixed} == {case.name: text(data) for case, data in fixed.items()}


def formatted(contents: dict[Case, bytes], directory: Path) -> dict[Case, bytes]:
    """What ruff's formatter makes of the contents of files; it leaves alone what it cannot read."""
    paths = {}
    for case, data in contents.items():
        length = case.settings.line_length
        paths[case] = directory / str(length) / f"{case.name}.py"
        paths[case].parent.mkdir(parents=True, exist_ok=True)
        paths[case].write_bytes(data)
    for one in directory.iterdir():
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", f"--line-length={one.name}"]
        subprocess.run([*command, str(one)], check=False, capture_output=True)
    return {case: path.read_bytes() for case, path in paths.items()}


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("text", "expected", "todo"),
    [
        ("self.x = 1  # expect: RBF001 safe", [Expected(1, "RBF001", "safe")], []),
        (
            "  # expect: RBF001 unsafe, RBF101 withheld\nself.x = 1",
            [Expected(2, "RBF001", "unsafe"), Expected(2, "RBF101", "withheld")],
            [],
        ),
        ("\fx = 1\r\ny = 2  # todo: RBF005\r", [], [(2, "RBF005")]),
        ("# nothing is expected here", [], []),
    ],
)
def test_statements_are_read(text: str, expected: list[Expected], todo: list[tuple[int, str]], tmp_path: Path) -> None:
    case = Case(tmp_path / "case.py")
    case.path.write_bytes(text.encode())
    assert (case.expected(), case.todo()) == (expected, todo)


@pytest.mark.parametrize(
    "text", ["# expect: RBF001", "# Expect RBF001 safe", "# expect: RBF001 safe, really", "# todo"]
)
def test_a_statement_with_a_slip_is_refused(text: str, tmp_path: Path) -> None:
    case = Case(tmp_path / "case.py")
    case.path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="no statement of a finding"):
        case.expected()


# Findings and fixes


@each(CASES)
def test_findings_are_those_that_the_file_states(case: Case) -> None:
    assert described(check(case).findings) == case.expected()


@each(case for case in CASES if case.todo())
def test_a_todo_that_is_found_is_no_todo(case: Case) -> None:
    found = {(expected.row, expected.code) for expected in described(check(case).findings)}
    passed = found.intersection(case.todo())
    assert not passed, f"found by now: write `expect` instead of `todo`: {sorted(passed)}"


@each(CASES)
def test_fixed_text_is_the_file_beside_it(case: Case) -> None:
    beside = case.fixed_path if case.fixed_path.exists() else case.path
    assert fixed_source(case).data == beside.read_bytes()


@each(CASES)
def test_safe_fixes_alone(case: Case) -> None:
    result = check(case, FixMode.SAFE)
    applied = result.fixed.applied if result.fixed else ()
    assert {word(finding) for finding in applied} <= {"safe"}
    assert codes(applied) == case.expects("safe")
    assert "safe" not in {word(finding) for finding in result.findings}
    ast.parse(fixed_source(case, FixMode.SAFE).data)


@each(CASES)
def test_safe_fixes_give_checkpoints_no_key_that_nobody_asked_for(case: Case) -> None:
    asked = case.settings.persistent is Persistence.ALWAYS or case.settings.per_attribute_persistent
    found = [one for one in check(case).findings if one.rule.code not in FAILING]
    safe = [one.fix for one in found if one.fix and word(one) == "safe"]
    assert asked or not any(fix.adds for fix in safe)


@each(CASES)
def test_fixed_text_parses_and_leaves_what_was_withheld(case: Case) -> None:
    fixed = fixed_source(case)
    ast.parse(fixed.data)
    left = check(case, source=fixed).findings
    assert {word(finding) for finding in left} <= {"withheld", "display"}
    assert codes(left) == case.expects("withheld", "display")


@each(CASES)
def test_fixing_twice_changes_nothing(case: Case) -> None:
    fixed = fixed_source(case)
    assert fixed_source(case, source=fixed).data == fixed.data


@each(case for case in CASES if case.expects("safe", "unsafe"))
def test_rows_that_no_edit_touches_stay(case: Case) -> None:
    fixes = [finding.fix for finding in check(case).findings if finding.fix]
    touched = {row for fix in fixes for edit in fix.edits for row in range(edit.span.start.row, edit.span.end.row + 1)}
    original = case.source()
    kept = [original.line(row) for row in range(1, original.rows + 1) if row not in touched]
    assert is_subsequence(kept, in_=rows(fixed_source(case)))


def rows(source: SourceText) -> Iterator[str]:
    return (source.line(row) for row in range(1, source.rows + 1))


def is_subsequence(part: Iterable[str], *, in_: Iterator[str]) -> bool:
    return all(row in in_ for row in part)


# With torch


class Built:
    """The nn.Module that ``make()`` of a file returns, and what it gives for ``inputs()``."""

    def __init__(self, file: Any) -> None:
        torch = pytest.importorskip("torch")
        from regbuf_lint.verify import audit  # noqa: PLC0415  imports torch

        torch.manual_seed(0)
        self.module: nn.Module = file.make()
        self.stragglers = audit(self.module)
        self.saved = set(self.module.state_dict())
        self.buffers = dict(self.module.named_buffers(remove_duplicate=False))
        self.call: Callable[[], Any] = lambda: self.module(*file.inputs())

    def output(self) -> Any:
        torch = pytest.importorskip("torch")
        torch.manual_seed(1)
        return self.call()


def build(case: Case, directory: Path, *, fixed: bool) -> Built:
    if case.project and case.path.name != "main.py":
        pytest.skip("nothing to build")
    try:
        with built_file(case, directory, fixed=fixed) as file:
            if not hasattr(file, "make"):
                pytest.skip("nothing to build")
            return Built(file)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in THIRD_PARTY:
            raise
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.torch
@each(case for case in CASES if case.is_quiet or case.code not in RAISES)
def test_original_runs(case: Case, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    built = build(case, tmp_path / "original", fixed=False)
    built.output()
    if case.expects("withheld", "display")["RBF001"]:
        assert any(one.kind == "tensor" for one in built.stragglers)
    if case.code == "RBF002" and not case.is_quiet:
        containers = {(one.path.partition("[")[0]) for one in built.stragglers if one.path.endswith("]")}
        assert len(containers) == case.expects("unsafe", "display", "withheld")["RBF002"] + len(case.todo())


@pytest.mark.torch
@each(case for case in CASES if case.fixed_path.exists() and case.code in RAISES)
def test_fixed_file_runs_and_has_the_buffer(case: Case, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    fixed = build(case, tmp_path / "fixed", fixed=True)
    fixed.output()
    added = {key for finding in check(case).findings if finding.fix for key in finding.fix.adds}
    assert fixed.buffers
    assert fixed.saved == added


def test_the_fixed_file_is_read_from_its_place() -> None:
    """Guard against a harness that compares a file with itself."""
    pairs = [case for case in CASES if case.fixed_path.exists()]
    assert pairs
    for case in pairs:
        assert read_source(case.fixed_path).data != case.source().data
