"""What the rest of a file does with the attributes and methods of an object that is not its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS, is_name, positional_arguments, receiver_name
from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.classes.uses import is_dict_of, looked_up
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import children, last_name, of_kind, walk
from regbuf_lint.model.use import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_HOOKING = frozenset({"register_forward_hook", "register_forward_pre_hook"})


@once_per_node
def hooked(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that a file registers as hooks, which run with the ``forward`` of some part."""
    arguments = (
        definition_of(function, argument)
        for function in walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in walk(function)
        if isinstance(node, ast.Call) and last_name(node.func) in _HOOKING
        for argument in (*node.args, *(one.value for one in node.keywords))
    )
    return frozenset(one.attr for one in arguments if isinstance(one, ast.Attribute))


@once_per_node
def always_called_in_forward(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that some ``forward`` of a file calls whenever it runs, on whatever object."""
    statements = (one for function in _serving_forward(tree) for one in _always_run(function.body))
    calls = (one.value for one in statements if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call))
    return frozenset(call.func.attr for call in calls if isinstance(call.func, ast.Attribute))


def _serving_forward(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Each ``forward`` of a file, and the methods beside it that run whenever it does."""
    for node in walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
            names = always_run_with(["forward"], [methods])
            yield from (methods[name] for name in names if name in methods)


def always_run_with(starting: Iterable[str], bodies: Sequence[Mapping[str, FunctionNode]]) -> Iterable[str]:
    """Names of methods that run whenever some do, these among them, by the bodies of classes that have them."""
    found: dict[str, None] = {}
    waiting = [*starting]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting.extend(called for body in bodies if name in body for called in _always_calls(body[name]))
    return found


def _always_calls(function: FunctionNode) -> Iterator[str]:
    """Names of the methods of the same object that a method calls whenever it runs."""
    values = (getattr(one, "value", None) for one in _always_run(function.body))
    called = (own_attribute(function, one.func) for one in values if isinstance(one, ast.Call))
    return (name for name in called if name is not None)


def _always_run(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that run whenever it does, in whatever loop but behind no condition or guard clause."""
    for statement in block:
        if isinstance(statement, (ast.For, ast.With)):
            yield from _always_run(statement.body)
        else:
            yield statement
        if isinstance(statement, ast.If) and of_kind(statement, ast.Return):
            return


@once_per_node
def set_from_outside(tree: ast.Module) -> Mapping[str, Sequence[ast.expr]]:
    """What each ``forward`` of a file sets attributes of that is not its own object, by attribute."""
    found: dict[str, list[ast.expr]] = {}
    for forward in _serving_forward(tree):
        for target, _ in stores_in(forward):
            if isinstance(target, ast.Attribute) and not is_name(target.value, _first_argument(forward)):
                found.setdefault(target.attr, []).append(target.value)
    return found


def _first_argument(function: ast.FunctionDef) -> str:
    """The object's name, or that of the context which ``torch.autograd.Function`` gives its static methods."""
    names = positional_arguments(function)
    return names[0].arg if names else ""


def read_outside(tree: ast.Module, definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a file reads an attribute of that name from an object other than its ``self``.

    One that passes it on, under the same name, leaves the question to whoever reads it there.
    """
    reads = _reads(tree).get(attribute, ())
    if not reads:
        return False
    receivers = {receiver_name(one) for definition in definitions for one in definition.methods.values()}
    return not all(isinstance(one.value, ast.Name) and one.value.id in receivers for one in reads)


def read_outside_class(tree: ast.Module, node: ast.AST, attribute: str) -> bool:
    """Whether code of a file outside of a class reads an attribute of that name from what is not its own object.

    Args:
        tree: the file.
        node: the class; what its own methods read from its parts is these parts' attribute.
        attribute: the name.
    """
    within = {id(one) for one in walk(node)}
    reads = [one for one in _reads(tree).get(attribute, ()) if id(one) not in within]
    return any(not isinstance(one.value, ast.Name) or one.value.id not in _receivers(tree) for one in reads)


@once_per_node
def _receivers(tree: ast.Module) -> frozenset[str | None]:
    """The names by which the methods of a file know their own objects."""
    methods = (one for owner in of_kind(tree, ast.ClassDef) for one in owner.body)
    return frozenset(receiver_name(one) for one in methods if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))


@once_per_node
def _reads(tree: ast.Module) -> Mapping[str, Sequence[ast.Attribute]]:
    """Where a file reads an attribute other than to give it to one of the same name, by its name.

    What is called there is a method: neither a tensor nor a list of tensors can be called.
    """
    elsewhere = {id(node.func) for node in of_kind(tree, ast.Call)}
    elsewhere |= {id(value) for target, value in stores_in(tree) if _is_attribute(value, getattr(target, "attr", None))}
    found: dict[str, list[ast.Attribute]] = {}
    for node in _running(tree, IDENTITY | BUILDERS | _run_by_builders(tree)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in elsewhere:
            found.setdefault(node.attr, []).append(node)
    return found


@once_per_node
def given_to_others(tree: ast.Module) -> Mapping[str, Sequence[tuple[ast.expr, ast.expr, ast.expr]]]:
    """What a file assigns to attributes of what is not a method's own object: places, objects, values, by attribute."""
    found: dict[str, list[tuple[ast.expr, ast.expr, ast.expr]]] = {}
    for target, owner, name, value in (*_assigned(tree), *_set_by_name(tree)):
        if not isinstance(owner, ast.Name) or owner.id not in _receivers(tree):
            found.setdefault(name, []).append((target, owner, value))
    return found


@once_per_node
def looked_up_in_dict(tree: ast.Module) -> Mapping[str, ast.expr]:
    """Names of attributes that a file looks up in the ``__dict__`` of what is not a method's own object, and where."""
    keys = (looked_up(node, lambda one: _is_dict_of_others(tree, one)) for node in walk(tree))
    return {key.value: key for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def _is_dict_of_others(tree: ast.Module, node: ast.AST) -> bool:
    if not is_dict_of(node):
        return False
    owner = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "value", None)
    return not (isinstance(owner, ast.Name) and owner.id in _receivers(tree))


def _assigned(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, str, ast.expr]]:
    for target, value in stores_in(tree):
        if isinstance(target, ast.Attribute):
            yield target, target.value, target.attr, value


def _set_by_name(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, str, ast.expr]]:
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]):
                yield node, owner, name, value


def _is_attribute(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name


def _running(tree: ast.AST, left_out: frozenset[str]) -> Iterator[ast.AST]:
    """The nodes of a file without those of the functions of some names.

    These are the methods that compare or show objects, or make new ones of them.
    """
    for node in children(tree):
        if not (isinstance(node, ast.FunctionDef) and node.name in left_out):
            yield node
            yield from _running(node, left_out)


def _run_by_builders(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that nothing of a file names but its constructors, and methods that these alone run."""
    naming: dict[str, set[str]] = {}
    for name, function in _named_methods(tree, ""):
        naming.setdefault(name, set()).add(function)
    methods = (one for owner in of_kind(tree, ast.ClassDef) for one in owner.body)
    found = {one.name for one in methods if isinstance(one, ast.FunctionDef) and one.name in naming} - BUILDERS
    while True:
        kept = {name for name in found if naming[name] <= found | BUILDERS}
        if kept == found:
            return frozenset(found)
        found = kept


def _named_methods(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
    """The names behind dots below a node, each with the function in which it stands; empty outside of functions."""
    for child in children(node):
        if isinstance(child, ast.Attribute):
            yield child.attr, function
        yield from _named_methods(child, child.name if isinstance(child, ast.FunctionDef) else function)
