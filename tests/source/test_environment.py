"""Whose packages the bases of a project's classes are looked up in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.source.environment import environment_packages
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(place: Path, packages: str = "lib/python3.12/site-packages", config: str = "") -> Path:
    """Make an environment; gives the directory of its packages."""
    (place / packages).mkdir(parents=True)
    (place / "bin").mkdir()
    (place / "bin/python").touch()
    (place / "pyvenv.cfg").write_text(config, encoding="utf-8")
    return place / packages


def test_without_an_environment_the_linters_own_serves(root: Path) -> None:
    assert environment_packages("", root) == ()


@pytest.mark.parametrize("packages", ["lib/python3.9/site-packages", "Lib/site-packages", "lib/python3/dist-packages"])
@pytest.mark.parametrize("path", ["env", "env/bin/python"])
def test_an_interpreter_or_its_environment(path: str, packages: str, root: Path) -> None:
    found = made(root / "env", packages)
    assert environment_packages(str(root / path), root) == (found,)


def test_which_one_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, active, named = made(root / ".venv"), made(root / "active"), made(root / "named")
    assert environment_packages("", root) == (beside,)
    monkeypatch.setenv("VIRTUAL_ENV", str(root / "active"))
    assert environment_packages("", root) == (active,)
    assert environment_packages(str(root / "named"), root) == (named,)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert environment_packages("", root) == (beside,)
    monkeypatch.setenv("VIRTUAL_ENV", str(root / "gone"))
    assert environment_packages("", root) == (beside,)


def test_packages_of_the_system_count_where_the_environment_says_so(root: Path) -> None:
    system = made(root / "usr")
    config = f"home = {root / 'usr/bin'}\ninclude-system-site-packages = "
    own, alone = made(root / "own", config=config + "true"), made(root / "alone", config=config + "false")
    assert environment_packages(str(root / "own"), root) == (own, system)
    assert environment_packages(str(root / "alone"), root) == (alone,)


def test_a_place_without_packages_is_refused(root: Path) -> None:
    with pytest.raises(SettingsError, match="no interpreter or environment"):
        environment_packages(str(root), root)


def test_a_wrong_one_is_told_with_who_names_it(root: Path) -> None:
    (root / "base.toml").write_text("python = 'env'\n", encoding="utf-8")
    (root / "regbuf-lint.toml").write_text("extend = 'base.toml'\n", encoding="utf-8")
    with pytest.raises(SettingsError) as told:
        load_settings(root, None, isolated=False, overrides={})
    assert str(told.value) == f"base.toml: `python`: `{root / 'env'}` is no interpreter or environment with packages"
    with pytest.raises(SettingsError, match=r"^--python: `.*other` is no interpreter"):
        load_settings(root, None, isolated=False, overrides={"python": "other"})


def test_a_path_in_the_file_starts_there(root: Path) -> None:
    packages = made(root / "project/env")
    (root / "project/pyproject.toml").write_text("[tool.regbuf-lint]\npython = 'env'\n", encoding="utf-8")
    settings = load_settings(root / "project", None, isolated=False, overrides={})
    assert settings.packages == (packages,)


NET = "import torch\nfrom ours import Base\nclass Net(Base):\n    def __init__(self):\n        super().__init__()\n"
OWN_TENSOR = "        self.x = torch.ones(3)\n    def forward(self, x):\n        return x * self.x\n"


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--python", "env"), 1), (("--python", "bin"), 2)])
def test_bases_are_looked_up_there(
    options: tuple[str, ...], code: int, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = made(root / "env")
    (packages / "ours.py").write_text("from torch import nn\nclass Base(nn.Module): ...\n", encoding="utf-8")
    (root / "net.py").write_text(NET + OWN_TENSOR, encoding="utf-8")
    assert main([*options, "--isolated", "net.py"]) == code
    assert ("RBF001" in capsys.readouterr().out) is (code == 1)
