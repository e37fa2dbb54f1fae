"""Follows an nn.Module class given as text: what its attributes are once it is built, and what becomes of them."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.index.project import Project
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.infer.construction import construct, start
from regbuf_lint.infer.trace.following import Follower
from regbuf_lint.model.settings import Settings
from regbuf_lint.model.value import (
    Alternative,
    Buffer,
    Distribution,
    Dtype,
    Literal,
    Mapping,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Unset,
    Value,
)
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.use import Trace

IMPORTS = """\
import math, copy, typing
from collections import OrderedDict
from functools import partial
from typing import Optional
import numpy as np
import torch, torchaudio, torchvision
import torch.nn.functional as F
from torch import Tensor, nn
"""
WORDS: dict[type[Alternative], str] = {
    Tensor: "tensor",
    Parameter: "parameter",
    Buffer: "buffer",
    Submodule: "module",
    Distribution: "distribution",
    NoneValue: "None",
    Other: "other",
    Unknown: "?",
    Unset: "unset",
}


def built(text: str, root: Path = Path("nowhere")) -> Construction:
    """Follow the construction of the class ``Model`` of a text, whose file lies in ``root``."""
    inference, symbols = started(text, root)
    construction = construct(inference, symbols["Model"])
    assert construction is not None
    return construction


def traced(text: str, attribute: str = "x") -> Trace:
    """What becomes of an attribute of the class ``Model`` of a text; other classes that begin so inherit from it."""
    inference, symbols = started(text, Path("nowhere"))
    construction = construct(inference, symbols["Model"])
    assert construction is not None
    subclasses = [symbol for name, symbol in symbols.items() if name.startswith("Model") and name != "Model"]
    asked = frozenset({attribute})
    follower = Follower(inference, symbols["Model"], subclasses, asked, lambda name: name != "__init__")
    return follower.trace(construction.attributes)


def started(text: str, root: Path) -> tuple[Inference, dict[str, ClassSymbol]]:
    """Return what a run over a text shares, and the classes of the text by name; the file lies in ``root``."""
    settings = Settings(root=root)
    project = Project([root], Settings(root=root))
    inference = start(project, project.outlined(), settings)
    path = (root / "main.py").absolute()
    facts = project.add(path, SourceText.from_text(IMPORTS + textwrap.dedent(text), str(path)))
    return inference, {scope.qualname: ClassSymbol(scope) for scope in facts.class_scopes()}


def constructed(body: str, *, arguments: str = "", around: str = "") -> dict[str, str]:
    """Return what the attributes are after the statements of ``__init__``.

    Args:
        body: statements of ``__init__``, after ``super().__init__()``.
        arguments: parameters of ``__init__`` beside ``self``.
        around: statements of the file before the class.
    """
    head = f"class Model(nn.Module):\n    def __init__(self, {arguments}):\n        super().__init__()\n"
    text = textwrap.dedent(around) + head + textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
    return described(built(text))


def described(construction: Construction) -> dict[str, str]:
    return {name: words(state.value) for name, state in construction.attributes.items()}


def words(value: Value) -> str:
    return " | ".join(sorted(word(one) for one in value))


def word(one: Alternative) -> str:
    if isinstance(one, Literal):
        return repr(one.value)
    if isinstance(one, Sequence):
        items = [f"{words(one.element)}..."] if one.items is None else map(words, one.items)
        return f"{one.kind}[{', '.join(items)}]"
    if isinstance(one, Mapping):
        items = [f"{key}: {words(item)}" for key, item in one.items] + ([f"{words(one.rest)}..."] if one.rest else [])
        return f"dict[{', '.join(items)}]"
    return next((found for kind, found in WORDS.items() if isinstance(one, kind)), "object")


def facets(one: Alternative) -> set[str]:
    """What is known of a tensor beside that it is one."""
    assert isinstance(one, Tensor)
    flags = {"random": one.random, "grad": one.requires_grad, "graph": one.derived, "expanded": one.expanded}
    flags |= {"shared": not one.fresh, "outside": bool(one.argument), one.dtype.value: one.dtype is not Dtype.UNKNOWN}
    flags |= {"pinned": one.pinned, "part": one.view_of_parameter}
    return {name for name, holds in flags.items() if holds}
