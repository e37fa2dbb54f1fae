"""The fix of a list of tensors: what it writes under each setting, and why it is withheld."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import BufferStyle, Persistence, Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding

CLASS = """\
import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        {store}
        {more}

    def forward(self, x):
        return {read}
"""


def text(store: str, *, more: str = "self.count = len(sizes)", read: str = "x + self.masks[0]") -> str:
    return CLASS.format(store=store, more=more, read=read)


def findings(source: str, **settings: object) -> tuple[Finding, ...]:
    given = Settings(root=Path(), select=("RBF002",), **settings)  # type: ignore[arg-type]
    result = check_source(SourceText.from_text(source), Path("pyramid.py"), given)
    assert result.errors == ()
    return result.findings


def fixed(source: str, **settings: object) -> str:
    given = Settings(root=Path(), select=("RBF002",), **settings)  # type: ignore[arg-type]
    result = check_source(SourceText.from_text(source), Path("pyramid.py"), given, fix=FixMode.UNSAFE)
    assert result.fixed is not None
    assert result.findings == ()
    return result.fixed.after


def reason(source: str) -> str:
    (finding,) = findings(source)
    assert finding.fix is None
    return finding.help.partition("fix withheld: ")[2]


LITERAL = "self.masks = [torch.ones(3), torch.zeros(3)]"
COMPREHENSION = "self.masks = [torch.ones(n) for n in sizes]"


def test_the_style_of_assigned_buffers() -> None:
    style = {"buffer_style": BufferStyle.NN_BUFFER}
    assert "self.masks_1 = nn.Buffer(torch.zeros(3), persistent=False)\n" in fixed(text(LITERAL), **style)
    looped = fixed(text(COMPREHENSION), **style)
    assert 'setattr(self, f"masks_{i}", nn.Buffer(mask, persistent=False))\n' in looped


@pytest.mark.parametrize(
    ("store", "persistent", "adds"),
    [
        (LITERAL, Persistence.AUTO, ()),
        (LITERAL, Persistence.ALWAYS, ("masks_0", "masks_1")),
        (COMPREHENSION, Persistence.ALWAYS, ("masks_*",)),
        ("self.masks = [torch.randn(n) for n in sizes]", Persistence.AUTO, ("masks_*",)),
        ("self.masks = [torch.randn(n) for n in sizes]", Persistence.NEVER, ()),
    ],
)
def test_keys_that_a_checkpoint_gains(store: str, persistent: Persistence, adds: tuple[str, ...]) -> None:
    (finding,) = findings(text(store), persistent=persistent)
    assert finding.fix is not None
    assert finding.fix.adds == adds
    assert ("persistent=False" in finding.fix.edits[0].content) is not bool(adds)


def test_line_ends_tabs_and_a_last_line_without_end() -> None:
    source = dedent("""\
        import torch
        from torch import nn


        class Pyramid(nn.Module):
        \tdef forward(this, x):
        \t\treturn x + this.masks[0]

        \tdef __init__(this, sizes):
        \t\tsuper().__init__()
        \t\tthis.masks = [torch.ones(n) for n in sizes]  # rows""")
    assert fixed(source.replace("\n", "\r\n")).split("\r\n")[-8:] == [
        "\t\tmasks = [torch.ones(n) for n in sizes]  # rows",
        "\t\tfor i, mask in enumerate(masks):",
        '\t\t\tthis.register_buffer(f"masks_{i}", mask, persistent=False)',
        "\t\tthis._masks_count = len(masks)",
        "",
        "\t@property",
        "\tdef masks(this) -> list[torch.Tensor]:",
        '\t\treturn [getattr(this, f"masks_{i}") for i in range(this._masks_count)]',
    ]


def test_a_method_that_follows_at_once_gets_an_empty_line() -> None:
    source = text(LITERAL, read="x + self.masks[0] + self.rows[0]").replace("\n\n    def forward", "\n    def forward")
    assert "        return [self.masks_0, self.masks_1]\n\n    def forward" in fixed(source)
    several = fixed(source.replace(LITERAL, f"{LITERAL}\n        self.rows = (torch.ones(3),)"))
    assert "        return [self.masks_0, self.masks_1]\n\n    @property\n    def rows(self)" in several
    assert "        return (self.rows_0,)\n\n    def forward" in several


def test_new_locals_hide_nothing() -> None:
    source = text("self.len = [torch.ones(n) for n in sizes]", read="x + self.len[0]")
    assert "        self._len_count = len(tensors)\n" in fixed(source)


def test_the_comment_behind_a_short_list_stands_above_and_one_for_tools_stays() -> None:
    assert "# low, high\n        self.register_buffer(" in fixed(text(f"{LITERAL}  # low, high"))
    assert "persistent=False)  # noqa: E501\n        self.register_buffer(" in fixed(text(f"{LITERAL}  # noqa: E501"))


def test_no_annotation_where_the_file_has_no_name_for_tensors() -> None:
    source = text(LITERAL).replace("import torch\nfrom torch import nn", "from torch import nn, ones, zeros")
    assert "    def masks(self):\n" in fixed(source.replace("torch.", ""))


