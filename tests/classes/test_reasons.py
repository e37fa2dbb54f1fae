"""What authors write where they leave a tensor plain on purpose, and what only sounds like it."""

from __future__ import annotations

import pytest

from regbuf_lint.classes.reasons import names_say_plain, says_no_buffer
from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.text import SourceText

STATEMENT = "self.x = torch.ones(3)"


def says(comment: str) -> bool:
    text = SourceText.from_text(f"{comment}\n{STATEMENT}\n")
    row = text.rows - 1
    return says_no_buffer(text, Span(Position(row, 1), Position(row, len(STATEMENT) + 1)))


@pytest.mark.parametrize(
    "comment",
    [
        "# don't use register_buffer otherwise dtype will be changed in to()",
        "# 1) can't use buffer, see issue 68407",
        "# Plain CPU tensors, not buffers: numpy wants them there",
        "# Do not register a buffer here",
        "# kept as an attribute instead of a buffer",
        "# NOT registered as buffers, since they are rebuilt",
        "# no `register_buffer`: DDP would broadcast it",
    ],
)
def test_reasons(comment: str) -> None:
    assert says(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# not trainable, so a buffer",
        "# not a parameter but a buffer",
        "# a non-persistent buffer",
        "# no gradient buffer needed",
        "# TODO: make this a buffer",
        "# the replay buffer is not full yet",
        "register_buffer = None  # not used",
        "# not a buffer\n",
    ],
)
def test_no_reasons(comment: str) -> None:
    assert not says(comment)


@pytest.mark.parametrize(
    ("class_name", "attribute", "plain"),
    [
        ("Sample", "unregistered_tensor", True),
        ("test_unregistered_tensors.Core", "weight", True),
        ("DummyModule", "weight", True),
        ("Model", "example_inputs", True),
        ("Model", "dummy", False),
        ("DummyModule.Inner", "weight", False),
        ("Model", "examples", False),
    ],
)
def test_names(class_name: str, attribute: str, *, plain: bool) -> None:
    assert names_say_plain(class_name, attribute) is plain
