"""Methods, properties and class-level names of one class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct, field

from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import FunctionNode, nested_blocks
from regbuf_lint.index.tree import last_name, of_kind, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regbuf_lint.index.symbols import ClassSymbol

BUILDERS = frozenset({"__init__", "__post_init__"})
"""Methods that run when an object is made."""
_TAKING_CLASS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
"""Methods to which Python gives the class, without a decorator that says so (language reference, 3.3)."""
REGISTRIES = ("_buffers", "_parameters", "_modules")
"""The dictionaries in which an nn.Module keeps what it moves and saves."""
_PROPERTY_DECORATORS = frozenset({"property", "cached_property", "lazy_property", "abstractproperty"})


class ClassDefinition(Struct, eq=False):
    """One class as it is written, bases left aside.

    Attributes:
        symbol: the class.
        methods: functions that are called on an instance, static and class methods included.
        properties: getters that run when the attribute is read.
        setters: functions that run when the attribute is assigned.
        values: class-level assignments.
        annotations: class-level annotations, with or without a value.
        decorators: last parts of the names of the class's decorators.
    """

    symbol: ClassSymbol
    methods: dict[str, FunctionNode] = field(default_factory=dict)
    properties: dict[str, FunctionNode] = field(default_factory=dict)
    setters: dict[str, FunctionNode] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    decorators: frozenset[str] = frozenset()

    @property
    def functions(self) -> tuple[FunctionNode, ...]:
        """All functions of its body."""
        return (*self.methods.values(), *self.properties.values(), *self.setters.values())

    def defines(self, name: str) -> bool:
        """Whether ``hasattr`` of an instance is true for ``name`` because of the class's own body."""
        return name in self.methods or name in self.properties or name in self.values


def define(symbol: ClassSymbol) -> ClassDefinition:
    """Read the body of a class."""
    definition = ClassDefinition(symbol)
    node = symbol.scope.node
    if isinstance(node, ast.ClassDef):
        definition.decorators = decorator_names(node)
        _read(node.body, definition)
    return definition


def methods_where(definitions: Iterable[ClassDefinition], holds: Callable[[str], bool]) -> Iterator[FunctionNode]:
    """The methods of some classes of whose names something holds."""
    return (function for one in definitions for name, function in one.methods.items() if holds(name))


def methods_given_nothing(definitions: Iterable[ClassDefinition]) -> Iterator[FunctionNode]:
    """The methods of some classes, ``forward`` left aside, that take the object alone."""
    methods = methods_where(definitions, lambda name: name != "forward")
    return (function for function in methods if len(arguments_with_defaults(function)) == 1)


def decorator_names(node: ast.ClassDef | FunctionNode) -> frozenset[str]:
    """Last parts of the names of the decorators: ``setter`` for ``@weight.setter``."""
    return frozenset(_last_part(decorator) for decorator in node.decorator_list)


@once_per_node
def names_in(function: FunctionNode) -> frozenset[str]:
    """Every name that a function reads, binds or takes as an argument."""
    found = {node.id for node in of_kind(function, ast.Name)}
    return frozenset(found | {node.arg for node in of_kind(function, ast.arg)})


@once_per_node
def stored_in(node: ast.AST) -> frozenset[str]:
    """Every name that a function or expression binds, those of arguments left aside."""
    return frozenset(one.id for one in of_kind(node, ast.Name) if isinstance(one.ctx, ast.Store))


@once_per_node
def bound_in(function: ast.AST) -> frozenset[str]:
    """Every name that a function or expression binds or takes as an argument."""
    return stored_in(function) | {node.arg for node in of_kind(function, ast.arg)}


def names_string(expressions: Iterable[ast.expr], text: str) -> bool:
    """Whether a string in some expressions is just ``text``."""
    nodes = (node for one in expressions for node in walk(one))
    return any(isinstance(node, ast.Constant) and node.value == text for node in nodes)


def is_abstract(function: FunctionNode) -> bool:
    """Whether a method is there for subclasses to replace: its body does nothing, or raises NotImplementedError."""
    if "abstractmethod" in decorator_names(function):
        return True
    body = [one for one in function.body if not _is_constant(one)]
    if not body:
        return True
    raised = body[0].exc if isinstance(body[0], ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_constant(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, ``...`` or ``pass``."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def receiver_name(function: FunctionNode) -> str | None:
    """Name of the first parameter of a method, whatever it is called; None where there is none."""
    if "staticmethod" in decorator_names(function):
        return None
    positional = positional_arguments(function)
    return positional[0].arg if positional else None


def takes_object(function: FunctionNode) -> bool:
    """Whether the first argument of a function in a class body is an object of the class."""
    return function.name not in _TAKING_CLASS and decorator_names(function).isdisjoint({"staticmethod", "classmethod"})


def positional_names(function: FunctionNode) -> list[str]:
    """Names of a method's positional arguments, without that of the object."""
    return [argument.arg for argument in positional_arguments(function)[1:]]


def positional_arguments(function: FunctionNode | ast.Lambda) -> list[ast.arg]:
    """A function's positional arguments, in order."""
    return [*function.args.posonlyargs, *function.args.args]


def arguments_with_defaults(function: FunctionNode | ast.Lambda) -> list[tuple[ast.arg, ast.expr | None]]:
    """Every argument of a function that has a name of its own, with its default; the keyword-only ones come last."""
    positional = positional_arguments(function)
    missing = len(positional) - len(function.args.defaults)
    return [
        *zip(positional, [*[None] * missing, *function.args.defaults], strict=True),
        *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True),
    ]


def given_expressions(function: FunctionNode, call: ast.Call, *, is_method: bool = True) -> dict[str, ast.expr]:
    """What a call of a method, or of another function, gives for each argument.

    Nothing for those left out, or that stand behind a star.
    """
    given: dict[str, ast.expr] = {}
    names = positional_names(function) if is_method else [one.arg for one in positional_arguments(function)]
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        given[name] = value
    return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}


def is_name(node: ast.AST | None, name: str | None) -> bool:
    """Whether an expression is a certain name, alone."""
    return isinstance(node, ast.Name) and node.id == name


def is_none(node: ast.AST | None) -> bool:
    """Whether an expression is the word ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def name_in_torch(function: ast.expr) -> str:
    """``exp`` for ``torch.exp``; empty for anything else."""
    return function.attr if isinstance(function, ast.Attribute) and is_name(function.value, "torch") else ""


def _last_part(decorator: ast.expr) -> str:
    return last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _read(body: list[ast.stmt], definition: ClassDefinition) -> None:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _read_function(statement, definition)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    definition.values[target.id] = statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            definition.annotations[statement.target.id] = statement.annotation
            if statement.value is not None:
                definition.values[statement.target.id] = statement.value
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for block in nested_blocks(statement):
                _read(block, definition)


def _read_function(function: FunctionNode, definition: ClassDefinition) -> None:
    decorators = decorator_names(function)
    if decorators & _PROPERTY_DECORATORS:
        definition.properties[function.name] = function
    elif "setter" in decorators:
        definition.setters[function.name] = function
    elif not decorators & {"overload", "deleter", "getter"}:
        definition.methods[function.name] = function