def test_the_annotation_of_the_assignment_is_kept() -> None:
    source = text(LITERAL.replace("self.masks", "self.masks: 'list[torch.Tensor]'"))
    assert "    def masks(self) -> 'list[torch.Tensor]':\n" in fixed(source)
    final = text(LITERAL.replace("self.masks", "self.masks: Final[list]"))
    assert "    def masks(self) -> list[torch.Tensor]:\n" in fixed(final)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (text(LITERAL, read="self.masks"), "`forward` (line 12) passes it on to what may keep or change it"),
        (text(LITERAL, read="self.masks.pop()"), "`forward` (line 12) uses its `.pop`"),
        (
            text(LITERAL, read="self.reduce(self.masks)"),
            "`forward` (line 12) passes it on to what may keep or change it",
        ),
        (text(LITERAL, more="del self.masks[0]"), "`__init__` (line 9) replaces one of its items"),
        (text(LITERAL, read="getattr(self, 'masks')"), "`forward` (line 12) has its name in a string"),
        (text(LITERAL) + "    __constants__ = ['masks']\n", "the file (line 13) has its name in a string"),
        (text(LITERAL) + "\n\ntorch.jit.script(Pyramid([3]))\n", "the file mentions TorchScript, which"),
        (text(LITERAL) + "\n\nPyramid([3]).masks = []\n", "the file (line 15) assigns it"),
        (
            text(LITERAL) + "\n\ndef grow(pyramid):\n    pyramid.masks.append(3)\n",
            "`grow` (line 16) uses its `.append`",
        ),
        (text(LITERAL) + "    masks: list\n", "a class body defines `masks`, too"),
        (
            text(LITERAL) + "\n    def masks_1(self):\n        return 1\n",
            "the fix needs the name `masks_1`, which is another attribute",
        ),
        (text(LITERAL, more=LITERAL), "several statements assign it: `__init__` (line 8), `__init__` (line 9)"),
        (text("self.masks = {'a': torch.ones(3)}", read="self.masks['a']"), "it is a dict"),
        (text("self.masks = [torch.ones(3)] * 3"), "its value is neither written out nor"),
        (text("self.masks = [*torch.eye(3), torch.ones(3)]"), "its value unpacks another list"),
        (text("self.masks = []", more="self.masks.append(torch.ones(3))"), "it is stored empty and filled afterwards"),
        (
            text("self.parameters = [torch.ones(3)]", read="x + self.parameters[0]"),
            "`parameters` is also an attribute of `torch.nn.Module`",
        ),
        (text(LITERAL, more="for len in sizes: pass"), "`len` means something else in this file"),
        (text(f"{LITERAL}; self.a = 1"), "another statement shares its line"),
        (
            text("super().__init__()").replace("super", LITERAL + "\n        super", 1),
            "it is assigned before `super().__init__()`, where registering raises AttributeError",
        ),
        (
            text(LITERAL).replace("def forward", "def __setattr__"),
            "the class has its own `__setattr__`",
        ),
    ],
)
def test_why_it_is_withheld(source: str, expected: str) -> None:
    assert reason(source).startswith(expected)


@pytest.mark.parametrize(
    "read",
    [
        "x + torch.stack(self.masks).sum(0)",
        "x.clamp(*self.masks)",
        "[x + mask for mask in self.masks]",
        "x + self.masks[-1] if self.masks else x",
        "dict(enumerate(self.masks))[0] + len(self.masks)",
        "(self.masks + [x])[0]",
        "(f'{self.masks}', x + self.masks[0])",
        "self.masks[:1][0].add_(x)",
    ],
)
def test_what_only_reads_the_list_keeps_the_fix(read: str) -> None:
    (finding,) = findings(text(LITERAL, read=read))
    assert finding.fix is not None


def test_an_attribute_of_an_unrelated_class_is_another_one() -> None:
    source = (
        text(LITERAL)
        + "\n\nclass Bag:\n    def __init__(self):\n        self.masks = []\n        self.masks.append(1)\n"
    )
    assert "def masks(self)" in fixed(source)


def test_a_subclass_in_another_file_that_has_the_name_too(tmp_path: Path) -> None:
    """Its method would be what the property is; a subclass of the same file withholds the fix as well."""
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    source = SourceText.from_text(text(LITERAL))
    (package / "pyramid.py").write_text(source.text, encoding="utf-8")
    given = Settings(root=tmp_path, select=("RBF002",))

    def fix_beside(name: str) -> str:
        below = f"from pkg.pyramid import Pyramid\n\n\nclass Below(Pyramid):\n    def {name}(self):\n        pass\n"
        (package / "below.py").write_text(below, encoding="utf-8")
        (finding,) = check_source(source, package / "pyramid.py", given).findings
        return finding.help.partition("fix withheld: ")[2] if finding.fix is None else "fixed"

    assert fix_beside("other") == "fixed"
    assert fix_beside("masks") == "a class body defines `masks`, too"
