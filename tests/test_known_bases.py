from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import regbuf_lint
from regbuf_lint.index.known_classes import Verdict, verdict_by_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(regbuf_lint.__file__).parent / "index" / "data" / "known_bases.toml"
PACKAGES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["package"]
MODULES: list[str] = [entry for package in PACKAGES for entry in package["modules"]]
NOT_MODULES: list[str] = [entry for package in PACKAGES for entry in package["not_modules"]]
ENTRIES = MODULES + NOT_MODULES


def verdict(path: str) -> bool | None:
    """Whether the catalogue takes a class for an nn.Module class; None where it does not say."""
    return {Verdict.YES: True, Verdict.NO: False, Verdict.UNKNOWN: None}[verdict_by_name(path, ())]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_packages_have_exactly_the_documented_keys(package: dict[str, Any]) -> None:
    assert set(package) == {"name", "source", "modules", "not_modules"}
    assert package["name"]
    assert package["source"]
    assert package["modules"] or package["not_modules"]


def test_package_names_are_unique() -> None:
    names = [package["name"] for package in PACKAGES]
    assert len(names) == len(set(names))


def test_entries_are_dotted_paths_or_globs() -> None:
    assert [entry for entry in ENTRIES if not re.fullmatch(r"[\w*]+(\.[\w*]+)*", entry) or "**" in entry] == []


def test_globs_stay_within_their_package() -> None:
    assert [entry for entry in ENTRIES if entry.startswith("*")] == []


def test_modules_are_dotted() -> None:
    assert [entry for entry in MODULES if "." not in entry] == []


def test_there_are_no_duplicates() -> None:
    assert sorted(entry for entry in set(ENTRIES) if ENTRIES.count(entry) > 1) == []


def test_no_listed_module_is_hidden_by_a_glob() -> None:
    hidden = [entry for entry in MODULES if "*" in entry and verdict(entry.replace("*", "Some")) is not True]
    assert hidden == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pytorch_lightning.LightningModule", True),
        ("lightning.pytorch.core.module.LightningModule", True),
        ("lightning.pytorch.LightningDataModule", False),
        ("lightning.pytorch.callbacks.ModelCheckpoint", False),
        ("transformers.PreTrainedModel", True),
        ("transformers.models.bert.modeling_bert.BertPreTrainedModel", True),
        ("transformers.models.llama.modeling_llama.LlamaForCausalLM", True),
        ("transformers.AutoModelForCausalLM", False),
        ("transformers.TFBertForMaskedLM", False),
        ("transformers.Trainer", False),
        ("diffusers.ModelMixin", True),
        ("diffusers.ConfigMixin", False),
        ("timm.layers.Mlp", True),
        ("timm.models.vision_transformer.PatchEmbed", True),
        ("timm.models.byobnet.ByoModelCfg", False),
        ("torchvision.models.inception.InceptionA", True),
        ("torchvision.models.resnet.ResNet50_Weights", False),
        ("torchvision.transforms.Compose", False),
        ("torchvision.transforms.v2.Compose", True),
        ("kornia.augmentation.RandomAffine3D", True),
        ("mmcv.cnn.ConvModule", True),
        ("mmdet.models.StandardRoIHead", True),
        ("mmengine.hooks.EMAHook", False),
        ("torchio.Transform", False),
        ("timm.layers.config.set_scriptable", False),
        ("torchmetrics.Metric", True),
        ("gpytorch.kernels.RBFKernel", True),
        ("gpytorch.distributions.MultivariateNormal", False),
        ("nflows.flows.Flow", True),
        ("nflows.transforms.made.MADE", True),
        ("nflows.distributions.uniform.BoxUniform", False),
        ("torch_geometric.nn.GCNConv", True),
        ("torch_geometric.data.InMemoryDataset", False),
        ("speechbrain.core.Brain", False),
        ("speechbrain.nnet.schedulers.ScheduledLoss", True),
        ("speechbrain.nnet.schedulers.NewBobScheduler", False),
        ("fairseq.models.FairseqIncrementalDecoder", True),
        ("flax.linen.Module", False),
        ("pydantic.BaseModel", False),
        ("object", False),
        ("somewhere.Unheard", None),
    ],
)
def test_well_known_classes(path: str, *, expected: bool | None) -> None:
    assert verdict(path) is expected
