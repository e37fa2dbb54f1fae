"""Whether an attribute that holds a list or tuple is only read in ways that a new list serves as well."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.tree import children, walk
from regbuf_lint.model.mention import mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.model.span import Span

_READING = frozenset(
    {
        "len", "enumerate", "zip", "list", "tuple", "set", "reversed", "sorted", "sum", "any", "all", "min", "max",
        "map", "filter", "iter", "print", "repr", "str", "bool",
        "stack", "cat", "concat", "hstack", "vstack", "dstack", "block_diag", "broadcast_tensors", "chain", "product",
        "islice", "pairwise",
    }
)  # fmt: skip
"""Functions that go through what they are given and do not keep it: Python's, torch's and those of itertools."""

_READING_METHODS = frozenset({"index", "count", "copy"})
_BY_NAME = frozenset({"getattr", "setattr", "hasattr", "delattr", "attrgetter"})
_MOST_ALIASES = 3


def obstacle(definitions: Iterable[ClassDefinition], tree: ast.Module, attribute: str, assignment: Span) -> str | None:
    """Why a property that makes a list each time it is asked cannot take the attribute's place.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        tree: the file of the class, which may use the attribute of its objects anywhere.
        attribute: the attribute.
        assignment: the one statement that assigns it.
    """
    nodes = [one.symbol.scope.node for one in definitions]
    family = [node for node in nodes if isinstance(node, ast.ClassDef)]
    here = set(walk(tree))
    roots: list[ast.AST] = [tree, *(node for node in family if node not in here)]
    for root in roots:
        uses = _Uses(root, attribute, family, assignment if root is tree else None)
        reason = next(uses.obstacles(), None)
        if reason is not None:
            return reason
    return None


class _Uses:
    """The uses of an attribute in a file, or in one class of another file."""

    def __init__(self, root: ast.AST, attribute: str, family: list[ast.ClassDef], assignment: Span | None) -> None:
        self._attribute = attribute
        self._family = family
        self._assignment = assignment
        self._nodes = list(walk(root))
        self._parents = {child: node for node in self._nodes for child in children(node)}

    def obstacles(self) -> Iterator[str]:
        for node in self._nodes:
            if isinstance(node, ast.Constant) and node.value == self._attribute and self._is_name(node):
                yield f"{self._where(node)} has its name in a string"
            if isinstance(node, ast.Attribute) and node.attr == self._attribute and not self._is_foreign(node):
                reason = self._reason(node)
                if reason is not None:
                    yield f"{self._where(node)} {reason}"

    def _reason(self, node: ast.Attribute) -> str | None:
        if isinstance(node.ctx, ast.Del):
            return "deletes it"
        if isinstance(node.ctx, ast.Store):
            return None if self._is_the_assignment(node) else "assigns it"
        return self._reason_of_read(node, 0)

    def _is_the_assignment(self, node: ast.Attribute) -> bool:
        statement = self._parents.get(node)
        is_assigned = isinstance(statement, (ast.Assign, ast.AnnAssign))
        return is_assigned and self._assignment is not None and node.lineno == self._assignment.start.row

    def _is_foreign(self, node: ast.Attribute) -> bool:
        """Whether it is an attribute of ``self`` in a class that has nothing to do with this one."""
        inner: ast.AST | None = node
        while inner is not None:
            outer = self._parents.get(inner)
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(outer, ast.ClassDef):
                own = isinstance(node.value, ast.Name) and node.value.id == receiver_name(inner)
                return own and outer not in self._family
            inner = outer
        return False

    def _reason_of_read(self, node: ast.expr, depth: int) -> str | None:
        parent = self._parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return None if isinstance(parent.ctx, ast.Load) else "replaces one of its items"
        if isinstance(parent, ast.Attribute):
            return None if parent.attr in _READING_METHODS else f"uses its `.{parent.attr}`"
        if isinstance(parent, ast.Assign) and parent.value is node:
            return self._reason_of_assignment(parent, depth)
        if self._is_gone_through(parent, node):
            return None
        return "passes it on to what may keep or change it"

    def _is_gone_through(self, parent: ast.AST | None, node: ast.expr) -> bool:
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return parent.test is node
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.Not)
        if isinstance(parent, ast.Call):
            return node in parent.args and self._is_reading(parent.func)
        if isinstance(parent, ast.BinOp):
            return isinstance(parent.op, (ast.Add, ast.Mult))
        if isinstance(parent, ast.Compare):
            return all(isinstance(one, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for one in parent.ops)
        return isinstance(parent, (ast.Starred, ast.FormattedValue, ast.Expr))

    def _is_reading(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Attribute):
            is_method = isinstance(function.value, ast.Name) and function.value.id in {"self", "cls"}
            return function.attr in _READING and not is_method
        return isinstance(function, ast.Name) and function.id in _READING

    def _reason_of_assignment(self, statement: ast.Assign, depth: int) -> str | None:
        """``a, b = self.x`` is fine; what becomes of ``local = self.x`` is looked at."""
        for target in statement.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                continue
            if not isinstance(target, ast.Name) or depth == _MOST_ALIASES:
                return "passes it on to what may keep or change it"
            reason = self._reason_of_local(statement, target.id, depth + 1)
            if reason is not None:
                return reason
        return None

    def _reason_of_local(self, statement: ast.stmt, name: str, depth: int) -> str | None:
        function = self._function_around(statement)
        if function is None:
            return "passes it on to what may keep or change it"
        for node in walk(function):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return "changes it"
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                reason = self._reason_of_read(node, depth)
                if reason is not None:
                    return reason
        return None

    def _function_around(self, node: ast.AST) -> FunctionNode | None:
        inner: ast.AST | None = node
        while inner is not None and not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = self._parents.get(inner)
        return inner

    def _is_name(self, node: ast.Constant) -> bool:
        """Whether a string is a name given to ``getattr`` and the like, or one of a list of names in the class."""
        parent = self._parents.get(node)
        if isinstance(parent, ast.Call):
            function = parent.func
            return getattr(function, "attr", getattr(function, "id", "")) in _BY_NAME
        return isinstance(parent, (ast.List, ast.Tuple, ast.Set)) and self._is_in_family(node)

    def _is_in_family(self, node: ast.AST) -> bool:
        inner: ast.AST | None = node
        while inner is not None and inner not in self._family:
            inner = self._parents.get(inner)
        return inner is not None

    def _where(self, node: ast.expr) -> str:
        """What uses it, in words, with the line where that is in the file of the class."""
        function = self._function_around(node)
        name = "the file" if function is None else f"`{function.name}`"
        return name if self._assignment is None else f"{name} ({mention(node.lineno)})"
