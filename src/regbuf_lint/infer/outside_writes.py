"""What code outside of a class writes to its objects: attributes, as far as their names tell, and all buffers alike."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.buffer_walks import computes_with_each_buffer
from regbuf_lint.classes.outside_uses import given_to_others
from regbuf_lint.index.tree import of_kind, stands_on
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.outside_reads import MOST_FILES
from regbuf_lint.infer.parts import may_be_object_of
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import TENSOR_KINDS, NoneValue, Unknown, is_only, may_be

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value


class Given(Struct, frozen=True):
    """An assignment to an attribute of some object that is not a method's own.

    Attributes:
        file: where it stands.
        span: the attribute there.
        value: what it is given.
        is_own: whether it stands in the class's own file; in others the attribute may be another class's.
        reads_it: whether the value is made of the attribute itself, as in ``net.x = net.x.to(device)``.
    """

    file: FileFacts
    span: Span
    value: Value
    is_own: bool
    reads_it: bool

    @property
    def is_refused(self) -> bool:
        """Whether a buffer refuses the value, with TypeError; in the class's own file, whether it may."""
        if self.is_own and not self.reads_it:
            return not is_only(self.value, NoneValue, *TENSOR_KINDS)
        return bool(self.value) and not may_be(self.value, NoneValue, Unknown, *TENSOR_KINDS)

    @property
    def is_another_tensor(self) -> bool:
        """Whether it may be a tensor, and not the one that is there, which is only moved."""
        return not self.reads_it and (not self.value or may_be(self.value, Unknown, *TENSOR_KINDS))


def given_from_outside(inference: Inference, symbol: ClassSymbol, attribute: str) -> Iterator[Given]:
    """What code outside of a class gives an attribute of that name: of its own file, and of files that name the class.

    Args:
        inference: what the run shares.
        symbol: the class.
        attribute: its name.
    """
    name = symbol.scope.qualname.rpartition(".")[2]
    for file, target, owner, value in _assignments(inference, symbol, attribute, name):
        if may_be_object_of(inference, symbol, file, owner):
            found = Frame(inference, file.scope).evaluate(value, State())
            is_own = file is symbol.scope.file
            yield Given(file, file.span(target), found, is_own, _is_made_of(owner, value, attribute))


def assigned_from_outside(inference: Inference, symbol: ClassSymbol, attribute: str) -> tuple[Span, FileFacts] | None:
    """Where code outside of a class assigns an attribute of that name, of whatever object; None where none does."""
    every = _assignments(inference, symbol, attribute)
    return next(((file.span(target), file) for file, target, _, _ in every), None)


def _assignments(
    inference: Inference, symbol: ClassSymbol, attribute: str, word: str = ""
) -> Iterator[tuple[FileFacts, ast.expr, ast.expr, ast.expr]]:
    """Targets outside of a class with that attribute, owners and values, in its file and others that have a word."""
    own = symbol.scope.file
    every = inference.project.files_reading(own, attribute)
    others = (one for one in every if one is not own and word in one.source.text)
    for file in (own, *islice(others, MOST_FILES)):
        for target, owner, value in given_to_others(file.tree).get(attribute, ()):
            if not _is_within(symbol, file, target):
                yield file, target, owner, value


def averaged_from_outside(inference: Inference, symbol: ClassSymbol) -> tuple[Span, FileFacts] | None:
    """Where code of a class's package computes in place with each buffer of a model; None where none does."""
    every = inference.project.files_calling_method(symbol.scope.file, "buffers")
    found = ((file, computes_with_each_buffer(file.tree)) for file in islice(every, MOST_FILES))
    return next(((file.span(loop.iter), file) for file, loop in found if loop is not None), None)


def _is_within(symbol: ClassSymbol, file: FileFacts, target: ast.expr) -> bool:
    """Whether an assignment stands in the class itself: what it gives to its parts is theirs."""
    node = symbol.scope.node
    return file is symbol.scope.file and isinstance(node, ast.ClassDef) and stands_on(node, target.lineno)


def _is_made_of(owner: ast.expr, value: ast.expr, attribute: str) -> bool:
    """Whether a value is made of the very attribute of an object that it is given to."""
    reads = (node for node in of_kind(value, ast.Attribute) if node.attr == attribute)
    return any(ast.dump(node.value) == ast.dump(owner) for node in reads)
