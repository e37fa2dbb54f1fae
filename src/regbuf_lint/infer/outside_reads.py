"""Whether code outside of a class reads an attribute of its objects, or calls a method of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS, is_name, receiver_name
from regbuf_lint.classes.outside_uses import read_outside
from regbuf_lint.index.calls import calls_of
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.index.tree import last_name
from regbuf_lint.infer.makers import method_around
from regbuf_lint.infer.subclasses import subclasses_in

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope
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


def is_called_by_others(inference: Inference, symbol: ClassSymbol, method: str) -> bool:
    """Whether code of the package calls a method of that name on an object other than its own ``self``."""
    own = symbol.scope.file
    files = dict.fromkeys((own, *inference.project.files_calling_method(own, method)))
    return any(_is_of_other(inference, *found) for file in files for found in calls_of(file, method))


def _is_of_other(inference: Inference, scope: Scope, call: ast.Call) -> bool:
    """Whether a call is of a method of an object that is not that of the method around it."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    if isinstance(owner, ast.Call) and last_name(owner.func) == "super":
        return False
    around = method_around(scope)
    if around is not None and isinstance(around.node, FUNCTIONS) and is_name(owner, receiver_name(around.node)):
        return False
    return not any(isinstance(one, ClassSymbol) for one in inference.project.resolve(scope, owner))


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
