"""What projects say of the releases of torch and Python that they run with."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.source.declared_versions import (
    declaring_directory,
    oldest_python,
    runs_only_before_torch,
    runs_with_older_torch,
)
from regbuf_lint.source.directory_files import DirectoryFiles
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.settings import load_settings


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def project_at(directory: Path) -> Path | None:
    return declaring_directory(directory, DirectoryFiles())


def told(**files: str) -> str | None:
    for name, text in files.items():
        Path(name.replace("__", ".").replace("_", "-")).write_text(text, encoding="utf-8")
    return runs_with_older_torch(project_at(Path()), "2.5")


def project(*dependencies: str, **extras: str) -> str:
    listed = "".join(f"{name} = ['{requirement}']\n" for name, requirement in extras.items())
    return f"[project]\ndependencies = {list(dependencies)}\n[project.optional-dependencies]\n{listed}"


@pytest.mark.parametrize(
    ("requirement", "lowest"),
    [
        ("torch>=2.0", "2.0"),
        ("Torch >= 1.13, < 3", "1.13"),
        ("torch~=2.4", "2.4"),
        ("torch==2.3.1", "2.3"),
        ("torch==2.4.*", "2.4"),
        ("torch[opt]>=2.1; python_version >= '3.9'".replace("'", '"'), "2.1"),
        ("torch>2.4.1", "2.4"),
        ("torch==2.2.0+cu121", "2.2"),
    ],
)
def test_the_oldest_release_that_is_named_counts(requirement: str, lowest: str) -> None:
    assert (
        told(pyproject__toml=project("numpy", requirement)) == f"pyproject.toml allows torch {lowest} (`{requirement}`)"
    )


@pytest.mark.parametrize("requirement", ["torch<2.5", "torch<=2.4.1", "torch<2.4,!=2.3"])
def test_only_older_releases(requirement: str) -> None:
    assert told(pyproject__toml=project(requirement)) == f"pyproject.toml excludes it (`{requirement}`)"


@pytest.mark.parametrize(
    "requirement",
    [
        "torch",
        "torch<3",
        "torch<2.5.1",
        "torch<=2.5",
        "torch>=2.5",
        "torch>=2.10",
        "torch==2.5.*",
        "torch>=2.0,>=2.6",
        "torchvision>=0.1",
        "torch-geometric>=2.0",
        "torch @ https://example.org/torch.whl",
        "torch>=oops",
    ],
)
def test_no_older_release(requirement: str) -> None:
    assert told(pyproject__toml=project(requirement)) is None


def test_extras_count_where_the_dependencies_name_no_release() -> None:
    assert told(pyproject__toml=project("torch", gpu="torch>=2.1")) == "pyproject.toml allows torch 2.1 (`torch>=2.1`)"
    assert told(pyproject__toml=project("torch>=2.5", gpu="torch>=2.1")) is None
    assert told(pyproject__toml=project(gpu="torch>=2.6")) is None


@pytest.mark.parametrize(
    ("dependency", "lowest"),
    [
        ('"^2.0"', "2.0"),
        ('"~2.4"', "2.4"),
        ('"2.3"', "2.3"),
        ('"2.4.*"', "2.4"),
        ('">=2.0,<3.0"', "2.0"),
        ('">=2.0 <3.0"', "2.0"),
        ('"^2.6 || ^2.1"', "2.1"),
        ('{version = "^2.2", optional = true}', "2.2"),
        ('[{version = "^2.6", python = ">3.9"}, {version = "2.3", python = "<3.9"}]', "2.3"),
        ('"^2.5"', None),
        ('"*"', None),
        ('{git = "https://example.org"}', None),
    ],
)
def test_poetry(dependency: str, lowest: str | None) -> None:
    for table in ("dependencies", "dev-dependencies", "group.gpu.dependencies"):
        found = told(pyproject__toml=f"[tool.poetry.{table}]\ntorch = {dependency}\n")
        assert found is None if lowest is None else found is not None and f" allows torch {lowest} (" in found


def test_setup_cfg_and_requirements() -> None:
    assert told(setup__cfg="[options]\ninstall_requires =\n    numpy\n    torch>=1.8\n") is not None
    assert told(setup__cfg="[options.extras_require]\ngpu =\n    torch>=1.8\n") is not None
    assert told(setup__cfg="[options]\ninstall_requires =\n    torch>=2.5\n") is None
    assert told(requirements_gpu__txt="-r other.txt\n# torch==1\ntorch>=2.6  # torch==1\n") is None
    found = told(requirements__txt="--index-url x\ntorch==2.3.0 --hash=sha256:0 \\\n  --hash=sha256:1\n")
    assert found == "requirements.txt allows torch 2.3 (`torch==2.3.0`)"


def test_nearest_directory_with_any_file_counts(root: Path) -> None:
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / "requirements.txt").write_text("torch==1.0\n")
    assert runs_with_older_torch(project_at(inner), "2.5") is not None
    (root / "a" / "setup.cfg").write_text("[options]\n")
    assert runs_with_older_torch(project_at(inner), "2.5") is None
    (root / "a" / "setup.cfg").unlink()
    (root / "a" / ".git").mkdir()
    assert runs_with_older_torch(project_at(inner), "2.5") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", "project = 1\n[tool]\npoetry = 2\n"),
        ("pyproject.toml", "[project]\ndependencies = 'torch'\n"),
        ("setup.cfg", "oops\n"),
        ("setup.cfg", "[options]\ninstall_requires = %(torch)s\n"),
    ],
)
def test_broken_files_say_nothing(name: str, text: str) -> None:
    Path(name).write_text(text)
    assert runs_with_older_torch(project_at(Path()), "2.5") is None
    assert oldest_python(project_at(Path())) is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", "[project]\nrequires-python = '>=3.10'\n", (3, 10)),
        ("pyproject.toml", "[project]\nrequires-python = '>=3.9,<4'\n", (3, 9)),
        ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3.11'\n", (3, 11)),
        ("pyproject.toml", "[project]\nname = 'x'\n", None),
        ("setup.cfg", "[options]\npython_requires = >=3.8\n", (3, 8)),
        ("pyproject.toml", "[project]\nrequires-python = 'x'\n", None),
    ],
)
def test_oldest_python(name: str, text: str, expected: tuple[int, int] | None) -> None:
    Path(name).write_text(text)
    assert oldest_python(project_at(Path())) == expected


MESSAGE = "buffer-style `nn-buffer`: `nn.Buffer` needs torch 2.5, and pyproject.toml allows torch 2.0 (`torch>=2.0`)"


def test_a_style_that_the_project_cannot_run_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "pyproject.toml").write_text(project("torch>=2.0"))
    (root / "a.py").write_text("x = 1\n")
    assert main(["--buffer-style", "nn-buffer", "a.py"]) == 2
    assert capsys.readouterr().err.strip().endswith(MESSAGE)
    assert main(["--isolated", "--buffer-style", "nn-buffer", "a.py"]) == 0
    assert main(["--buffer-style", "register-buffer", "a.py"]) == 0
    (root / "pyproject.toml").write_text(project("torch>=2.5"))
    assert main(["--buffer-style", "nn-buffer", "a.py"]) == 0
    (root / "pyproject.toml").write_text(project("torch>=2.0") + "[tool.regbuf-lint]\nbuffer-style = 'nn-buffer'\n")
    with pytest.raises(SettingsError):
        load_settings(root, None, isolated=False, overrides={})


REGISTERS = """\
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
"""


def test_the_rule_that_prefers_it_has_no_fix_then(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "norm.py").write_text(REGISTERS)
    for dependency, fixed in [("torch>=2.0", False), ("torch>=2.5", True)]:
        (root / "pyproject.toml").write_text(project(dependency))
        assert main(["--select", "RBF2", "--fix", "norm.py"]) == (0 if fixed else 1)
        assert ("nn.Buffer(torch.zeros(3))" in (root / "norm.py").read_text()) is fixed
        withheld = "fix withheld: `nn.Buffer` needs torch 2.5, and pyproject.toml allows torch 2.0 (`torch>=2.0`)"
        assert (withheld in capsys.readouterr().out) is not fixed


def test_oldest_python_of_a_script() -> None:
    Path("requirements.txt").write_text("torch\n")
    Path("setup.py").write_text("from setuptools import setup\n\nsetup(name='x', python_requires='>=3.8, <4')\n")
    assert oldest_python(project_at(Path())) == (3, 8)


def test_settings_know_the_oldest_python(root: Path) -> None:
    (root / "pyproject.toml").write_text("[project]\nrequires-python = '>=3.9'\n")
    assert load_settings(root, None, isolated=False, overrides={}).oldest_python == (3, 9)
    assert load_settings(root, None, isolated=True, overrides={}).oldest_python is None


def only_before(**files: str) -> str | None:
    told(**files)
    return runs_only_before_torch(project_at(Path()), "1.6")


@pytest.mark.parametrize(
    "requirement", ["torch==1.4.0", "torch<1.6", "torch>=1.1,<=1.5", "torch~=1.5.1", "Torch == 1.5.*", "torch===1.2"]
)
def test_a_pin_or_an_upper_end_leaves_older_releases_alone(requirement: str) -> None:
    told = f"requirements.txt excludes it (`{requirement}`)"
    assert only_before(requirements__txt=f"numpy\n{requirement}  # old\n") == told
    assert only_before(requirements__txt="numpy\n", pyproject__toml=project(requirement)) == told.replace(
        "requirements.txt", "pyproject.toml"
    )


@pytest.mark.parametrize(
    "requirement",
    ["torch", "torch>=1.1", "torch~=1.4", "torch==1.6.0", "torch<1.7", "torch<=1.6", "torch==2.0", "torchvision==0.5"],
)
def test_what_allows_a_newer_release_too(requirement: str) -> None:
    assert only_before(requirements__txt=f"{requirement}\n") is None


def test_poetry_and_setup_cfg_pin_too() -> None:
    assert only_before(pyproject__toml='[tool.poetry.dependencies]\ntorch = "1.4.0"\n') is not None
    Path("pyproject.toml").unlink()
    assert only_before(setup__cfg="[options]\ninstall_requires =\n    torch==1.3.1\n") is not None


def test_fixes_for_an_older_torch_leave_the_argument_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("requirements.txt").write_text("torch==1.4.0\n")
    Path("net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.x = torch.ones(3)\n\n"
        "    def forward(self, y):\n        return y * self.x\n"
    )
    assert main(["--no-cache", "--fix", "net.py"]) == 1
    assert "`persistent=False` came with torch 1.6, and requirements.txt excludes it" in capsys.readouterr().out
    assert main(["--no-cache", "--fix", "--persistent", "never", "net.py"]) == 1
    assert "self.x = torch.ones(3)" in Path("net.py").read_text()
    assert main(["--no-cache", "--fix", "--unsafe-fixes", "net.py"]) == 0
    assert 'self.register_buffer("x", torch.ones(3))\n' in Path("net.py").read_text()
