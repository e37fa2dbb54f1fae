"""Type checkers report no more of a fixed file than before, and TorchScript compiles what it did."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from fixture_cases import Case, all_cases, imported_file, session_with
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASES = [case for case in all_cases() if not case.project and case.fixed_path.exists()]
SETTINGS = """\
[mypy]
check_untyped_defs = true
ignore_missing_imports = true

[mypy-{skipped}]
follow_imports = skip
"""
SKIPPED = ("transformers.models", "torch._dynamo", "torch._inductor")
"""Half of what mypy would read, of which no fixture has anything."""
_ERROR = re.compile(r"^(?P<folder>before|after)[/\\](?P<name>\w+)\.py:\d+: error: ")

GETS_ERRORS = {
    "RBF001/annotate/fields": "an annotation of a dataclass is an argument of its constructor",
    "RBF001/post_init_dataclass": "an annotation of a dataclass is an argument of its constructor",
    "RBF001/annotate/scripted_optional": "TorchScript would ask for a check wherever the attribute is read",
    "RBF001/annotate/scripted_postponed": "TorchScript does not understand postponed annotations",
    "RBF001/argument_from_callers": "the argument is annotated as a number, too, which no buffer is",
    "RBF001/computed_anew": "the value is annotated as a number, too, which no buffer is",
    "RBF001/mixin": "the class that calls register_buffer has no base that has it",
    "RBF105/changed_buffers": "mypy takes the other buffer for a Tensor or a Module, and the call refuses that",
    "RBF105/second_name": "mypy takes the other buffer for a Tensor or a Module, and the call refuses that",
    "RBF002/numbered_doubts": "the class that calls register_buffer has no base that has it",
}
"""Fixed files of which mypy reports more than of the original, and why no annotation helps."""


def annotated(case: Case) -> bytes:
    """The file with every fix, where fixes annotate."""
    settings = replace(case.settings, annotate=True)
    result = check_source(case.source(), case.place, settings, fix=FixMode.UNSAFE, session=session_with(settings))
    assert result.fixed is not None
    return case.source().with_text(result.fixed.after).data


def module_of(case: Case) -> str:
    return re.sub(r"\W", "_", case.name)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(find_spec("mypy") is None or find_spec("torch") is None, reason="needs mypy and torch")
def test_mypy_reports_no_more_than_before(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    for case in CASES:
        (tmp_path / "before" / f"{module_of(case)}.py").write_bytes(case.source().data)
        (tmp_path / "after" / f"{module_of(case)}.py").write_bytes(annotated(case))
    found = errors(tmp_path)
    before, after = found["before"], found["after"]
    assert sum(before.values()) > sum(after.values()) > 0
    worse = {case.name for case in CASES if after[module_of(case)] > before[module_of(case)]}
    assert worse == GETS_ERRORS.keys()


@pytest.mark.torch
def test_no_fixture_imports_what_mypy_skips() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    homes = {home_of(*imported) for case in CASES for imported in imports(case)}
    assert "torch.nn" in homes
    assert "transformers.modeling_utils" in homes
    assert not any(f"{home}.".startswith(f"{name}.") for home in homes for name in SKIPPED)


def imports(case: Case) -> Iterator[tuple[str, str]]:
    """The modules that a file imports of packages of which mypy skips a part, each with a name or none."""
    packages = {name.partition(".")[0] for name in SKIPPED}
    for node in ast.walk(ast.parse(case.source().text)):
        if isinstance(node, ast.Import):
            found = [(one.name, "") for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [(node.module or "", one.name) for one in node.names]
        else:
            continue
        yield from (one for one in found if one[0].partition(".")[0] in packages)


def home_of(module: str, name: str) -> str:
    """Where something is defined, which packages import from all over themselves."""
    value = getattr(import_module(module), name) if name else import_module(module)
    return str(getattr(value, "__module__", None) or getattr(value, "__name__", module))


def errors(directory: Path) -> dict[str, Counter[str]]:
    """How many errors mypy reports of each file of two folders; it looks into functions without annotations, too.

    Both folders are one run, since mypy takes longer for torch than for all of them.
    """
    settings = directory / "mypy.ini"
    settings.write_text(SETTINGS.format(skipped=",".join(f"{name}.*" for name in SKIPPED)), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", f"--config-file={settings}", f"--cache-dir={os.devnull}"]
    run = subprocess.run([*command, "before", "after"], cwd=directory, capture_output=True, text=True, check=False)
    found: dict[str, Counter[str]] = {"before": Counter(), "after": Counter()}
    for match in filter(None, map(_ERROR.match, run.stdout.splitlines())):
        found[match["folder"]][match["name"]] += 1
    return found


@pytest.mark.torch
@pytest.mark.parametrize(
    "case", [pytest.param(one, id=one.name) for one in CASES if b"def scripted(" in one.source().data]
)
def test_torchscript_compiles_the_fixed_class(case: Case, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    (tmp_path / "before" / case.path.name).write_bytes(case.source().data)
    (tmp_path / "after" / case.path.name).write_bytes(annotated(case))
    with imported_file(tmp_path / "before" / case.path.name, tmp_path / "before") as original:
        expected = original.scripted()(*original.inputs())
    with imported_file(tmp_path / "after" / case.path.name, tmp_path / "after") as fixed:
        assert torch.equal(fixed.scripted()(*fixed.inputs()), expected)
