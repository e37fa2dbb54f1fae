"""What code outside of a class writes to its objects: attributes, as far as their names tell, and all buffers alike."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.buffer_walks import computes_with_each_buffer
from regbuf_lint.classes.outside_uses import given_to_others
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.outside_reads import MOST_FILES
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import TENSOR_KINDS, NoneValue, Unknown, may_be

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value


def other_value_from_outside(
    inference: Inference, symbol: ClassSymbol, attribute: str
) -> tuple[Span, FileFacts] | None:
    """Where code outside of a class may give its attribute what no buffer takes; None where none does.

    What other files assign counts where they name the class and it certainly is no tensor: the attribute may be
    another class's.

    Args:
        inference: what the run shares.
        symbol: the class.
        attribute: its name.
    """
    places = _given_outside(inference, symbol, attribute)
    found = (one for one in places if _is_refused(inference, one, is_own=one.file is symbol.scope.file))
    return next(((one.file.span(one.target), one.file) for one in found), None)


def tensor_from_outside(inference: Inference, symbol: ClassSymbol, attribute: str) -> tuple[Span, FileFacts] | None:
    """Where code outside of a class gives its attribute another value that a buffer may take; None where none does.

    What only moves the tensor that is there reads the attribute in the same statement.

    Args:
        inference: what the run shares.
        symbol: the class.
        attribute: its name.
    """
    places = _given_outside(inference, symbol, attribute)
    found = (one for one in places if not one.reads_it and _may_be_tensor(_value_of(inference, one)))
    return next(((one.file.span(one.target), one.file) for one in found), None)


def averaged_from_outside(inference: Inference, symbol: ClassSymbol) -> tuple[Span, FileFacts] | None:
    """Where code of a class's package computes in place with each buffer of a model; None where none does."""
    every = inference.project.files_calling_method(symbol.scope.file, "buffers")
    found = ((file, computes_with_each_buffer(file.tree)) for file in islice(every, MOST_FILES))
    return next(((file.span(loop.iter), file) for file, loop in found if loop is not None), None)


class _Given(Struct, frozen=True):
    """An assignment to an attribute of some object that is not a method's own.

    Attributes:
        file: where it stands.
        target: the attribute.
        value: what it is given.
        reads_it: whether that is made of the attribute itself, as ``net.x = net.x.to(device)`` does.
    """

    file: FileFacts
    target: ast.expr
    value: ast.expr
    reads_it: bool


def _given_outside(inference: Inference, symbol: ClassSymbol, attribute: str) -> Iterator[_Given]:
    """What the class's own file, and files that name the class, assign to attributes of that name outside of it."""
    own = symbol.scope.file
    name = symbol.scope.qualname.rpartition(".")[2]
    every = inference.project.files_reading(own, attribute)
    others = (one for one in every if one is not own and name in one.source.text)
    for file in (own, *islice(others, MOST_FILES)):
        for target, value in given_to_others(file.tree).get(attribute, ()):
            if not _is_within(symbol, file, target):
                yield _Given(file, target, value, _is_made_of(target, value, attribute))


def _is_within(symbol: ClassSymbol, file: FileFacts, target: ast.expr) -> bool:
    """Whether an assignment stands in the class itself: what it gives to its parts is theirs."""
    node = symbol.scope.node
    if file is not symbol.scope.file or not isinstance(node, ast.ClassDef):
        return False
    return node.lineno <= target.lineno <= (node.end_lineno or node.lineno)


def _is_made_of(target: ast.expr, value: ast.expr, attribute: str) -> bool:
    """Whether a value is made of the attribute that it is given to, by an assignment or by ``setattr``."""
    owner = target.args[0] if isinstance(target, ast.Call) else getattr(target, "value", target)
    reads = (node for node in walk(value) if isinstance(node, ast.Attribute) and node.attr == attribute)
    return any(ast.dump(node.value) == ast.dump(owner) for node in reads)


def _value_of(inference: Inference, given: _Given) -> Value:
    return Frame(inference, given.file.scope).evaluate(given.value, State())


def _may_be_tensor(value: Value) -> bool:
    return not value or may_be(value, Unknown, *TENSOR_KINDS)


def _is_refused(inference: Inference, given: _Given, *, is_own: bool) -> bool:
    """Whether a buffer refuses a value, with TypeError; in the class's own file, whether it may."""
    found = _value_of(inference, given)
    if is_own and not given.reads_it:
        return not found or not all(isinstance(one, (NoneValue, *TENSOR_KINDS)) for one in found)
    return bool(found) and not any(isinstance(one, (NoneValue, Unknown, *TENSOR_KINDS)) for one in found)
