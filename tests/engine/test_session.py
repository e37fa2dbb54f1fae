"""What one file's check leaves behind must not change what another's finds."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine import session as engine_session
from regbuf_lint.engine.explaining import explain
from regbuf_lint.engine.screen import Screen
from regbuf_lint.engine.session import Session
from regbuf_lint.index import project
from regbuf_lint.index.statements import Room, Statements, by_parts
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    import ast

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = sorted(path for path in FIXTURES.rglob("*.py") if not path.name.endswith(".fixed.py"))


def findings(files: list[Path], *, shared: bool) -> dict[Path, list[tuple[object, ...]]]:
    settings = Settings(root=Path.cwd(), select=("ALL",))
    session = Session(settings)
    found: dict[Path, list[tuple[object, ...]]] = {}
    for path in files:
        session = session if shared else Session(settings)
        checked = session.check(path, read_source(path))
        found[path] = [(one.code, one.span, one.message, one.help, one.evidence) for one in checked.findings]
    return found


@pytest.mark.slow
def test_order_of_files_changes_nothing() -> None:
    in_order = findings(FILES, shared=True)
    assert findings(FILES[::-1], shared=True) == in_order
    some = FILES[::8]  # a session for each of them all takes a minute
    assert findings(some, shared=False) == {path: in_order[path] for path in some}


def test_mutual_recursion_is_the_same_from_either_end(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(
        "import torch\n"
        "def even(n):\n    return torch.ones(n) if n == 0 else odd(n - 1)\n"
        "def odd(n):\n    return even(n - 1)\n",
        encoding="utf-8",
    )
    head = "from torch import nn\nfrom loop import even, odd\n"
    body = "class {0}(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.x = {1}(n)\n"
    body += "    def forward(self, y):\n        return y + self.x\n"
    (tmp_path / "first.py").write_text(head + body.format("A", "even"), encoding="utf-8")
    (tmp_path / "second.py").write_text(head + body.format("B", "odd"), encoding="utf-8")
    files = [tmp_path / "first.py", tmp_path / "second.py"]
    assert findings(files, shared=True) == findings(files[::-1], shared=True) == findings(files, shared=False)


def test_what_another_file_runs_is_still_known_after_a_fix(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    mixin = "import torch\nclass Mixin:\n    def fill(self):\n        self.x = torch.ones(3)\n"
    (package / "mixin.py").write_text(mixin, encoding="utf-8")
    (package / "net.py").write_text(
        "from torch import nn\nfrom pkg.mixin import Mixin\nclass Net(Mixin, nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.fill()\n"
        "    def forward(self, y):\n        return y + self.x\n",
        encoding="utf-8",
    )
    path = package / "mixin.py"
    session, source = Session(Settings(root=tmp_path)), read_source(path)
    assert [one.span.start.row for one in session.check(path, source).findings] == [4]
    changed = source.with_text("# a row more\n" + source.text)
    assert [one.span.start.row for one in session.check(path, changed).findings] == [5]


def test_other_files_count_as_an_overlay_has_them(tmp_path: Path) -> None:
    """What a file holds is asked of its tree and, as who derives from a class, of its bytes; neither is kept."""
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    base = "import torch\nclass Base:\n    def fill(self):\n        self.x = torch.ones(3)\n"
    base += "    def forward(self, y):\n        return y + self.x\n"
    net = "from torch import nn\nfrom pkg.base import Base\nclass Net(Base, nn.Module):\n"
    net += "    def __init__(self):\n        super().__init__()\n        self.fill()\n"
    (package / "base.py").write_text(base, encoding="utf-8")
    (package / "net.py").write_text("from pkg.base import Base\n", encoding="utf-8")
    screen, source = Screen(Settings(root=tmp_path)), read_source(package / "base.py")
    session = Session(screen.settings, screen)
    filling = Overlay().with_files({package / "net.py": net.encode()})
    quiet = Overlay().with_files({package / "net.py": net.replace("fill()", "train()").encode()})
    found = []
    for overlay in (Overlay(), filling, quiet, Overlay()):
        screen.see(overlay)
        found.append([one.span.start.row for one in session.check(package / "base.py", source).findings])
    assert found == [[], [4], [], []]


def test_a_file_is_what_it_was_once_its_text_is_forgotten(tmp_path: Path) -> None:
    text = "import torch\nfrom torch import nn\nclass {0}(nn.Module):\n    def __init__(self):\n"
    text += "        super().__init__()\n        {1}\n    def forward(self, y):\n        return y + self.x\n"
    (tmp_path / "base.py").write_text(text.format("Base", "self.x = torch.ones(3)"), encoding="utf-8")
    below = "import torch\nfrom base import Base\nclass Net(Base):\n    def __init__(self):\n"
    below += "        super().__init__()\n        self.x = torch.zeros(3)\n"
    (tmp_path / "net.py").write_text(below, encoding="utf-8")
    base, net = (read_source(tmp_path / name) for name in ("base.py", "net.py"))
    screen = Screen(Settings(root=tmp_path))
    session = Session(screen.settings, screen)

    def rows() -> list[int]:
        return [one.span.start.row for one in session.check(tmp_path / "net.py", net).findings]

    before = rows()
    session.check(tmp_path / "base.py", base.with_text(text.format("Base", 'self.register_buffer("x", torch.ones(3))')))
    assert rows() != before
    screen.forget(tmp_path / "base.py")
    assert rows() == before


def test_files_that_are_given_up_leave_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for cycles would go through all of their trees, which takes as long as to parse them."""
    trees: list[weakref.ref[ast.Module]] = []

    def noting(text: str, room: Room) -> tuple[str, Statements]:
        kept, statements = by_parts(text, room)
        trees.append(weakref.ref(statements.complete()))
        return kept, statements

    monkeypatch.setattr(project, "by_parts", noting)
    monkeypatch.setattr(gc, "collect", lambda: 0)
    session = Session(Settings(root=Path.cwd(), select=("ALL",)))
    first, *_, last = [path for path in FILES if path.parent.name == "RBF001"]
    session.check(first, read_source(first))
    before = list(trees)
    monkeypatch.setattr(engine_session, "MOST_CHARACTERS", 0)
    collecting = gc.isenabled()
    gc.disable()
    try:
        session.check(last, read_source(last))
        alive = [one for one in before if one() is not None]
    finally:
        if collecting:
            gc.enable()
    assert before
    assert not alive


