"""What is published: wheel and sdist are built, installed and used without the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from regbuf_lint import __version__
from small_files import PLAIN_TENSOR

ROOT = Path(__file__).resolve().parent.parent
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")

pytestmark = pytest.mark.slow


def new_environment(directory: Path) -> str:
    venv.EnvBuilder(symlinks=True, with_pip=True).create(directory)
    return str(directory / "bin" / "python")


def run(*command: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command that sees nothing of the repository."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sdist, the wheel, and in ``again`` the wheel that the sdist gives."""
    directory = tmp_path_factory.mktemp("built")
    python = new_environment(directory / "builder")
    run(python, *PIP, "install", "hatchling", "hatch-fancy-pypi-readme", cwd=directory)
    run(python, "-m", "hatchling", "build", "-d", str(directory), cwd=ROOT)
    (sdist,) = directory.glob("*.tar.gz")
    run(python, *PIP, "wheel", "--no-deps", "--wheel-dir", str(directory / "again"), str(sdist), cwd=directory)
    return directory


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of commands of an environment with the wheel and its completion."""
    directory = tmp_path_factory.mktemp("installed")
    python = new_environment(directory)
    run(python, *PIP, "install", f"{wheel}[completion]", cwd=directory)
    return Path(python).parent


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_sdist_gives_the_same_wheel(built: Path, wheel: Path) -> None:
    (again,) = (built / "again").glob("*.whl")
    assert again.name == wheel.name == f"regbuf_lint-{__version__}-py3-none-any.whl"
    assert contents(again) == contents(wheel)


def test_the_sdist_has_what_tests_and_documentation_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "tests/test_packaging.py", "docs/rules/RBF001.md"} <= names


def test_the_wheel_has_all_files_of_the_package(wheel: Path) -> None:
    package = ROOT / "src"
    expected = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in contents(wheel) if ".dist-info/" not in name} == expected
    assert "regbuf_lint/py.typed" in expected


def test_metadata(wheel: Path) -> None:
    (name,) = (name for name in contents(wheel) if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(contents(wheel)[name])
    assert metadata["Version"] == __version__
    assert metadata["Author"]
    labels = {url.partition(",")[0] for url in metadata.get_all("Project-URL", [])}
    assert labels == {"Documentation", "Repository", "Issues", "Changelog"}
    readme = metadata.get_payload()
    assert isinstance(readme, str)
    links = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert len(links) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_the_installed_commands_work_anywhere(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(PLAIN_TENSOR, encoding="utf-8")
    lint = str(installed / "regbuf-lint")
    version = run(lint, "--version", cwd=tmp_path).stdout
    python = ".".join(map(str, sys.version_info[:3]))
    assert re.fullmatch(
        rf"regbuf-lint {__version__} \(Python {python}, libcst \d+\.\d+\S*, JSON schema \d+\)\n", version
    )
    found = run(lint, "--no-cache", "--output-format", "concise", ".", cwd=tmp_path, check=False)
    assert found.returncode == 1
    assert found.stdout.startswith("model.py:8:9: RBF001 [*] ")
    assert run(lint, "--no-cache", "--fix", ".", cwd=tmp_path).returncode == 0
    assert 'self.register_buffer("m", torch.ones(3), persistent=False)' in (tmp_path / "model.py").read_text()
    assert run(str(installed / "regbuf-verify"), "--version", cwd=tmp_path).stdout.startswith("regbuf-verify ")
    assert run(lint, "generate-shell-completion", "zsh", cwd=tmp_path).stdout.startswith("#compdef regbuf-lint")


def test_pages_of_rules_need_no_network(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "offline.py").write_text(
        "import sys\n"
        "sys.addaudithook(lambda event, _: sys.exit(event) if event.startswith('socket.') else None)\n"
        "from regbuf_lint.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n",
        encoding="utf-8",
    )
    python = str(installed / "python")
    for code in ("RBF001", "RBF106"):
        page = run(python, "offline.py", "--explain", code, cwd=tmp_path).stdout
        assert page == (ROOT / "docs" / "rules" / f"{code}.md").read_text(encoding="utf-8")
