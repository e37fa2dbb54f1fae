"""The configuration nearest to each file counts, whatever else is looked at, and whoever asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from regbuf_lint import check_paths, check_source, to_records
from regbuf_lint.cli.main import main
from small_files import PLAIN_TENSOR_AND_LOST_BUFFER

Capture = pytest.CaptureFixture[str]
FILES = ("a.py", "deep/b.py", "lib/c.py", "lib/inner/d.py", "own/e.py", "own/hidden/f.py")
EXPECTED = {
    "a.py": ["RBF106"],
    "deep/b.py": ["RBF106"],
    "lib/c.py": ["RBF001"],
    "lib/inner/d.py": ["RBF001"],
    "own/e.py": ["RBF001", "RBF106"],
    "own/hidden/f.py": [],
}
"""The codes that the configuration nearest to each file lets through."""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path(".git").mkdir()
    write("pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF001"]\n')
    write("lib/pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF106"]\n')
    write("lib/inner/pyproject.toml", "[project]\nname = 'no-table'\n")
    write("own/regbuf-lint.toml", "")
    write("own/hidden/regbuf-lint.toml", "select = ['RBF2']\n")
    write("own/hidden/.regbuf-lint.toml", "select = ['RBF101']\n")
    write("own/hidden/pyproject.toml", "[tool.regbuf-lint]\n")
    for name in FILES:
        write(name, PLAIN_TENSOR_AND_LOST_BUFFER)
    return tmp_path


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def verdicts(capsys: Capture, *argv: str) -> dict[str, list[str]]:
    """The codes found in each file that has findings."""
    assert main(["--output-format", "json", *argv]) in {0, 1}
    found: dict[str, list[str]] = {}
    for one in json.loads(capsys.readouterr().out):
        found.setdefault(str(one["filename"]), []).append(str(one["code"]))
    return found


def with_findings(*names: str) -> dict[str, list[str]]:
    return {name: EXPECTED[name] for name in names if EXPECTED[name]}


def test_each_file_has_the_nearest_table(capsys: Capture) -> None:
    assert verdicts(capsys, ".") == with_findings(*FILES)
    assert list(verdicts(capsys, ".")) == [name for name in FILES if EXPECTED[name]], "in the order of the paths"


def test_other_files_that_are_named_change_nothing(capsys: Capture) -> None:
    for number in (1, 2, len(FILES)):
        for names in combinations(FILES, number):
            assert verdicts(capsys, *names) == with_findings(*names), names


@pytest.mark.parametrize("directory", ["lib", "lib/inner", "own", "/"])
def test_the_directory_of_the_run_changes_nothing(
    directory: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(directory)
    paths = [str(project / name) for name in FILES]
    found = verdicts(capsys, *paths)
    assert {Path(name).absolute().relative_to(project).as_posix(): codes for name, codes in found.items()} == (
        with_findings(*FILES)
    )


@pytest.mark.parametrize(
    ("directory", "options", "gone"),
    [
        (".", ["--exclude", "lib/inner"], {"lib/inner/d.py"}),
        (".", ["--extend-exclude", "lib/*.py,own/e.py"], {"lib/c.py", "own/e.py"}),
        ("lib", ["--exclude", "inner/*.py"], {"lib/inner/d.py"}),
        ("lib", ["--exclude", "lib/c.py"], set()),
        (".", ["--per-file-ignores", "lib/*:RBF001"], {"lib/c.py", "lib/inner/d.py"}),
    ],
)
def test_patterns_of_the_command_line_are_relative_to_the_directory_of_the_run(
    directory: str, options: list[str], gone: set[str], project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(directory)
    found = verdicts(capsys, *options, str(project))
    left = {Path(name).absolute().relative_to(project).as_posix() for name in found}
    assert left == {name for name in with_findings(*FILES) if name not in gone}


def test_several_processes_and_the_cache(capsys: Capture) -> None:
    for name in FILES:
        write(name, PLAIN_TENSOR_AND_LOST_BUFFER + "# a comment that makes the file worth a worker\n" * 4000)
    for _ in range(2):
        assert verdicts(capsys, "-j2", "--cache-dir", "kept", ".") == with_findings(*FILES)
    write("own/regbuf-lint.toml", "ignore = ['RBF']\n")
    assert verdicts(capsys, "-j2", "--cache-dir", "kept", ".") == with_findings(*FILES[:4])


def test_caches_lie_beside_their_tables_and_are_removed_together(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    verdicts(capsys, ".")
    places = [Path(name, ".regbuf_cache") for name in (".", "lib", "own", "own/hidden")]
    assert sorted(Path().rglob(".regbuf_cache")) == sorted(places)
    assert verdicts(capsys, ".") == with_findings(*FILES)
    assert main(["clean"]) == 0
    assert list(Path().rglob(".regbuf_cache")) == []


def test_fixes_of_all_settings_are_made_together(capsys: Capture) -> None:
    assert verdicts(capsys, "--fix", ".") == {}
    fixed = {name: 'self.register_buffer("m"' in Path(name).read_text() for name in FILES}
    assert fixed == {name: "RBF001" in codes for name, codes in EXPECTED.items()}
    assert main([".", "--select", "RBF106", "-q"]) == 1
    assert "own/e.py" not in capsys.readouterr().out


def test_a_fix_under_one_table_counts_in_files_under_another(capsys: Capture) -> None:
    for name in ("lib/__init__.py", "own/__init__.py"):
        write(name, "")
    write("lib/base.py", PLAIN_TENSOR_AND_LOST_BUFFER.replace("class M", "class Base"))
    write("own/regbuf-lint.toml", "select = ['RBF105']\nunfixable = ['RBF105']\n")
    own = "    def __init__(self):\n        super().__init__()\n        self.again = self.m\n"
    own += "\n    def forward(self, x):\n        return x + self.again\n"
    write("own/derived.py", f"from lib.base import Base\n\n\nclass Derived(Base):\n{own}")
    names = ["lib/base.py", "own/derived.py"]
    assert verdicts(capsys, *names) == {"lib/base.py": ["RBF001"]}
    assert verdicts(capsys, "--fix", "--unsafe-fixes", *names) == {"own/derived.py": ["RBF105"]}


def test_standard_input_and_why(capsys: Capture) -> None:
    for name, codes in EXPECTED.items():
        command = [sys.executable, "-m", "regbuf_lint", "--output-format", "json", "--stdin-filename", name, "-"]
        done = subprocess.run(command, input=PLAIN_TENSOR_AND_LOST_BUFFER, capture_output=True, text=True, check=False)
        assert [one["code"] for one in json.loads(done.stdout)] == codes
    write("lib/pyproject.toml", '[tool.regbuf-lint]\nignore-attributes = ["m"]\n')
    for name in ("own/e.py", "lib/c.py"):
        assert main(["--why", f"{name}::M.m"]) == 0
        assert ("ignore-attributes" in capsys.readouterr().out) is (name == "lib/c.py")


def test_the_python_api() -> None:
    found: dict[str, list[str]] = {}
    for one in to_records(check_paths(["."])):
        found.setdefault(one["filename"], []).append(one["code"])
    assert found == with_findings(*FILES)
    for name, codes in EXPECTED.items():
        assert [one.code for one in check_source(PLAIN_TENSOR_AND_LOST_BUFFER, name).findings] == codes


def test_flake8_says_the_same(capsys: Capture) -> None:
    pytest.importorskip("flake8.main")
    for names in ((".",), FILES, FILES[2:3], (str(Path("lib").absolute()), "a.py")):
        command = [sys.executable, "-m", "flake8", "--select=RBF", "--isolated", *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        found: dict[str, list[str]] = {}
        for line in done.stdout.splitlines():
            path = Path(line.partition(":")[0]).absolute().relative_to(Path.cwd()).as_posix()
            found.setdefault(path, []).append(line.split()[1])
        assert found == verdicts(capsys, *names), done.stderr


def test_a_broken_table_is_an_error_where_it_counts(capsys: Capture) -> None:
    write("lib/pyproject.toml", "[tool.regbuf-lint]\nselct = []\n")
    assert main(["lib/c.py"]) == 2
    assert capsys.readouterr().err.startswith("regbuf-lint: error: lib/pyproject.toml: unknown key `selct`")
    assert verdicts(capsys, "a.py", "own") == with_findings("a.py", *FILES[4:])


def test_excludes_are_those_of_the_directory_s_own_table(capsys: Capture) -> None:
    write("pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF001"]\nextend-exclude = ["e.py", "deep", "lib/c.py"]\n')
    write("lib/pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF106"]\nexclude = ["/inner"]\n')
    assert verdicts(capsys, ".") == with_findings("a.py", "lib/c.py", "own/e.py")
    write("pyproject.toml", '[tool.regbuf-lint]\nignore = ["RBF001"]\nextend-exclude = ["lib"]\n')
    assert verdicts(capsys, ".") == with_findings("a.py", "deep/b.py", "own/e.py")


def test_one_file_for_all_and_none_for_all(capsys: Capture) -> None:
    assert set(map(tuple, verdicts(capsys, "--config", "lib/pyproject.toml", ".").values())) == {("RBF001",)}
    assert list(verdicts(capsys, "--isolated", ".").values()) == [["RBF001", "RBF106"]] * len(FILES)


def test_style_of_fixes_is_that_of_the_nearest_project(capsys: Capture) -> None:
    """What else is named made the formatter of the common parent count."""
    write(
        "lib/pyproject.toml", "[tool.regbuf-lint]\n[tool.black]\nskip-string-normalization = true\nline-length = 40\n"
    )
    texts = []
    for names in (["lib/c.py"], ["lib/c.py", "a.py"], ["."]):
        main(["--diff", *names])
        texts.append(capsys.readouterr().out.partition("+++ b/lib/c.py")[2].partition("--- ")[0])
    assert texts[0] == texts[1] == texts[2]
    assert '+        self.register_buffer(\n+            "m",\n' in texts[0]


BASE = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"
DERIVED = PLAIN_TENSOR_AND_LOST_BUFFER.replace("from torch import nn", "from pkg_a.layers import Base").replace(
    "nn.Module", "Base"
)


def test_packages_anywhere_in_the_project_are_found_whatever_is_named(capsys: Capture) -> None:
    for name in ("one/pkg_a/__init__.py", "two/pkg_b/__init__.py"):
        write(name, "")
    write("one/pkg_a/layers.py", BASE)
    write("two/pkg_b/model.py", DERIVED)
    alone = verdicts(capsys, "two/pkg_b/model.py")
    assert alone == {"two/pkg_b/model.py": ["RBF106"]}
    assert verdicts(capsys, "one", "two") == alone
    write("three/pkg_a/__init__.py", "")
    write("three/pkg_a/layers.py", "class Base:\n    pass\n")
    assert verdicts(capsys, "one", "two") == {}, "two packages have the name"
    assert verdicts(capsys, "two/pkg_b/model.py", "one/pkg_a/layers.py") == {}


def test_a_package_that_comes_to_the_project_is_seen_in_spite_of_the_cache(capsys: Capture) -> None:
    write("two/pkg_b/__init__.py", "")
    write("two/pkg_b/model.py", DERIVED)
    cached = ("--cache-dir", "kept", "two")
    for path in Path().rglob("*.py"):
        os.utime(path, (1, 1))
    assert verdicts(capsys, *cached) == {}
    write("one/pkg_a/__init__.py", "")
    write("one/pkg_a/layers.py", BASE)
    assert verdicts(capsys, *cached) == {"two/pkg_b/model.py": ["RBF106"]}
    Path("one/pkg_a/__init__.py").unlink()
    assert verdicts(capsys, *cached) == {}


def test_more_settings_than_a_process_keeps(capsys: Capture) -> None:
    for number in range(7):
        write(f"many/{number}/regbuf-lint.toml", f"select = ['RBF{'001' if number % 2 else '106'}']\n")
        write(f"many/{number}/m.py", PLAIN_TENSOR_AND_LOST_BUFFER)
        write(f"many/{number}/deep/{6 - number}/n.py", PLAIN_TENSOR_AND_LOST_BUFFER)
    found = verdicts(capsys, "many")
    assert len(found) == 14
    assert all(codes == ["RBF001" if int(Path(name).parts[1]) % 2 else "RBF106"] for name, codes in found.items())


def test_where_there_is_no_project_what_lies_above_is_nobody_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / ".git").rmdir()
    write("Makefile", "check:\n\tmypy .\n\tblack -l 40 .\n")
    write("x/a.py", PLAIN_TENSOR_AND_LOST_BUFFER)
    for directory, name in (("x", "a.py"), ("..", str(tmp_path / "x")), (".", str(tmp_path / "x/a.py"))):
        monkeypatch.chdir(tmp_path / directory)
        main(["--diff", name])
        assert '+        self.register_buffer("m", torch.ones(3), persistent=False)' in capsys.readouterr().out


def test_options_of_the_command_line_win(capsys: Capture) -> None:
    assert found(capsys, "a.py", "--extend-select", "RBF001") == ["RBF001", "RBF106"]
    assert found(capsys, "own/hidden/f.py", "--extend-select", "RBF001") == ["RBF001"]
    assert found(capsys, "a.py", "--extend-select", "RBF00") == ["RBF106"], "the longer one counts"
    write("lib/pyproject.toml", '[tool.regbuf-lint]\nextend-select = ["RBF001"]\n')
    assert found(capsys, "lib/c.py", "--ignore", "RBF001") == ["RBF106"]


def found(capsys: Capture, *argv: str) -> list[str]:
    main(["--output-format", "json", "--no-cache", *argv])
    return sorted(one["code"] for one in json.loads(capsys.readouterr().out))