def test_nothing_is_left_of_a_file_that_is_given_up_while_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "import torch\nfrom torch import nn\n"
    base += "class Base(nn.Module):\n    def made(self):\n        return torch.ones(3)\n"
    text = "from base import Base\nclass Net(Base):\n    def __init__(self):\n        super().__init__()\n"
    text += "        self.x = self.made()\n    def forward(self, y):\n        return y + self.x\n"
    (tmp_path / "base.py").write_text(base + "#" * len(text), encoding="utf-8")
    (tmp_path / "net.py").write_text(text, encoding="utf-8")
    source = read_source(tmp_path / "net.py")
    session = Session(Settings(root=tmp_path))
    before = session.check(tmp_path / "net.py", source)
    monkeypatch.setattr(engine_session, "MOST_CHARACTERS", 2 * len(text))
    assert session.check(tmp_path / "net.py", source) == before
    assert [one.code for one in before.findings] == ["RBF001"]


def test_what_is_explained_is_still_there_when_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_session, "MOST_CHARACTERS", 0)
    path = FIXTURES / "RBF001" / "given_behind_star.py"
    (told,) = explain(path, read_source(path), "Attention.mask", Settings(root=Path.cwd()))
    assert [use.method for use in told.uses or ()]


def test_a_function_that_was_followed_before_says_once_more_where_its_result_lies(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("def to_host(values):\n    return values.cpu()\n", encoding="utf-8")
    text = """\
import torch
from torch import nn
from shared import to_host
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.x = torch.ones(3)
    def forward(self, y):
        return to_host(torch.ones(3)) + self.x
"""
    files = [tmp_path / "first.py", tmp_path / "second.py"]
    for path in files:
        path.write_text(text, encoding="utf-8")
    assert findings(files, shared=True) == findings(files, shared=False)


def test_what_a_part_gives_is_named_after_the_part(tmp_path: Path) -> None:
    text = """\
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3))
    def forward(self, inner):
        return self.weight * inner
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.x = torch.ones(3)
    def forward(self, y):
        return self.part(y) + self.x
"""
    (tmp_path / "net.py").write_text(text, encoding="utf-8")
    found = str(findings([tmp_path / "net.py"], shared=False))
    assert "combines it with `self.part`" in found
    assert "inner" not in found
