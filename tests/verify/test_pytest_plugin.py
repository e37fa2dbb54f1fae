"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from regbuf_lint.verify import pytest_plugin
from regbuf_lint.verify.exempted import Exemptions, has_form

FULL = Path("/dev/full")
pytest_plugins = ["pytester"]

IS_INSTALLED = any(one.value == pytest_plugin.__name__ for one in entry_points(group="pytest11"))
LOADING = () if IS_INSTALLED else ("-p", pytest_plugin.__name__)

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.mask = torch.ones(n)
        self.prior = torch.distributions.Normal(torch.zeros(n), 1.0)
        self.parts = [torch.zeros(n)]
        self.register_buffer("table", torch.ones(n))
        self.temporary = torch.ones(n)
        del self.temporary
        self.start = torch.ones(n)
        self.start = nn.Parameter(self.start)
        self.none = torch.ones(n)
        self.none = None
        self.sizes = [n]
        self.other = nn.Linear(n, n)
        helper(self)

    def forward(self, x):
        self.last = x
        self.table = x
        return x * self.mask


class Moving(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.ones(3)

    def _apply(self, fn, recurse=True):
        self.grid = fn(self.grid)
        return super()._apply(fn)


def helper(net):
    net.__dict__
    setattr(net, "bias", torch.zeros(3))
"""
TEST = """
import torch
from net import Moving, Net


def test_net():
    net = Net()
    net(torch.ones(3))
    Moving()
    Net().mine = torch.ones(3)


def test_of_the_tests_own():
    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.x = torch.ones(3)

    Own()
"""
BUILT = [
    ("net.py", "mask", "tensor", 2),
    ("net.py", "prior", "distribution", 2),
    ("net.py", "parts", "container", 2),
    ("net.py", "bias", "tensor", 2),
    ("test_net.py", "x", "tensor", 1),
]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    if find_spec("torch") is None:  # pytester takes modules out again, and torch cannot be imported twice
        pytest.skip("torch is not installed")
    monkeypatch.syspath_prepend(str(pytester.path))
    pytester.makepyfile(net=NET, test_net=TEST)
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_subprocess(*LOADING, *options)


@pytest.mark.torch
def test_lines_are_reported(project: pytest.Pytester) -> None:
    result = run(project, "--regbuf-audit", "--regbuf-audit-json", "lines.json")
    assert result.ret == 0
    lines = read(project.path / "lines.json")
    assert [
        (line["file"], line["attribute"], line["kind"], line["building"]) for line in lines if line["defect"]
    ] == BUILT
    others = [(line["attribute"], line["building"], line["later"], line["moves_itself"]) for line in lines]
    assert [one for one in others if one[0] in {"last", "grid", "mine"}] == [
        ("last", 0, 1, False),
        ("grid", 1, 0, True),
        ("mine", 0, 1, False),
    ]
    assert len(lines) == len(BUILT) + 3
    result.stdout.fnmatch_lines(
        [
            "*regbuf-audit: tensors that nn.Module does not know*",
            "net.py:9: Net.mask: tensor, while it was built (2x)",
            "net.py:24: Net.last: tensor, after it was built (1x)",
            "net.py:32: Moving.grid: tensor, while it was built (1x); the class has its own _apply or to",
            "5 lines stored tensors while a module was built; 3 others may be right",
        ]
    )


def read(path: Path) -> list[dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["schema"] == pytest_plugin.SCHEMA
    lines: list[dict[str, Any]] = data["lines"]
    return lines


@pytest.mark.torch
@pytest.mark.parametrize("option", ["--regbuf-audit", "--regbuf-audit=report"])
def test_a_path_may_stand_behind_the_option(option: str, project: pytest.Pytester) -> None:
    result = run(project, option, "test_net.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["5 lines stored tensors while a module was built; 3 others may be right"])


def test_a_wrong_value_is_a_mistake(pytester: pytest.Pytester) -> None:
    assert run(pytester, "--regbuf-audit=strict").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.torch
def test_error_fails_a_run_that_passed(project: pytest.Pytester) -> None:
    result = run(project, "--regbuf-audit=error")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.torch
def test_error_passes_where_nothing_stays_behind(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_net="import torch\nfrom net import Moving\ndef test():\n    Moving().later = torch.ones(3)\n"
    )
    result = run(project, "--regbuf-audit=error")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["0 lines stored tensors while a module was built; 2 others may be right"])


@pytest.mark.torch
def test_only_the_project_counts(project: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither code outside the root directory, nor what is installed inside it."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "net.py").write_text(NET, encoding="utf-8")
    installed = project.mkdir("site-packages")
    (installed / "installed.py").write_text(NET, encoding="utf-8")
    (project.path / "net.py").unlink()
    project.makepyfile(
        test_net=f"import sys\nsys.path[:0] = [{str(outside)!r}, {str(installed)!r}]\n"
        "import installed, net\ndef test():\n    net.Net(), installed.Net()\n"
    )
    result = run(project, "--regbuf-audit=error")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["0 lines stored tensors while a module was built; 0 others may be right"])


@pytest.mark.torch
def test_stopping_restores_torch(tmp_path: Path) -> None:
    nn = pytest.importorskip("torch.nn")
    from regbuf_lint.verify.recorder import Recorder  # noqa: PLC0415  imports torch

    before = dict(vars(nn.Module))
    recorder = Recorder(tmp_path)
    recorder.start()
    assert dict(vars(nn.Module)) != before
    recorder.stop()
    assert dict(vars(nn.Module)) == before


def test_without_the_option_torch_is_not_imported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test():\n    assert 'torch' not in sys.modules\n")
    result = run(pytester)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*regbuf-audit*")


def test_the_file_alone_is_a_mistake(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--regbuf-audit-json", "lines.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--regbuf-audit-json needs --regbuf-audit*"])


def test_without_torch_the_option_is_a_mistake(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(pytester.path))
    pytester.makepyfile(torch="raise ImportError('no torch here')", test_nothing="def test():\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=":")
    result = run(pytester, "--regbuf-audit")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--regbuf-audit needs torch: no torch here*"])


def test_lines_of_several_processes_are_put_together(tmp_path: Path) -> None:
    """As pytest-xdist hands them over: what importing the tests stores is stored once."""
    line = {"file": "a.py", "line": 1, "attribute": "x", "kind": "tensor", "building": 3, "later": 0, "collecting": 2}
    audit = pytest_plugin.Audit.__new__(pytest_plugin.Audit)
    audit._recorder = type("None_", (), {"lines": lambda _: []})()  # noqa: SLF001
    audit._exemptions = Exemptions(tmp_path, ())  # noqa: SLF001
    audit._from_workers = [  # noqa: SLF001
        {**line, "classes": ["B"], "moves_itself": False},
        {**line, "classes": ["A"], "moves_itself": True},
        {**line, "classes": ["A"], "moves_itself": True, "building": 1, "collecting": 0},
    ]
    (found,) = audit._all()  # noqa: SLF001
    assert (found["building"], found["classes"], found["moves_itself"]) == (5, ["A", "B"], False)


@pytest.mark.parametrize("pattern", ["", "Net.mask,Net.other", "a.py,b.py", "Net mask", "Net.mask:x"])
def test_a_pattern_that_can_name_nothing_is_a_mistake(pattern: str, pytester: pytest.Pytester) -> None:
    assert not has_form(pattern)
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    pytester.makepyfile("def test():\n    pass\n")
    result = run(pytester, "--regbuf-audit", f"--regbuf-audit-exempt={pattern}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "names neither FILE, FILE:LINE, an attribute nor Class.attribute; give it once for each"
    assert result.stderr.str().strip() == f"ERROR: --regbuf-audit-exempt: {pattern}: {told}"


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
def test_a_file_that_cannot_be_written_fails_the_run(pytester: pytest.Pytester) -> None:
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    pytester.makepyfile("def test():\n    pass\n")
    result = run(pytester, "--regbuf-audit", f"--regbuf-audit-json={FULL}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["--regbuf-audit-json: /dev/full: No space left on device"])


MANY = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(3)


class Other(Net):
    def forget(self):
        del self.mask


def test_many():
    for _ in range(150):
        Net()


def test_others_at_the_same_line():
    Other()


def test_what_is_undone_counts_no_more():
    for one in [Other() for _ in range(150)]:
        one.forget()
"""


@pytest.mark.torch
def test_a_line_is_not_counted_without_end(project: pytest.Pytester) -> None:
    """Watching objects takes time, and a hundred say what ten thousand say."""
    project.makepyfile(test_net=MANY)
    result = run(project, "--regbuf-audit", "--regbuf-audit-json", "lines.json")
    (line,) = read(project.path / "lines.json")
    assert line["classes"] == ["Net", "Other"]
    assert 100 <= line["building"] <= 101
    result.stdout.fnmatch_lines(["test_net.py:7: Net, Other.mask: tensor, while it was built (100x or more)"])


SEEN = """
import dataclasses
from collections import deque
from functools import partial

import torch
from torch import nn


@dataclasses.dataclass
class Pair:
    low: torch.Tensor


@dataclasses.dataclass(eq=False)
class Data(nn.Module):
    size: int

    def __post_init__(self):
        super().__init__()
        self.made = torch.ones(self.size)


@dataclasses.dataclass(eq=False)
class Fields(nn.Module):
    low: torch.Tensor
    high: torch.Tensor  # noqa: RBF001

    def __post_init__(self):
        super().__init__()


class Shared(nn.Module):
    table = torch.ones(3)
    quiet = torch.ones(3)  # noqa: RBF001


class Kinds(nn.Module):
    __slots__ = ("slot",)

    def __init__(self):
        super().__init__()
        self.filled = []
        self.table = {}
        self.queue = deque()
        self.some = {torch.ones(1)}
        self.pair = Pair(torch.ones(1))
        self.bound = partial(torch.add, torch.ones(1))
        self.register_buffer("grid", torch.ones(1))
        self.twin = self.grid
        self.emptied = [torch.ones(1)]
        self.registered = [nn.Parameter(torch.ones(1))]
        self.weight = self.registered[0]
        for number in range(2):
            self.filled.append(torch.ones(1))
        self.table["a"] = [[[[torch.ones(1)]]]]
        self.queue.append(torch.ones(1))
        self.emptied.clear()
        self.skipped = torch.ones(1)  # noqa: RBF001
        self.long = torch.tensor(
            [1.0, 2.0],
        )  # noqa: E501, RBF001
        self.ignored = torch.ones(1)
        self.exempt = torch.ones(1)
        object.__setattr__(self, "slot", torch.ones(1))
        object.__setattr__(self, "past", torch.ones(1))
        object.__setattr__(self, "silenced", torch.ones(1))  # noqa: RBF001
        self.kept = []
        self.kept.append(torch.ones(1))  # noqa: RBF001


class Raising(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(1)
        raise ValueError


class Caught(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(1)
        try:
            raise ValueError
        except ValueError:
            pass


class Moving(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.ones(1)
        self.left = torch.ones(1)

    def _apply(self, fn, recurse=True):
        self.grid = fn(self.grid)
        return super()._apply(fn)


class Following(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = torch.ones(3)
        self.later = torch.ones(3)

    def forward(self, x):
        self.window = self.window.to(x.device)
        self.later = nn.Parameter(self.later)
        return x * self.window


class Compiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(1))
        self.last = None

    def forward(self, x):
        self.calls = self.calls + 1
        self.last = x
        return self.linear(x)
"""
SEEN_TEST = """
import inspect
import sys
import typing

import pytest
import torch
from seen import *


def test_kinds():
    Kinds()
    Data(3)
    Fields(torch.ones(1), torch.ones(1))
    Shared()
    Caught()
    Moving()
    Following()(torch.ones(3))
    with pytest.raises(ValueError):
        Raising()
    assert sys.gettrace() is None


@pytest.mark.parametrize("strict", [True, False])
def test_compiled(strict):
    module = Compiled()
    call = torch.compile(module, fullgraph=True, backend="eager")
    call(torch.ones(1, 3))
    call(torch.ones(1, 3))
    assert module.calls.item() == 2
    torch.export.export(nn.Linear(3, 3), (torch.ones(1, 3),), strict=strict)


class Building(nn.Module):
    def __init__(self, factor=2):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        self.kept = Building(3).factor * x
        kept = self.kept
        del self.kept
        return nn.Sequential(nn.ReLU(), nn.Identity())(kept * self.factor)


def test_modules_are_built_while_torch_compiles():
    x = torch.ones(1, 3)
    assert torch.equal(torch.compile(Building(), fullgraph=True, backend="eager")(x), 6 * x)
    torch.export.export(Building(), (x,), strict=True)


def test_the_methods_say_what_they_are():
    for method in (nn.Module.__init__, nn.Module.register_buffer, nn.Module.__setattr__):
        assert next(iter(inspect.signature(method).parameters)) == "self"
        assert inspect.getfullargspec(method).args[0] == "self"
        assert f"def {method.__name__}(" in inspect.getsource(method)
    assert "persistent" in typing.get_type_hints(nn.Module.register_buffer)


def test_of_attributes_that_look_back():
    class Looking(nn.Module):
        @property
        def __class__(self):
            raise AssertionError

        def __getattr__(self, name):
            raise AttributeError(name)

    Looking().mask = 1
"""


@pytest.fixture
def seen(project: pytest.Pytester) -> pytest.Pytester:
    project.makepyfile(seen=SEEN, test_net=SEEN_TEST)
    project.makepyprojecttoml("[tool.regbuf-lint]\nignore-attributes = ['Kinds.ign*']\n")
    return project


@pytest.mark.torch
def test_it_sees_what_the_audit_sees_and_changes_no_result(seen: pytest.Pytester) -> None:
    options = ["--regbuf-audit=error", "--regbuf-audit-json=lines.json", "--regbuf-audit-exempt=exempt", "-W", "ignore"]
    result = run(seen, *options)
    result.assert_outcomes(passed=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lines = read(seen.path / "lines.json")
    assert {(line["classes"][0], line["attribute"], line["kind"]) for line in lines if line["defect"]} == {
        ("Kinds", "filled", "container"),
        ("Kinds", "table", "container"),
        ("Kinds", "queue", "container"),
        ("Kinds", "some", "container"),
        ("Kinds", "pair", "object"),
        ("Kinds", "bound", "closure"),
        ("Kinds", "twin", "alias"),
        ("Kinds", "slot", "tensor"),
        ("Kinds", "past", "tensor"),
        ("Data", "made", "tensor"),
        ("Fields", "low", "tensor"),
        ("Shared", "table", "tensor"),
        ("Caught", "mask", "tensor"),
        ("Moving", "left", "tensor"),
        ("Following", "window", "tensor"),
    }
    rows = (seen.path / "seen.py").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line["classes"] == ["Kinds"] and line["attribute"] not in {"slot", "past"}:
            assert f"self.{line['attribute']} = " in rows[line["line"] - 1]
        else:
            assert line["attribute"] in rows[line["line"] - 1]
    result.stdout.fnmatch_lines(["--regbuf-audit=error: the run fails, though its tests pass, for 15 lines above"])


@pytest.mark.torch
def test_under_xdist_each_counts_once(project: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    (project.path / "test_net.py").write_text(TEST + "\nMADE = Net()\n", encoding="utf-8")
    counts = []
    for more in ((), ("-n", "2", "-p", "xdist")):
        result = run(project, "--regbuf-audit", "--regbuf-audit-json=lines.json", *more)
        result.assert_outcomes(passed=2)
        counts.append([(line["attribute"], line["building"]) for line in read(project.path / "lines.json")])
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("path", "said"), [("gone/lines.json", "there is no directory gone"), (".", "is a directory")])
def test_a_bad_path_is_one_line(path: str, said: str, pytester: pytest.Pytester) -> None:
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    pytester.makepyfile("def test():\n    pass\n")
    result = run(pytester, "--regbuf-audit", f"--regbuf-audit-json={path}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip() == f"ERROR: --regbuf-audit-json: {path}: {said}"


def test_a_file_elsewhere_does_not_move_the_root(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    pytester.makepyfile("def test(request):\n    assert request.config.rootpath == request.path.parent\n")
    file = tmp_path_factory.mktemp("elsewhere") / "lines.json"
    file.touch()
    assert run(pytester, "--regbuf-audit", f"--regbuf-audit-json={file}").ret == 0
    result = run(pytester, "--regbuf-audit", "--regbuf-audit-json", str(file))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"write --regbuf-audit-json={file}" in result.stderr.str()
