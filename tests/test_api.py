"""What the package offers to programs."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import regbuf_lint
from regbuf_lint import api

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
MODULE = """\
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = torch.ones(3)
        self.w = torch.ones(3, requires_grad=True)

    def forward(self, x):
        return x + self.m, x * self.w
"""


def codes(result: regbuf_lint.FileResult | regbuf_lint.RunResult) -> list[str]:
    return [finding.code for finding in result.findings]


def test_importing_the_package_loads_next_to_nothing() -> None:
    code = (
        "import sys; import regbuf_lint; regbuf_lint.__version__\n"
        "heavy = ('libcst', 'ast', 'json', 'dataclasses', 'msgspec')\n"
        "print([m for m in sys.modules if m.startswith('regbuf_lint.') or m in heavy])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_checking_loads_neither_torch_nor_libcst() -> None:
    code = (
        "import sys; import regbuf_lint; regbuf_lint.check_source('x = 1', isolated=True)\n"
        "print([m for m in ('libcst', 'torch', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_are_the_same_everywhere() -> None:
    assert regbuf_lint.__all__ == api.__all__
    assert set(regbuf_lint.__all__) <= set(dir(regbuf_lint))
    for name in regbuf_lint.__all__:
        assert getattr(regbuf_lint, name) is getattr(api, name)
        assert f"`{name}" in PAGE
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = regbuf_lint.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["check_source", "check_paths", "explain_source", "fix_source", "to_records"])
def test_functions_have_types_and_docstrings(name: str) -> None:
    function = getattr(regbuf_lint, name)
    assert inspect.getdoc(function)
    names = vars(api) | {"Mapping": dict, "Iterable": list, "PathLike": list, "Any": object, "Settings": object}
    hints = get_type_hints(function, names)
    assert set(hints) == {*inspect.signature(function).parameters, "return"}


def test_check_source() -> None:
    result = regbuf_lint.check_source(MODULE, isolated=True)
    assert codes(result) == ["RBF001", "RBF005"]
    assert (result.path, result.errors) == ("<string>", ())
    assert codes(regbuf_lint.check_source(MODULE.encode(), isolated=True)) == ["RBF001", "RBF005"]
    assert codes(regbuf_lint.check_source("x = (", isolated=True)) == ["RBF900"]


def test_options_and_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text('[tool.regbuf-lint]\nignore = ["RBF001"]\n')
    Path("other.toml").write_text('ignore = ["RBF005"]\n')
    assert codes(regbuf_lint.check_source(MODULE, "a.py")) == ["RBF005"]
    assert codes(regbuf_lint.check_source(MODULE, "a.py", config="other.toml")) == ["RBF001"]
    assert codes(regbuf_lint.check_source(MODULE, "a.py", isolated=True)) == ["RBF001", "RBF005"]
    assert codes(regbuf_lint.check_source(MODULE, "a.py", options={"select": ["RBF001"]})) == ["RBF001"]
    wrong: list[dict[str, object]] = [{"select": ["RBF777"]}, {"selct": []}, {"select": "RBF001"}]
    for options in wrong:
        with pytest.raises(regbuf_lint.SettingsError):
            regbuf_lint.check_source(MODULE, options=options)


def test_bytes_that_are_no_text_are_an_error() -> None:
    result = regbuf_lint.check_source(b"x = '\xe9'", "a.py", isolated=True)
    assert [(error.path, error.message[:15]) for error in result.errors] == [("a.py", "not valid UTF-8")]
    fixed = regbuf_lint.fix_source(b"x = '\xe9'", "a.py", isolated=True)
    assert (fixed.data, fixed.applied) == (b"x = '\xe9'", ())
    assert fixed.left.errors == result.errors


def test_fix_source() -> None:
    fixed = regbuf_lint.fix_source(MODULE, isolated=True)
    assert fixed.text == MODULE.replace(
        "self.m = torch.ones(3)", 'self.register_buffer("m", torch.ones(3), persistent=False)'
    )
    assert fixed.data == fixed.text.encode()
    assert [one.attribute for one in fixed.applied] == ["m"]
    assert codes(fixed.left) == ["RBF005"]
    assert codes(regbuf_lint.fix_source(MODULE, unsafe=True, isolated=True).left) == []
    again = regbuf_lint.fix_source(fixed.text, isolated=True)
    assert (again.text, again.applied) == (fixed.text, ())


def test_fixed_bytes_keep_their_encoding() -> None:
    data = b"\xef\xbb\xbf" + MODULE.replace("\n", "\r\n").encode()
    fixed = regbuf_lint.fix_source(data, isolated=True)
    assert fixed.data.startswith(b"\xef\xbb\xbfimport torch\r\n")
    assert fixed.text.startswith("import torch\r\n")
    latin = f"# coding: latin-1\n# é\n{MODULE}"
    assert regbuf_lint.fix_source(latin.encode("latin-1"), isolated=True).data.startswith(
        b"# coding: latin-1\n# \xe9\n"
    )
    assert regbuf_lint.fix_source(latin, isolated=True).text.startswith("# coding: latin-1\n# é\n")


def test_explain_source() -> None:
    (mask,) = regbuf_lint.explain_source(MODULE, "a.py", 8, isolated=True)
    assert (mask.class_name, mask.attribute, [one.by for one in mask.decisions]) == ("M", "m", ["RBF001"])
    assert regbuf_lint.explain_source(MODULE, "a.py", "M.m", isolated=True) == (mask,)
    assert regbuf_lint.explain_source(MODULE, "a.py", 1, isolated=True) == ()
    assert regbuf_lint.explain_source(MODULE, "a.py", "M.none", isolated=True) == ()
    assert regbuf_lint.explain_source("x = (", "a.py", 1, isolated=True) == ()


def test_what_is_excluded_has_no_findings_where_that_is_asked() -> None:
    options: dict[str, object] = {"exclude": ["vendor"]}
    assert codes(regbuf_lint.check_source(MODULE, "vendor/a.py", options=options)) == ["RBF001", "RBF005"]
    options["force-exclude"] = True
    assert codes(regbuf_lint.check_source(MODULE, "vendor/a.py", options=options)) == []


def test_a_checker_remembers_other_files_until_it_is_told_to_forget(tmp_path: Path) -> None:
    base = tmp_path / "base.py"
    base.write_text("class Base: ...\n")
    text = MODULE.replace("nn.Module", "Base").replace("from torch import nn", "from base import Base")
    module = "from torch import nn\n\n\nclass Base(nn.Module): ...\n"
    checker = regbuf_lint.Checker(isolated=True)
    assert codes(checker.check(text, tmp_path / "a.py")) == []
    checker.see({base: module})
    assert codes(checker.check(text, tmp_path / "a.py")) == ["RBF001", "RBF005"]
    assert [one.attribute for one in checker.explain(text, tmp_path / "a.py", 8)] == ["m"]
    checker.see({})
    assert codes(checker.check(text, tmp_path / "a.py")) == []
    base.write_text(module)
    assert codes(checker.check(text, tmp_path / "a.py")) == []
    checker.forget()
    assert codes(checker.fix(text, tmp_path / "a.py").left) == ["RBF005"]
    assert codes(checker.check(text, tmp_path / "a.py")) == ["RBF001", "RBF005"]


def test_a_text_that_was_checked_or_fixed_does_not_count_for_others(tmp_path: Path) -> None:
    text = MODULE.replace("nn.Module", "Base").replace("from torch import nn", "from base import Base")
    checker = regbuf_lint.Checker(isolated=True)
    checker.check("from torch import nn\n\n\nclass Base(nn.Module): ...\n", tmp_path / "base.py")
    assert codes(checker.check(text, tmp_path / "a.py")) == []


def test_notebooks() -> None:
    cell: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    document = {
        "cells": [{**cell, "source": MODULE.splitlines(keepends=True)}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(document)
    result = regbuf_lint.check_source(text, "a.ipynb", isolated=True)
    assert [finding.span.start.cell for finding in result.findings] == [1, 1]
    fixed = regbuf_lint.fix_source(text, "a.ipynb", isolated=True)
    assert fixed.text.encode() == fixed.data
    assert (
        '        self.register_buffer("m", torch.ones(3), persistent=False)\n'
        in (json.loads(fixed.text)["cells"][0]["source"])
    )
    assert regbuf_lint.check_source("{}", "a.ipynb", isolated=True).errors


def test_check_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pkg").mkdir()
    Path("pkg/a.py").write_text(MODULE)
    Path("pkg/b.py").write_text("x = 1\n")
    result = regbuf_lint.check_paths(["pkg", Path("nope.py")], isolated=True)
    assert [file.path for file in result.files] == ["pkg/a.py", "pkg/b.py"]
    assert codes(result) == ["RBF001", "RBF005"]
    assert [error.path for error in result.errors] == ["nope.py"]
    assert not list(tmp_path.glob(".regbuf_cache"))
    assert Path("pkg/a.py").read_text() == MODULE
    assert regbuf_lint.check_paths([], isolated=True).files == ()
    for one in ("pkg", Path("pkg")):
        assert regbuf_lint.check_paths(one, isolated=True).files == result.files


def test_records_fit_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"].endswith(f"?v={regbuf_lint.SCHEMA_VERSION}")
    checker = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    for result in (
        regbuf_lint.check_source(MODULE, isolated=True),
        regbuf_lint.check_paths(["nope.py"], isolated=True),
    ):
        records = regbuf_lint.to_records(result)
        assert records
        assert [error.message for error in checker.iter_errors(records)] == []
    records[0]["extra"] = 1
    assert list(checker.iter_errors(records))


def test_what_excludes_each_other_is_refused(tmp_path: Path) -> None:
    settings = tmp_path / "regbuf-lint.toml"
    settings.touch()
    told = "^`isolated` and `config` exclude each other$"
    with pytest.raises(ValueError, match=told):
        regbuf_lint.check_source("x = 1", config=settings, isolated=True)
    with pytest.raises(ValueError, match=told):
        regbuf_lint.Checker(config=settings, isolated=True)
    with pytest.raises(ValueError, match=told):
        regbuf_lint.check_paths(tmp_path, config=settings, isolated=True)
    for jobs in (0, -1):
        with pytest.raises(ValueError, match=f"^`jobs` must be 1 or more, not {jobs}$"):
            regbuf_lint.check_paths(tmp_path, jobs=jobs)


@pytest.mark.parametrize("source", [None, 3, bytearray(b"x = 1")])
def test_what_is_no_text_is_refused(source: Any) -> None:
    checker = regbuf_lint.Checker(isolated=True)
    for ask in (checker.check, checker.fix, lambda text: checker.explain(text, "a.py", 1)):
        with pytest.raises(TypeError, match=f"^`source` must be str or bytes, not {type(source).__name__}$"):
            ask(source)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"select": ["RBF7"]}, "options: `select`: unknown rule code `RBF7`"),
        ({"line-length": 0}, "options: `line-length` must be a number of columns from 1 to 1000"),
        ({"python": "/nowhere"}, "options: `python`: `/nowhere` is no interpreter or environment with packages"),
    ],
)
def test_a_wrong_option_is_told_as_a_program_gives_it(options: dict[str, object], told: str) -> None:
    with pytest.raises(regbuf_lint.SettingsError) as caught:
        regbuf_lint.check_source("x = 1", options=options, isolated=True)
    assert str(caught.value).partition(";")[0] == told
