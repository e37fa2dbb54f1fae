"""Whether code outside of a class and its file reads an attribute of its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.classes.outside_uses import read_outside
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.infer.subclasses import subclasses_in

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.infer.inference import Inference

MOST_FILES = 24
"""Files with such a name that are looked through; a name that more of them have is taken to be read."""


def is_read_in_other_files(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether another file of the package reads an attribute of that name from what may be an object of a class.

    What a class reads from its own objects is its own attribute, unless it inherits from ``symbol``, or nobody at hand
    gives its objects one.
    """
    own = symbol.scope.file
    others = (one for one in inference.project.files_reading(own, attribute) if one is not own)
    return any(
        number > MOST_FILES or _is_read_in(inference, symbol, attribute, file)
        for number, file in enumerate(others, start=1)
    )


def _is_read_in(inference: Inference, symbol: ClassSymbol, attribute: str, file: FileFacts) -> bool:
    classes = [ClassSymbol(scope) for scope in file.class_scopes()]
    reading = (one for one in classes if _reads_when_built(inference, one, attribute))
    if any(symbol in inference.classes(one) or not _is_given_one(inference, one, attribute) for one in reading):
        return True
    return read_outside(file.tree, map(inference.definition, classes), attribute)


def _reads_when_built(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether a method of a class reads an attribute of its object, constructors left aside."""
    return not inference.uses(symbol).read.get(attribute, set()) <= BUILDERS


def _is_given_one(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    """Whether objects of a class have an attribute of that name by it, by a base, or by a subclass in its file."""
    below = subclasses_in(inference, symbol, symbol.scope.file)
    return any(_gives_one(inference, one, attribute) for one in (symbol, *below))


def _gives_one(inference: Inference, symbol: ClassSymbol, attribute: str) -> bool:
    return any(
        attribute in inference.uses(base).stored or inference.definition(base).defines(attribute)
        for base in inference.classes(symbol)
    )
