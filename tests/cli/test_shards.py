"""A run in parts: each machine reads its own, and the parts give what one run gives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.cli.shards import Shard
from small_files import PLAIN_TENSOR_AND_LOST_BUFFER

Capture = pytest.CaptureFixture[str]
NAMES = [
    "a.py",
    "a-b.py",
    "a/x.py",
    "a/y z.py",
    "a b/ü.py",
    "lib/c.py",
    "lib/d.py",
    *(f"many/{n}.py" for n in range(20)),
]
PATHS = ["many", ".", "gone/z.py", "gone.py", "a/x.py", "../elsewhere"]
FORMATS = ("json", "json-lines", "sarif")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Findings of several rules, tables, notebooks, files that cannot be read, do not parse, or lie elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir("here")
    for number, name in enumerate(NAMES):
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            PLAIN_TENSOR_AND_LOST_BUFFER
            if number % 3
            else PLAIN_TENSOR_AND_LOST_BUFFER.replace("self.m = torch.ones(3)", "pass"),
            encoding="utf-8",
        )
    Path("lib/regbuf-lint.toml").write_text("ignore = ['RBF106']\n")
    Path("broken.py").write_text("import torch\nclass M(torch.nn.Module:\n")
    Path("many/bytes.py").write_bytes(b"x = '\xff'\n")
    Path("nb.ipynb").write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": PLAIN_TENSOR_AND_LOST_BUFFER}], "nbformat": 4})
    )
    Path("../elsewhere").mkdir()
    Path("../elsewhere/e.py").write_text(PLAIN_TENSOR_AND_LOST_BUFFER)
    return tmp_path


def parts(total: int, output_format: str, *paths: str, capsys: Capture) -> list[str]:
    """The reports of all parts, each in a file."""
    names = []
    for number in range(1, total + 1):
        names.append(f"../part-{number}")
        code = main(
            [f"--shard={number}/{total}", "--output-format", f"{output_format}:{names[-1]},concise", "-q", *paths]
        )
        assert code in {0, 1, 2}
        capsys.readouterr()
    return names


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("total", [1, 2, 5, 40])
def test_parts_merge_to_what_one_run_gives(total: int, output_format: str, capsys: Capture) -> None:
    whole_code = main(["--output-format", output_format, *PATHS])
    whole = capsys.readouterr().out
    assert whole.count("RBF106") > 10
    assert whole.count("no such file or directory") == 2
    names = parts(total, output_format, *PATHS, capsys=capsys)
    assert main(["merge", *reversed(names)]) == whole_code == 2
    assert capsys.readouterr() == (whole, "")
    assert main(["merge", "-o", "../all", *names]) == 2
    assert Path("../all").read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize(("paths", "code"), [(["many/1.py", "many/2.py"], 1), (["many/0.py", "lib/d.py"], 0)])
def test_the_exit_code_is_that_of_one_run(paths: list[str], code: int, output_format: str, capsys: Capture) -> None:
    paths = [name for name in paths if code or "pass" in Path(name).read_text()]
    Path("pyproject.toml").write_text("[tool.regbuf-lint]\nignore = ['RBF106']\n")
    names = parts(3, output_format, *paths, capsys=capsys)
    assert main(["--output-format", output_format, *paths]) == code
    assert main(["merge", *names]) == code
    assert main(["merge", "--exit-zero", *names]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("output_format", FORMATS)
def test_parts_that_are_missing_or_too_many_are_said(output_format: str, capsys: Capture) -> None:
    def told(*names: str) -> str:
        assert main(["merge", *names]) == 2
        output, error = capsys.readouterr()
        assert output == ""
        return error.removeprefix("regbuf-lint: error: merge: ").rstrip()

    first, second, third = parts(3, output_format, ".", capsys=capsys)
    assert told(first, third) == "shard 2/3 is missing"
    Path("../copy").write_bytes(Path(first).read_bytes())
    assert told(first, second, third, "../copy") == "../part-1 and ../copy are both shard 1/3"
    main(["--output-format", f"{output_format}:../whole", "."])
    capsys.readouterr()
    assert told(first, second, third, "../whole") == "../part-1 is shard 1/3, and ../whole is no shard"
    Path("../broken").write_text(Path(first).read_text(encoding="utf-8").replace('"1/3"', '"one/3"'), encoding="utf-8")
    assert told("../broken", second, third).startswith("../broken: this is no report")


def test_the_split_is_the_same_wherever_the_project_lies(tmp_path: Path, capsys: Capture) -> None:
    Path("pyproject.toml").write_text("[tool.regbuf-lint]\n")
    copies = [tmp_path / "one" / "here", tmp_path / "two" / "longer"]
    for copy in copies:
        shutil.copytree(".", copy)

    def files(copy: Path, number: int, *, inside: bool) -> list[str]:
        os.chdir(copy if inside else "/")
        main(["--show-files", f"--shard={number}/3", "." if inside else str(copy)])
        return [os.path.relpath(name, "." if inside else copy) for name in capsys.readouterr().out.splitlines()]

    for number in (1, 2, 3):
        here, *others = [files(copy, number, inside=inside) for copy in copies for inside in (True, False)]
        assert len(here) > 2
        assert all(other == here for other in others)


def test_each_file_is_in_one_part_whatever_else_there_is(capsys: Capture) -> None:
    def files(number: int, *paths: str) -> list[str]:
        main(["--show-files", f"--shard={number}/3", *paths])
        return capsys.readouterr().out.splitlines()

    every = [files(number, ".") for number in (1, 2, 3)]
    main(["--show-files", "."])
    assert sorted(name for part in every for name in part) == sorted(capsys.readouterr().out.splitlines())
    assert all(len(part) > 2 for part in every)
    assert [files(number, "many") for number in (1, 2, 3)] == [
        [name for name in part if name.startswith("many/")] for part in every
    ]


def test_the_split_is_the_same_on_every_machine() -> None:
    """Fixed by the paths alone: neither the seed of hashes nor times nor sizes have a say."""
    expected = {"a.py": 2, "lib/c.py": 3, "many/0.py": 3, "many/19.py": 1, "a b/ü.py": 3}
    program = (
        "from regbuf_lint.cli.shards import Shard; import sys;"
        "print([next(i for i in (1, 2, 3) if Shard(i, 3).holds(name)) for name in sys.argv[1:]])"
    )
    for seed in ("0", "1"):
        command = [sys.executable, "-c", program, *expected]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(list(expected.values()))


def test_shards_are_about_equal() -> None:
    sizes = [sum(Shard(number, 4).holds(f"pkg/file_{one}.py") for one in range(4000)) for number in (1, 2, 3, 4)]
    assert sum(sizes) == 4000
    assert min(sizes) > 900


@pytest.mark.parametrize("value", ["0/3", "4/3", "1", "1/0", "a/b", "-1/2", "1/2/3", ""])
def test_what_is_no_shard(value: str, capsys: Capture) -> None:
    assert main([f"--shard={value}", "."]) == 2
    assert capsys.readouterr().err == (
        f"regbuf-lint: error: argument --shard: expected I/N with I from 1 to N, not `{value}`\n"
    )


@pytest.mark.parametrize("other", ["--fix", "--fix-only", "--diff", "--watch", "--add-noqa", "--write-baseline=x"])
def test_what_needs_all_files_is_refused(other: str, capsys: Capture) -> None:
    assert main(["--shard=1/2", other, "."]) == 2
    assert "cannot be combined with --" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["[]\n", ""], "the parts are not all in the same format"),
        (["[]\n", "x\n"], "../1: this is no report of the format json, json-lines or sarif"),
        (["[1]\n"], "../0: this is no report of the format json, json-lines or sarif"),
        (["{\n}"], "../0: this is no report of the format json, json-lines or sarif"),
        ([], "merge needs the reports of the shards"),
        (None, "../gone: No such file or directory"),
    ],
)
def test_what_cannot_be_merged(texts: list[str] | None, message: str, capsys: Capture) -> None:
    names = [f"../{number}" for number in range(len(texts or []))] if texts is not None else ["../gone"]
    for name, text in zip(names, texts or [], strict=False):
        Path(name).write_text(text)
    assert main(["merge", *names]) == 2
    assert message.lower() in capsys.readouterr().err.lower()


def test_a_part_counts_once(capsys: Capture) -> None:
    Path("../part").write_text("[]\n")
    assert main(["merge", "../part", "../part"]) == 2
    assert "merge: ../part is named twice" in capsys.readouterr().err
