"""Objects that are constructed with other arguments than those that a factory gives."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import textwrap
from collections import OrderedDict
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.checks.watching import profiled
from regbuf_lint.verify.worker.importing import file_of
from regbuf_lint.verify.worker.subject import BUILDING, seed_everything

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import FrameType

    from regbuf_lint.verify.worker.subject import Subject

_REACHING_OUT = re.compile(r"pretrain|download|url|hub|path|file|dir|cache|save|load|log|port", re.IGNORECASE)
"""Names of arguments that may have a constructor read, write or fetch something."""
_DTYPE, _DEVICE = re.compile(r"(?:^|_)dtype$"), re.compile(r"(?:^|_)device$")
_META = "meta"
_NO_SUCH = "another"
"""A text that no constructor compares with."""


@dataclass(frozen=True)
class Variation:
    """One argument that is another.

    Attributes:
        name: the argument.
        value: what it is instead.
        moves: whether it says on which device, or in which dtype, tensors are made.
    """

    name: str
    value: Any
    moves: bool = False

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class Construction:
    """How the outermost object of a class was constructed.

    Attributes:
        kind: the class.
        signature: what its initialiser takes, the object included.
        given: the arguments by name, defaults included, as they were when it began.
    """

    kind: type[nn.Module]
    signature: inspect.Signature
    given: dict[str, Any]

    def again(self, variation: Variation | None = None) -> nn.Module:
        """Construct an object with the same arguments, or with another one among them."""
        given = deepcopy(self.given)
        if variation is not None:
            rest = given.get(self._rest)
            owner = rest if isinstance(rest, dict) and variation.name in rest else given
            owner[variation.name] = variation.value
        bound = inspect.BoundArguments(self.signature, OrderedDict(given))
        seed_everything(BUILDING)
        return self.kind(*bound.args[1:], **bound.kwargs)

    def variations(self) -> Iterator[Variation]:
        """Yield what is tried; devices come last, since what classes keep may lie on them from then on."""
        rest = self.given.get(self._rest, {})
        named = {name: self.given[name] for name in list(self.signature.parameters)[1:] if name in self.given}
        found = [one for name, value in (named | rest).items() for one in other_values(name, value, self._texts)]
        yield from sorted(found, key=lambda one: one.value in (_META, torch.device(_META)))

    @cached_property
    def _rest(self) -> str:
        """The name under which the initialiser takes arguments of any name."""
        kinds = {one.kind: name for name, one in self.signature.parameters.items()}
        return kinds.get(inspect.Parameter.VAR_KEYWORD, "")

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        """The texts that methods of the class compare names and attributes with, and one more for each of these."""
        found: dict[str, set[str]] = {}
        with suppress(Exception):  # the source of what is made by a decorator or in a notebook may be lost
            for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(self.kind)))):
                if isinstance(node, ast.Compare):
                    inside = list(ast.walk(node))
                    texts = {
                        one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)
                    }
                    names = {getattr(one, "id", getattr(one, "attr", "")) for one in inside}
                    for name in names if texts else ():
                        found.setdefault(name, {_NO_SUCH}).update(texts)
        return {name: sorted(texts) for name, texts in found.items()}


def other_values(name: str, value: Any, texts: Mapping[str, Iterable[str]]) -> Iterator[Variation]:
    """Yield what an argument is instead; nothing where nothing is known of its kind, or it may reach out.

    Args:
        name: the argument.
        value: what it is.
        texts: by the names of arguments, texts that the code compares them with.
    """
    if _REACHING_OUT.search(name):
        return
    if isinstance(value, torch.dtype) or (value is None and _DTYPE.search(name)):
        yield Variation(name, torch.float64, moves=True)
    elif isinstance(value, torch.device):
        yield Variation(name, torch.device(_META), moves=True)
    elif _DEVICE.search(name) and (value is None or isinstance(value, str)):
        yield Variation(name, _META, moves=True)
    elif isinstance(value, bool):
        yield Variation(name, not value)
    elif isinstance(value, int):
        yield from (Variation(name, other) for other in sorted({value + 1, 2 * value} - {value}))
    elif isinstance(value, float):
        yield Variation(name, 2 * value or 1.0)
    elif isinstance(value, str):
        yield from (Variation(name, other) for other in texts.get(name, ()) if other != value)


def constructions(subject: Subject) -> list[Construction]:
    """Return how the objects were constructed that have plain tensors in the original, the first of each class."""
    kinds = set(_kinds(subject))
    found: dict[type, Construction | None] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name != "__init__" or not code.co_argcount:
            return
        given = dict(frame.f_locals)
        kind = type(given.get(code.co_varnames[0]))
        if kind in kinds and kind not in found:
            found[kind] = None
            with suppress(Exception):  # an argument that cannot be copied, or an initialiser that hides what it takes
                found[kind] = _construction(kind, code.co_varnames[0], given)

    with profiled(watch):
        subject.fresh()
    return [one for one in found.values() if one is not None]


def _construction(kind: type[nn.Module], own: str, given: dict[str, Any]) -> Construction | None:
    """Return how an object is constructed, None where the frame is not that of its class's initialiser."""
    signature = inspect.signature(kind.__init__)
    names = list(signature.parameters)
    if names[:1] != [own] or not given.keys() >= set(names):
        return None
    return Construction(kind, signature, {own: None, **deepcopy({name: given[name] for name in names[1:]})})


def _kinds(subject: Subject) -> Iterator[type[nn.Module]]:
    """Yield the classes of objects that have plain tensors in the original, where the fix may have changed them."""
    files = set(map(os.path.realpath, subject.files))
    for place in sorted(subject.places):
        with suppress(AttributeError):  # the way is another one now
            kind = type(subject.module.get_submodule(place.rpartition(".")[0]))
            if any(file_of(sys.modules.get(base.__module__)) in files for base in kind.__mro__):
                yield kind
