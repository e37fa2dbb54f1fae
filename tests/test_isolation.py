"""The linter reads code: it never runs it, never imports torch, opens no network and starts no other program.

The installed command runs with an audit hook in every Python process that it starts. What the hook saw is compared
with what is allowed; a control shows that the hook would see each forbidden deed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

AUDIT = """
import atexit, builtins, json, os, sys

fd = os.open(os.environ["AUDIT_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
ONLY_AST = 0x400
WATCHED = ("socket.", "subprocess.", "urllib.", "http.", "ftplib.", "smtplib.", "os.system", "os.exec", "os.spawn",
           "os.posix_spawn", "os.startfile", "os.fork", "pty.")


def log(event, detail):
    os.write(fd, (json.dumps([event, detail]) + "\\n").encode())


def hook(event, arguments):
    if event == "import":
        log(event, arguments[0])
    elif event == "exec":
        log(event, arguments[0].co_filename)
    elif event == "socket.__new__" and arguments[1] == 1:
        pass  # AF_UNIX: how processes of one pool talk
    elif event.startswith(WATCHED):
        log(event, repr(arguments[:2])[:200])


real_compile = builtins.compile


def compile_and_log(source, *arguments, **options):
    flags = options.get("flags", arguments[2] if len(arguments) > 2 else 0)
    if not flags & ONLY_AST and "PLANTED" in (source.decode("latin-1") if isinstance(source, bytes) else str(source)):
        log("compile", "planted source")
    return real_compile(source, *arguments, **options)


builtins.compile = compile_and_log
sys.addaudithook(hook)
atexit.register(lambda: log("modules", sorted(name for name in sys.modules if "." not in name)))
log("start", os.getpid())
"""

TRACE = "import pathlib; pathlib.Path(__file__).with_name('TRACE').touch()  # PLANTED\n"

FINDING = f"""\
{TRACE}
import torch
from torch import nn
from base import Base


class Model(Base):
    def __init__(self, n):
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))

    def forward(self, x):
        return x * self.mask
"""

BASE = f"{TRACE}\nfrom torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"

QUIET = f"""\
{TRACE}
import torch
from torch import nn


