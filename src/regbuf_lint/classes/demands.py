"""What methods demand of a tensor in an attribute and a moved or cast buffer does not meet."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from regbuf_lint.classes.cpu_company import is_given_to_numpy, joins_new_tensors
from regbuf_lint.classes.definition import BUILDERS, methods_where, receiver_name
from regbuf_lint.classes.moves import unmoved
from regbuf_lint.classes.stores import is_own, names_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


class Demand(Enum):
    """What a method wants of the tensor."""

    HOST = "that NumPy takes it"
    DTYPE = "that it has some dtype"
    PLACE = "that it is on the CPU, where the method makes a tensor beside it"
    MEMORY = "that it has memory of its own, when it becomes the data of another tensor"


def demands_on(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> Mapping[Demand, str]:
    """What methods that run later demand of the attribute, with a method that does.

    Args:
        definitions: the class and its bases, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    callable_again = [
        function
        for function in methods_where(definitions, lambda name: name not in BUILDERS)
        if names_own(function, attribute)
    ]
    later = [function for function in callable_again if runs_later(function.name)]
    found = {
        Demand.HOST: _first(later, lambda function: _gives_to_numpy(function, attribute)),
        Demand.DTYPE: _first(later, lambda function: _asserts_dtype(function, attribute)),
        Demand.PLACE: _first(later, lambda function: joins_new_tensors(definitions, function, attribute)),
        Demand.MEMORY: _first(callable_again, lambda function: _shares(function, attribute)),
    }
    return {demand: method for demand, method in found.items() if method is not None}


def _first(functions: Iterable[FunctionNode], makes: Callable[[FunctionNode], bool]) -> str | None:
    return next((function.name for function in functions if makes(function)), None)


def _gives_to_numpy(function: FunctionNode, attribute: str) -> bool:
    """Whether a method gives NumPy the attribute as it is, which raises for a tensor on an accelerator."""
    receiver = receiver_name(function)
    given = any(is_given_to_numpy(node, receiver, attribute) for node in ast.walk(function))
    return given or any(_reads(function, function, attribute, "numpy"))


def _asserts_dtype(function: FunctionNode, attribute: str) -> bool:
    """Whether a method asserts of which dtype the attribute is, so that a buffer that is cast trips it."""
    asserted = (node.test for node in ast.walk(function) if isinstance(node, ast.Assert))
    return any(True for test in asserted for _ in _reads(test, function, attribute, "dtype"))


def _reads(node: ast.AST, function: FunctionNode, attribute: str, part: str) -> Iterator[ast.Attribute]:
    """The places below a node of a method that say ``self.attribute.part``."""
    receiver = receiver_name(function)
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and one.attr == part and is_own(one.value, receiver, attribute):
            yield one


def _shares(function: FunctionNode, attribute: str) -> bool:
    """Whether ``weight.data = self.x.to(...)`` is there, which is a copy only as long as the two are on two devices."""
    receiver = receiver_name(function)
    assignments = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
    given = (node.value for node in assignments if any(map(_is_data, node.targets)))
    return any(is_own(unmoved(value), receiver, attribute) for value in given)


def _is_data(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == "data"
