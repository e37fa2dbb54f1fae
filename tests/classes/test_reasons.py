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
        "# it is a tensor and not a parameter or buffer because DeepSpeed would convert it",
        "# neither a Parameter nor a buffer: the optimizer sees it",
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
    ("comment", "expected"),
    [
        ("# DO NOT USING REGISTER BUFFER HERE, it would lose the imaginary part", True),
        ("# never register a buffer: the next one is complex", True),
        ("# register it as a buffer", False),
        ("# not a buffer", False),
    ],
)
@pytest.mark.parametrize("between", ["\n", "self.y = torch.ones(4)\n\n"])
def test_a_comment_that_follows_has_to_forbid(comment: str, between: str, *, expected: bool) -> None:
    text = SourceText.from_text(f"{STATEMENT}\n{between}{comment}\nself.z = 1\n")
    assert says_no_buffer(text, Span(Position(1, 1), Position(1, len(STATEMENT) + 1))) is expected


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