class Quiet(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.register_buffer("mask", torch.ones(n))
"""


@dataclass(frozen=True)
class Run:
    """One run of a command under the audit."""

    returncode: int
    stdout: str
    stderr: str
    log: list[tuple[str, object]]

    def events(self, name: str) -> list[object]:
        return [detail for event, detail in self.log if event == name]

    @property
    def imported(self) -> set[str]:
        return {str(name).partition(".")[0] for name in self.events("import")}

    @property
    def loaded(self) -> set[str]:
        return {name for modules in self.events("modules") if isinstance(modules, list) for name in modules}

    @property
    def deeds(self) -> list[tuple[str, object]]:
        """What no linter should do, whatever it reads."""
        return [entry for entry in self.log if entry[0] not in {"start", "modules", "import", "exec", "os.fork"}]


@dataclass(frozen=True)
class Sandbox:
    """A project whose every file leaves a trace when it runs, and a place for the hook beside it."""

    project: Path
    hooks: Path

    def run(self, *command: str) -> Run:
        log = self.hooks / "log"
        log.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(self.hooks), "AUDIT_LOG": str(log)}
        environment.pop("PYTHONSAFEPATH", None)
        result = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        entries = [tuple(json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]
        return Run(result.returncode, result.stdout, result.stderr, entries)

    def lint(self, *arguments: str) -> Run:
        command = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
        assert command is not None, "install the project first"
        return self.run(command, *arguments)

    def assert_nothing_ran(self, run: Run) -> None:
        assert run.events("start"), "the hook was not there"
        assert run.deeds == []
        assert [name for name in run.events("exec") if str(self.project) in str(name)] == []
        assert run.imported.isdisjoint({"torch", "base", "model", "quiet", "numpy"})
        assert list(self.project.rglob("TRACE")) == []


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    project, hooks = tmp_path / "project", tmp_path / "hooks"
    project.mkdir()
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(AUDIT, encoding="utf-8")
    (project / "model.py").write_text(FINDING, encoding="utf-8")
    (project / "base.py").write_text(BASE, encoding="utf-8")
    (project / "quiet.py").write_text(QUIET, encoding="utf-8")
    # Names that a careless tool would import from the directory that it is run in.
    for name in ("libcst", "msgspec", "pathspec", "rich", "tomli", "conftest", "setup"):
        (project / f"{name}.py").write_text(TRACE, encoding="utf-8")
    return Sandbox(project, hooks)


def test_lint_runs_nothing_and_leaves_nothing(sandbox: Sandbox) -> None:
    before = {path: path.read_bytes() for path in sandbox.project.rglob("*")}
    run = sandbox.lint("--output-format", "json", ".")
    assert run.returncode == 1, run.stderr
    assert [finding["filename"] for finding in json.loads(run.stdout)] == ["model.py"]
    sandbox.assert_nothing_ran(run)
    assert "torch" not in run.loaded
    assert {path: path.read_bytes() for path in sandbox.project.rglob("*")} == before


def test_fix_runs_nothing(sandbox: Sandbox) -> None:
    run = sandbox.lint("--fix", "--unsafe-fixes", ".")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "register_buffer" in (sandbox.project / "model.py").read_text(encoding="utf-8")
    sandbox.assert_nothing_ran(run)
    assert "torch" not in run.loaded


def test_workers_run_nothing(sandbox: Sandbox) -> None:
    filler = "# a comment that makes the file worth a worker\n" * 500
    for number in range(40):
        (sandbox.project / f"copy_{number}.py").write_text(FINDING + filler, encoding="utf-8")
    run = sandbox.lint("-j", "2", "--output-format", "json", ".")
    assert run.returncode == 1, run.stderr
    assert len(json.loads(run.stdout)) == 41
    assert len(run.events("start")) + len(run.events("os.fork")) > 2, "no workers were started"
    sandbox.assert_nothing_ran(run)


def test_libcst_is_not_loaded_where_nothing_is_found(sandbox: Sandbox) -> None:
    run = sandbox.lint("quiet.py", "base.py")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.loaded.isdisjoint({"libcst", "rich", "torch"})
    sandbox.assert_nothing_ran(run)


@pytest.mark.parametrize("output_format", ["full", "concise"])
@pytest.mark.parametrize("choice", ["always", "never"])
def test_rich_is_not_needed_for_colour(sandbox: Sandbox, choice: str, output_format: str) -> None:
    run = sandbox.lint("--color", choice, "--output-format", output_format, ".")
    assert run.returncode == 1, run.stderr
    assert ("\x1b[" in run.stdout) is (choice == "always")
    assert "rich" not in run.loaded
    sandbox.assert_nothing_ran(run)


def test_flake8_plugin_runs_nothing(sandbox: Sandbox) -> None:
    command = shutil.which("flake8", path=sysconfig.get_path("scripts"))
    if command is None:
        pytest.skip("flake8 is not installed")
    run = sandbox.run(command, "--select=RBF", "-j1", ".")
    assert [line.split()[1] for line in run.stdout.splitlines()] == ["RBF001"], run.stderr
    sandbox.assert_nothing_ran(run)


@pytest.mark.parametrize(
    ("deed", "event"),
    [
        ("import socket; socket.socket()", "socket.__new__"),
        ("import socket; socket.getaddrinfo('127.0.0.1', 80)", "socket.getaddrinfo"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', ''])", "subprocess.Popen"),
        ("import os; os.system('true')", "os.system"),
        ("compile('x = 1  # PLANTED', 'name', 'exec')", "compile"),
        ("exec(b'x = 1  # PLANTED')", "exec"),
    ],
)
def test_the_hook_sees_deeds(sandbox: Sandbox, deed: str, event: str) -> None:
    run = sandbox.run(sys.executable, "-c", deed)
    assert run.events(event)


def test_the_hook_sees_imports_and_what_they_run(sandbox: Sandbox) -> None:
    run = sandbox.run(sys.executable, "-c", "import libcst")
    assert "libcst" in run.imported & run.loaded
    with pytest.raises(AssertionError):
        sandbox.assert_nothing_ran(run)


def test_parsing_alone_is_allowed(sandbox: Sandbox) -> None:
    run = sandbox.run(sys.executable, "-c", "import ast; ast.parse('PLANTED = 1')")
    sandbox.assert_nothing_ran(run)
