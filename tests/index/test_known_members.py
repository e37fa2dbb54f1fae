from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import regbuf_lint
from regbuf_lint.index.known_classes import outside_class

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(regbuf_lint.__file__).parent / "index" / "data" / "known_members.toml"
CLASSES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["class"]


@pytest.mark.parametrize("entry", CLASSES, ids=lambda entry: entry["package"])
def test_entries_are_well_formed(entry: dict[str, Any]) -> None:
    assert set(entry) - {"initialises", "moved_by_trainer"} == {"package", "source", "names", "moved", "members"}
    assert entry["package"]
    assert entry["source"]
    assert entry["names"]
    assert [name for name in entry["names"] if not re.fullmatch(r"\w+(\.[\w*]+)+", name)] == []
    assert [name for name in entry["members"] if not name.isidentifier()] == []
    assert entry["members"] == sorted(set(entry["members"]))
    assert entry["moved"] == ["*"] or set(entry["moved"]) <= set(entry["members"])


@pytest.mark.parametrize(
    ("name", "attribute", "moves"),
    [
        ("pytorch_lightning.LightningModule", "example_input_array", True),
        ("pytorch_lightning.LightningModule", "mask", False),
        ("pytorch_lightning.LightningModule", None, False),
        ("pytorch3d.renderer.utils.TensorProperties", "location", True),
        ("pytorch3d.renderer.PointLights", None, True),
    ],
)
def test_attributes_that_the_package_moves(name: str, attribute: str | None, *, moves: bool) -> None:
    found = outside_class(name)
    assert found is not None
    assert found.moves(attribute) is moves


@pytest.mark.parametrize(
    ("name", "member", "known"),
    [
        ("pytorch_lightning.LightningModule", "hparams", True),
        ("lightning.pytorch.core.module.LightningModule", "hparams", True),
        ("pytorch_lightning.LightningModule", "mask", False),
        ("pytorch_lightning.LightningDataModule", "hparams", False),
        ("torch.nn.Module", "forward", False),
    ],
)
def test_members_are_found_by_the_name_of_the_class(name: str, member: str, *, known: bool) -> None:
    found = outside_class(name)
    assert (found is not None and member in found.members) is known
