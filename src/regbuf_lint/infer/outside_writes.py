"""What code outside of a class assigns to an attribute of its objects, as far as the attribute's name tells."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.outside_uses import given_to_others
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.outside_reads import MOST_FILES
from regbuf_lint.infer.state import State
from regbuf_lint.model.value import TENSOR_KINDS, NoneValue, Unknown

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.span import Span


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
    own = symbol.scope.file
    name = symbol.scope.qualname.rpartition(".")[2]
    every = inference.project.files_reading(own, attribute)
    others = (one for one in every if one is not own and name in one.source.text)
    for file in (own, *islice(others, MOST_FILES)):
        for target, value in given_to_others(file.tree).get(attribute, ()):
            if not _is_within(symbol, file, target) and _is_refused(inference, file, value, is_own=file is own):
                return file.span(target), file
    return None


def _is_within(symbol: ClassSymbol, file: FileFacts, target: ast.expr) -> bool:
    """Whether an assignment stands in the class itself: what it gives to its parts is theirs."""
    node = symbol.scope.node
    if file is not symbol.scope.file or not isinstance(node, ast.ClassDef):
        return False
    return node.lineno <= target.lineno <= (node.end_lineno or node.lineno)


def _is_refused(inference: Inference, file: FileFacts, value: ast.expr, *, is_own: bool) -> bool:
    """Whether a buffer refuses a value, with TypeError; in the class's own file, whether it may."""
    found = Frame(inference, file.scope).evaluate(value, State())
    if is_own:
        return not found or not all(isinstance(one, (NoneValue, *TENSOR_KINDS)) for one in found)
    return bool(found) and not any(isinstance(one, (NoneValue, Unknown, *TENSOR_KINDS)) for one in found)
