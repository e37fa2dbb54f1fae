"""Classes that inherit from a class."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.index.symbols import ClassSymbol, own_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.inference import Inference

MOST_LOOKED_AT = 64
"""Subclasses that are looked at to find those among them that are nn.Module classes."""


def subclasses(inference: Inference, symbol: ClassSymbol) -> Iterator[ClassSymbol]:
    """Classes that inherit from a class: those of its own file first, then those of its package, by path.

    What they are depends on the files of the package alone, not on which of them were checked before.
    """
    seen = {symbol}
    pending = deque([symbol])
    while pending:
        for file in inference.project.files_deriving(symbol.scope.file, own_name(pending.popleft())):
            for subclass in subclasses_in(inference, symbol, file):
                if subclass not in seen:
                    seen.add(subclass)
                    pending.append(subclass)
                    yield subclass


def is_named_by_subclasses(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether a class of another file inherits from a class and uses the attribute, or too many do to look at all."""
    below = list(islice(subclasses(inference, symbol), MOST_LOOKED_AT + 1))
    others = (one for one in below if one.scope.file is not symbol.scope.file)
    return len(below) > MOST_LOOKED_AT or any(inference.uses(one).users(attribute) for one in others)


def subclasses_in(inference: Inference, symbol: ClassSymbol, file: FileFacts) -> list[ClassSymbol]:
    """Classes of a file that inherit from a class, in the order of the file."""
    return inference.subclasses.found(file, partial(_by_base, inference))[symbol.scope]


def _by_base(inference: Inference, file: FileFacts) -> defaultdict[Scope, list[ClassSymbol]]:
    """The classes of a file by each class that they inherit from."""
    found: defaultdict[Scope, list[ClassSymbol]] = defaultdict(list)
    for one in map(ClassSymbol, file.class_scopes()):
        for base in inference.classes(one)[1:]:
            found[base.scope].append(one)
    return found
