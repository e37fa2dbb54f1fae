"""When a registration in a pretrained model comes with its second half, and what `_init_weights` then says."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.engine.session import Session
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

MODEL = """\
import torch
from torch import nn
from transformers import PreTrainedModel
from transformers import initialization as init


class Base(PreTrainedModel):
    def _init_weights(self, module):
        super()._init_weights(module)


class Model(Base):
    def __init__(self, config, n):
        super().__init__(config)
        self.n = n
        self.x = torch.arange(n)

    def forward(self, y):
        return y + self.x
"""
SETTINGS = Settings(root=Path())
SESSION = Session(SETTINGS)
"""One for all, since reading transformers takes seconds."""
STORE = "        self.x = torch.arange(n)\n"
INIT = "        super()._init_weights(module)\n"


def applicability(text: str) -> Applicability:
    (finding,) = check_source(SourceText.from_text(text), Path("model.py"), SETTINGS, session=SESSION).findings
    assert finding.fix is not None
    return finding.fix.applicability


def initialiser(text: str) -> str:
    """The body of ``_init_weights`` after the fix."""
    result = check_source(SourceText.from_text(text), Path("model.py"), SETTINGS, fix=FixMode.UNSAFE, session=SESSION)
    assert result.fixed is not None
    return result.fixed.after.partition(INIT)[2].partition("\n\n\nclass")[0]


@pytest.mark.parametrize(
    ("store", "lines"),
    [
        ("self.x = torch.arange(n)", ["    init.copy_(module.x, torch.arange(module.n))"]),
        ("self.x = torch.arange(config.n)", ["    init.copy_(module.x, torch.arange(module.config.n))"]),
        (
            "self.x = torch.tensor([k * n for k in range(3)])",
            ["    init.copy_(module.x, torch.tensor([k * module.n for k in range(3)]))"],
        ),
        (
            "self.x = torch.full(\n            (n, n),\n            1,\n        )",
            [
                "    init.copy_(",
                "        module.x,",
                "        torch.full(",
                "            (module.n, module.n),",
                "            1,",
                "        ),",
                "    )",
            ],
        ),
    ],
)
def test_the_constructor_s_words_become_those_of_init_weights(store: str, lines: list[str]) -> None:
    said = initialiser(MODEL.replace(STORE, f"        {store}\n"))
    assert said.splitlines() == [f"        {line}" for line in ["if isinstance(module, Model):", *lines]]


@pytest.mark.parametrize(
    ("tests", "head"),
    [
        (("n", "n or n < 0"), ["if isinstance(module, Model) and module.n and (module.n or module.n < 0):"]),
        (
            ("config.a", "n > 1 or config.b"),
            [
                "if (",
                "    isinstance(module, Model)",
                "    and module.config.a",
                "    and (module.n > 1 or module.config.b)",
                "):",
            ],
        ),
    ],
)
def test_conditions_of_the_constructor_hold_there_too(tests: tuple[str, str], head: list[str]) -> None:
    outer, inner = tests
    store = f"        if {outer}:\n            if {inner}:\n                self.x = torch.arange(n)\n"
    said = initialiser(MODEL.replace(STORE, store))
    lines = [*head, "    init.copy_(module.x, torch.arange(module.n))"]
    assert said.splitlines() == [f"        {line}" for line in lines]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (STORE, "        m = n + 1\n        self.x = torch.arange(m)\n"),
        (STORE, "        self.x = torch.arange(int(f'{n}'))\n"),
        (STORE, "        self.x = torch.arange(n := 3)\n"),
        (STORE, "        with torch.no_grad():\n            self.x = torch.arange(n)\n"),
        (STORE, "        if n:\n            self.y = 1\n        else:\n            self.x = torch.arange(n)\n"),
        (STORE, '        self.x = torch.arange(\n            len("""\n            """)\n        )\n'),
        ("        self.n = n\n", ""),
        ("        self.n = n\n", "        self.n = n\n        n = n + 1\n"),
        (INIT, "        if not module:\n            return\n"),
        (INIT, "        pass\n"),
        (INIT, "        print(module.x)\n"),
        (INIT, "        torch = init\n        torch.copy_(module)\n"),
        ("(self, module)", "(self, module, n=1)"),
        ("(self, module):\n        super()", "(self, module): super()"),
        ("class Model", "class Other:\n    def _init_weights(self, module):\n        print()\n\n\nclass Model"),
        ("from transformers import initialization as init\n", ""),
        ("from transformers import initialization as init\n", "import transformers\n"),
    ],
)
def test_what_init_weights_cannot_say_stays_advice(old: str, new: str) -> None:
    assert applicability(MODEL) is Applicability.UNSAFE
    assert old in MODEL
    assert applicability(MODEL.replace(old, new)) is Applicability.DISPLAY


def test_what_is_handed_in_cannot_be_computed_again() -> None:
    text = MODEL.replace("config, n)", "config, n: torch.Tensor)").replace("        self.n = n\n", "")
    assert applicability(text.replace("torch.arange(n)", "n")) is Applicability.DISPLAY


@pytest.mark.parametrize("condition", ["", "if n:\n    if config.has_positions and config.has_several_of_them:\n"])
def test_one_condition_holds_what_several_fixes_fill(condition: str) -> None:
    stores = indent("self.x = torch.arange(n)\nself.z = torch.ones(n)\n", "        " if condition else "")
    text = MODEL.replace(STORE, indent(condition + stores, "        ")).replace("y + self.x", "y + self.x + self.z")
    lines = initialiser(text).splitlines()
    assert sum("isinstance(module, Model)" in line for line in lines) == 1
    assert lines[-2:] == [
        "            init.copy_(module.x, torch.arange(module.n))",
        "            init.copy_(module.z, torch.ones(module.n))",
    ]
