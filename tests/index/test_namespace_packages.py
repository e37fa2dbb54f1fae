"""Packages without ``__init__.py`` are found wherever the run starts, and nothing around the project is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from index_examples import described

from regbuf_lint.index.project import Project
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "home/project/net/layers.py": "from net.parts.base import Base\nfrom tools.base import Other\n",
    "home/project/net/parts/base.py": "class Base: ...",
    "home/project/tools/base.py": "class Other: ...",
    "home/tools/base.py": "class Strange: ...",
}


def looked_up(root: Path, marker: str, roots: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """Return the import name of ``layers.py``, and what its two imports are.

    Args:
        root: where the files are written.
        marker: a file beside them that tells where the project begins.
        roots: directories from which the run imports.
    """
    for name, text in {**FILES, marker: ""}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    path = root / "home/project/net/layers.py"
    project = Project([root / one for one in roots], Settings(root=root))
    facts = project.add(path, read_source(path))
    found = [described(one) for name in ("Base", "Other") for one in project.lookup(facts.scope, name)]
    return facts.name, found


@pytest.mark.parametrize("marker", ["setup.py", ".git/HEAD", "pyproject.toml"])
@pytest.mark.parametrize("roots", [(), ("home/project",), ("home/project/net",), ("elsewhere",)])
def test_where_the_run_starts_changes_nothing(roots: tuple[str, ...], marker: str, tmp_path: Path) -> None:
    name, found = looked_up(tmp_path, f"home/project/{marker}", roots)
    assert name == "net.layers"
    assert found == ["class net.parts.base.Base", "class tools.base.Other"]


def test_without_a_project_the_own_namespace_is_found(tmp_path: Path) -> None:
    _, found = looked_up(tmp_path, "home/project/README.md")
    assert found == ["class base.Base", "outside tools.base.Other"]


def test_what_lies_around_a_repository_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/setup.py").touch()
    (tmp_path / "home/project").mkdir()
    _, found = looked_up(tmp_path, "home/project/net/.git/HEAD")
    assert found == ["class parts.base.Base", "outside tools.base.Other"]


def test_scripts_further_down_import_from_their_own_directory(tmp_path: Path) -> None:
    """A repository may hold several programs: what one imports is looked for around it, as far as the project goes."""
    text = "from tools.base import Other\nfrom parts.base import Base\n"
    files = {"study/tools/base.py": "class Other: ...", "study/net/layers.py": text, "parts/base.py": "class Base: ..."}
    for name, content in files.items():
        (tmp_path / "home" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / name).write_text(content, encoding="utf-8")
    path = tmp_path / "home/study/net/layers.py"
    for root, expected in (
        ("home", ["class study.tools.base.Other", "class parts.base.Base"]),
        ("home/study", ["class tools.base.Other", "outside parts.base.Base"]),
    ):
        project = Project([tmp_path / root], Settings(root=tmp_path / root))
        facts = project.add(path, read_source(path))
        assert [described(one) for name in ("Other", "Base") for one in project.lookup(facts.scope, name)] == expected


def test_a_checkout_with_a_dot_in_its_name_is_no_package(tmp_path: Path) -> None:
    files = {
        "net.pytorch/__init__.py": "",
        "net.pytorch/net/__init__.py": "",
        "net.pytorch/net/base.py": "class Base: ...",
        "net.pytorch/net/layers.py": "from net.base import Base\nfrom .base import Base as Beside\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    root = tmp_path / "net.pytorch"
    path = root / "net/layers.py"
    project = Project([root], Settings(root=root))
    facts = project.add(path, read_source(path))
    assert facts.name == "net.layers"
    for name in ("Base", "Beside"):
        assert [described(one) for one in project.lookup(facts.scope, name)] == ["class net.base.Base"]
