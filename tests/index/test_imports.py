"""Names that imports give when code runs, and imports put beside others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.index.files import FileFacts
from regbuf_lint.index.imports import Import, import_edit, is_free, run_time_spelling
from regbuf_lint.index.statements import Room, by_parts
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Collection

BUFFER = Import("torch.nn", "Buffer")


def facts(text: str) -> FileFacts:
    return FileFacts(Path("a.py"), "a", Path(), SourceText.from_text(text), by_parts, Room())


def spelled(text: str, hidden: Collection[str] = ()) -> str | None:
    file = facts(text)
    scope = next(file.class_scopes(), file.scope)
    return run_time_spelling(scope, "torch.nn.Buffer", "torch.nn.parameter.Buffer", hidden)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch", "torch.nn.Buffer"),
        ("import torch.nn.functional as F", None),
        ("import torch.utils.data", "torch.nn.Buffer"),
        ("import torch\nimport torch.nn as nn", "nn.Buffer"),
        ("import torch\nfrom torch import nn as layers", "layers.Buffer"),
        ("from torch.nn import Buffer as B\nimport torch", "B"),
        ("from torch.nn.parameter import Buffer, Parameter", "Buffer"),
        ("from torch.nn import parameter", None),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", "torch.nn.Buffer"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", None),
        ("from .torch import nn", None),
        ("def f():\n    import torch", None),
        ("def f():\n    import torch\n    class A: ...", "torch.nn.Buffer"),
        ("class A:\n    import torch", None),
    ],
)
def test_how_a_name_is_spelled_when_the_code_runs(text: str, expected: str | None) -> None:
    assert spelled(text) == expected


def test_a_hidden_name_is_passed_over() -> None:
    text = "import torch\nfrom torch import nn"
    assert spelled(text, {"nn"}) == "torch.nn.Buffer"
    assert spelled(text, {"nn", "torch"}) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from torch.nn import Module\n", "from torch.nn import Buffer, Module\n"),
        ("from torch.nn import AvgPool1d\n", "from torch.nn import AvgPool1d, Buffer\n"),
        ("from torch.nn import functional, Module\n", "from torch.nn import Buffer, functional, Module\n"),
        ("from torch.nn import Module, Linear\n", "from torch.nn import Module, Linear, Buffer\n"),
        ("from torch.nn import (Linear, Module)\n", "from torch.nn import (Buffer, Linear, Module)\n"),
        ("from torch.nn import Module  # é\r\nx = 1\r\n", "from torch.nn import Buffer, Module  # é\r\nx = 1\r\n"),
        ("from torch.nn import (\n\tA,\n\tModule\n)\n", "from torch.nn import (\n\tA,\n\tBuffer,\n\tModule\n)\n"),
        ("from torch.nn import (\n  A,\n  B\n)\n", "from torch.nn import (\n  A,\n  B,\n  Buffer\n)\n"),
        ("from torch.nn import (\n  A,\n  B,  # b\n)\n", "from torch.nn import (\n  A,\n  B,  # b\n  Buffer,\n)\n"),
        (
            "from torch.nn import (\n  A, B,\n  Module)\n",
            "from torch.nn import (\n  A, B,\n  Module)\nfrom torch.nn import Buffer\n",
        ),
        ("from torch.nn import \\\n  Module\n", "from torch.nn import \\\n  Module\nfrom torch.nn import Buffer\n"),
        ("from torch.nn import *\n", "from torch.nn import *\nfrom torch.nn import Buffer\n"),
        ("from torch import ones\nimport os\n", "from torch import ones\nfrom torch.nn import Buffer\nimport os\n"),
        ("from torch.utils import data\n", "from torch.nn import Buffer\nfrom torch.utils import data\n"),
        (
            "import torch.nn.functional as F\nimport os\n",
            "import torch.nn.functional as F\nfrom torch.nn import Buffer\nimport os\n",
        ),
    ],
)
def test_where_an_import_goes(text: str, expected: str) -> None:
    source = SourceText.from_text(text)
    edit = import_edit(facts(text), BUFFER, 60)
    assert edit is not None
    start, end = source.offset(edit.span.start), source.offset(edit.span.end)
    assert text[:start] + edit.content + text[end:] == expected


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "from .torch import ones\n",
        "import torchvision\n",
        "if True:\n    from torch.nn import Module\n",
        "from torch import ones; x = 1\n",
        "class A: ...\nfrom torch import ones\n",
        "def f():\n    from torch import ones\n",
    ],
)
def test_no_place_for_an_import(text: str) -> None:
    assert import_edit(facts(text), BUFFER, 60) is None


@pytest.mark.parametrize(
    "text",
    [
        "Buffer = 1",
        "f(Buffer)",
        "class Buffer: ...",
        "import a as Buffer",
        "def f(Buffer): ...",
        "from b import Buffer",
    ],
)
def test_a_name_that_the_file_has_is_not_free(text: str) -> None:
    assert not is_free(facts(text), "Buffer")


def test_attributes_and_comments_leave_a_name_free() -> None:
    assert is_free(facts("# Buffer\nx.Buffer = 'Buffer'\nimport Buffer as b"), "Buffer")
