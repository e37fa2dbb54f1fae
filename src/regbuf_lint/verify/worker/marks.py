"""What rules are about to which torch itself has no objection: a fix takes some of it away.

Each mark is a name; where one thing happens several times, each time has its number, so that fewer times show.
"""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from contextlib import contextmanager, suppress
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from regbuf_lint.verify.stragglers import KEPT_BY_TORCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.verify.worker.subject import Subject

_MOVES = frozenset({"to", "cuda", "cpu", "type_as"})
_SUPPRESSION = "noqa"


def marks(subject: Subject) -> dict[str, list[str]]:
    """Return for each such rule what it is about in the module that is built."""
    module = subject.module
    return {
        "RBF106": [
            f"{path}.{name}"
            for path, owner in module.named_modules()
            for name, value in {**vars(owner), **vars(owner).get("_buffers", {})}.items()
            if value is None and name not in KEPT_BY_TORCH
        ],
        "RBF201": [name for name, one in module.named_parameters() if not one.requires_grad],
        **_registrations(subject),
        "RBF204": _numbered(_moves(subject)),
        "RBF901": _numbered(text for file in subject.texts for text in _suppressions(file)),
    }


def _numbered(names: Iterable[str]) -> list[str]:
    return [f"{name} #{number}" for name, times in Counter(names).items() for number in range(times)]


def _registrations(subject: Subject) -> dict[str, list[str]]:
    """Return which buffers are registered by a call, and which by assigning an ``nn.Buffer``, as one is built."""
    calls: list[str] = []
    assigned: list[str] = []
    original, assigning = nn.Module.register_buffer, nn.Module.__setattr__
    inside: list[str] = []

    def register_buffer(self: nn.Module, name: str, *arguments: Any, **others: Any) -> None:
        (assigned if inside else calls).append(f"{type(self).__qualname__}.{name}")
        original(self, name, *arguments, **others)

    def setattr_(self: nn.Module, name: str, value: Any) -> None:
        inside.append(name)
        try:
            assigning(self, name, value)
        finally:
            inside.pop()

    with _instead(nn.Module, "register_buffer", register_buffer), _instead(nn.Module, "__setattr__", setattr_):
        subject.fresh()
    return {"RBF202": _numbered(calls), "RBF203": _numbered(assigned)}


@contextmanager
def _instead(kind: type, name: str, function: Any) -> Iterator[None]:
    before = vars(kind)[name]
    setattr(kind, name, function)
    try:
        yield
    finally:
        setattr(kind, name, before)


def _moves(subject: Subject) -> list[str]:
    """Return the buffers that a call moves, once for each time."""
    module = subject.fresh()
    memory = {
        one.untyped_storage().data_ptr(): name
        for name, one in module.named_buffers()
        if one.layout is torch.strided and one.numel()
    }
    found: list[str] = []

    class Watching(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            if getattr(func, "__name__", "") in _MOVES and args and args[0].layout is torch.strided:
                name = memory.get(args[0].untyped_storage().data_ptr())
                found.extend([name] if name else [])
            return func(*args, **(kwargs or {}))

    with suppress(Exception, SystemExit), Watching():  # where it cannot be called, another check says so
        subject.call(module)
    return found


def _suppressions(file: str) -> Iterator[str]:
    text = decode_source(Path(file).read_bytes())
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and _SUPPRESSION in token.string:
                yield token.string
