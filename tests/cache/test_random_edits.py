"""A run with a cache gives what one without gives, whatever has happened to the files in between."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.many_files import check_files
from regbuf_lint.model.file_settings import FileSettings
from regbuf_lint.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("base", "subclass", "other", "user", "tools")
IMPORTS = (
    "from pkg.{0} import Layer as Base",
    "import pkg.{0} as far\nBase = far.Layer",
    "class Base:\n    pass",
    "from pkg.{0} import Layer as Near\nfrom torch import nn\nclass Base(Near, nn.Module):\n    pass",
    "from torch.nn import Module as Base",
)
CONSTRUCTORS = (
    "self.x = torch.ones(n)",
    "self.register_buffer('x', torch.ones(n))",
    "self.x = make(n)",
    "self.make()",
    "pass",
)
METHODS = (
    "    def make(self):\n        self.x = torch.zeros(3)\n",
    "    def forward(self, y):\n        return self.x + y\n",
    "    def forward(self, y):\n        return y\n",
    "",
)
OUTSIDE = (
    "def make(n):\n    return torch.ones(n)\n",
    "def make(n):\n    return n\n",
    "from pkg.{0} import make\n",
    "Layer(3)\n",
    "def read(layer):\n    return layer.x.sum()\n",
)


def a_file(draw: random.Random, place: int) -> str:
    """A file with a class whose findings depend on other files; it inherits from those of files before alone."""
    bases = NAMES[:place]
    parts = [
        "import torch",
        draw.choice(IMPORTS if bases else IMPORTS[2:3] + IMPORTS[-1:]).format(draw.choice(bases or NAMES)),
        *(draw.choice(OUTSIDE).format(draw.choice(NAMES)) for _ in range(2)),
        "class Layer(Base):\n    def __init__(self, n=3):\n        super().__init__()",
        f"        {draw.choice(CONSTRUCTORS)}",
        draw.choice(METHODS),
        draw.choice(METHODS),
    ]
    return "\n".join(parts) + "\n"


def edit(root: Path, draw: random.Random) -> None:
    """Write, remove or rename a file, so long ago that nothing counts as just written."""
    place = draw.randrange(len(NAMES))
    path = root / "pkg" / f"{NAMES[place]}.py"
    kind = draw.choice(("write", "write", "write", "remove", "rename", "package"))
    if kind == "write":
        path.write_text(a_file(draw, place), encoding="utf-8")
    elif kind == "remove":
        path.unlink(missing_ok=True)
    elif kind == "rename" and path.exists():
        path.rename(root / "pkg" / f"{draw.choice(NAMES[place:])}.py")
    elif kind == "package":
        mark = root / "pkg/__init__.py"
        mark.unlink() if mark.exists() else mark.write_text("", encoding="utf-8")


def report(root: Path, cache: Path | None) -> list[object]:
    files = sorted((root / "pkg").glob("*.py"))
    result = check_files(
        files, FileSettings.one(Settings(root=root)), jobs=1, fix=FixMode.NONE, cache_folder=lambda _: cache
    )
    return [(one.path, one.findings, one.errors, one.unresolved_bases) for one in result.files]


@pytest.mark.usefixtures("_at_rest")
@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_after_random_edits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)  # noqa: S311  no secret is drawn
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("", encoding="utf-8")
    for place, name in enumerate(NAMES):
        (tmp_path / f"pkg/{name}.py").write_text(a_file(draw, place), encoding="utf-8")
    found = set()
    for _ in range(12):
        for _ in range(draw.choice((0, 1, 1, 2))):
            edit(tmp_path, draw)
        expected = report(tmp_path, None)
        assert report(tmp_path, tmp_path / "cache") == expected
        found.add(os.fspath(tmp_path) + repr(expected))
    assert len(found) > 1, "no edit changed anything, so nothing was tested"
