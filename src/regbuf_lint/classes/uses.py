"""Every use of a class's attributes in its methods, in whatever order they run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from contextlib import suppress
from string import Formatter
from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from regbuf_lint.classes.definition import ClassDefinition, is_name, is_none, name_in_torch, receiver_name
from regbuf_lint.classes.inner_functions import kept_functions
from regbuf_lint.classes.reaching import attribute_of, definition_of
from regbuf_lint.index.tree import last_name, of_kind, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regbuf_lint.index.scopes import FunctionNode

_DICT_LOOKUPS = frozenset({"get", "pop", "setdefault"})
_TAKING_KEYS = frozenset({"list", "tuple", "set", "sorted", "len"})
_ASKING = frozenset(
    {"super", "isinstance", "hasattr", "getattr", "setattr", "delattr", "vars", "type", "id", "len", "repr", "str"}
)
"""What Python has that asks an object for what it is, or for an attribute by its name."""

MOVERS = frozenset({"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "xpu"})
"""Methods that move or cast an nn.Module; each moves the parts of the object by ``APPLY`` alone (torch 2.13)."""

APPLY = "_apply"


class AttributeUses(Struct, eq=False):
    """How methods use the attributes of ``self``; each entry maps an attribute to names of methods.

    Attributes:
        stored: assigned, annotated, deleted or changed by an augmented assignment.
        deleted: ``del self.x``.
        guarded: asked for existence or None (``hasattr``, ``getattr`` with a default, ``is None``).
        read: read in any way.
        by_inner: read by a function that the method defines and gives to somebody, who may run it later.
        escaping: passed to a class or method (alone, or in a list or tuple), which may keep it.
        handing: methods that give the object itself to what they call, which may use any attribute.
        collating: methods passed as ``collate_fn``, which run on the CPU, in a loader's workers.
        dynamic: methods that reach attributes by names not known here (``vars(self)``, ``setattr`` with a variable).
        asking: methods that read attributes by names not known here (``getattr`` with a variable).
        in_dict: looked up in ``vars(self)`` or ``self.__dict__`` by its name.
        formatted: named in a text that a method fills in from ``__dict__``.
        dict_users: methods that use ``vars(self)`` or ``self.__dict__`` in any other way.
        taking_over: methods that give the object all that the ``__dict__`` of another one holds.
        reaching: methods that may change any attribute, whatever its name: ``dynamic`` ones, those left aside that only
            delete attributes or look known names up in ``__dict__``.
    """

    stored: dict[str, set[str]] = field(default_factory=dict)
    deleted: dict[str, set[str]] = field(default_factory=dict)
    guarded: dict[str, set[str]] = field(default_factory=dict)
    read: dict[str, set[str]] = field(default_factory=dict)
    by_inner: dict[str, set[str]] = field(default_factory=dict)
    escaping: dict[str, set[str]] = field(default_factory=dict)
    handing: set[str] = field(default_factory=set)
    collating: set[str] = field(default_factory=set)
    dynamic: set[str] = field(default_factory=set)
    asking: set[str] = field(default_factory=set)
    in_dict: dict[str, set[str]] = field(default_factory=dict)
    formatted: dict[str, set[str]] = field(default_factory=dict)
    dict_users: set[str] = field(default_factory=set)
    taking_over: set[str] = field(default_factory=set)
    reaching: set[str] = field(default_factory=set)

    @property
    def computing(self) -> set[str]:
        """Methods that reach attributes by names not known here."""
        return self.dynamic | self.reaching | self.asking

    def users(self, attribute: str) -> set[str]:
        """Methods that read or store an attribute."""
        return self.read.get(attribute, set()) | self.stored.get(attribute, set())

    def may_set(self, attribute: str | None) -> bool:
        """Whether the attribute might be set under a name that is not known here, or is looked up in ``__dict__``."""
        return bool(self.reaching) or attribute in self.in_dict


def together(bodies: Iterable[AttributeUses]) -> AttributeUses:
    """Uses in the bodies of several classes as if it were one body."""
    several = tuple(bodies)
    if len(several) == 1:
        return several[0]
    found = AttributeUses()
    for name, table in structs.asdict(found).items():
        added = filter(None, (getattr(uses, name) for uses in several))
        if isinstance(table, set):
            table.update(*added)
            continue
        for attribute, methods in (entry for one in added for entry in one.items()):
            table.setdefault(attribute, set()).update(methods)
    return found


def uses_of(definition: ClassDefinition, only: frozenset[str] | None = None) -> AttributeUses:
    """Collect the uses of a class's attributes in its own body, or in the methods named by ``only``."""
    uses = AttributeUses()
    functions = (*definition.methods.values(), *definition.properties.values(), *definition.setters.values())
    for function in functions:
        name = receiver_name(function) if only is None or function.name in only else None
        if name is not None:
            _Collector(uses, function, name).collect()
    return uses


def _names_of_object(function: FunctionNode, receiver: str) -> frozenset[str]:
    """The names that a method has for the object: its first parameter's, and those of locals that hold nothing else."""
    kept = [node for node in of_kind(function, ast.Assign) if _gives_object(node.value, receiver)]
    named = {one.id for node in kept for one in node.targets if isinstance(one, ast.Name)}
    if not named:
        return frozenset({receiver})
    bound = Counter(node.id for node in of_kind(function, ast.Name) if isinstance(node.ctx, ast.Store))
    return frozenset({receiver, *(name for name in named if bound[name] == 1)})


def _gives_object(node: ast.expr, receiver: str) -> bool:
    """Whether an expression is the object, or what a method that moves it gives back, which is the object as well."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MOVERS:
        owner = node.func.value
        return is_name(owner, receiver) or (isinstance(owner, ast.Call) and is_name(owner.func, "super"))
    return is_name(node, receiver)


class _Collector:
    def __init__(self, uses: AttributeUses, function: FunctionNode, receiver: str) -> None:
        self._uses = uses
        self._method = function.name
        self._function = function
        self._calls = of_kind(function, ast.Call)
        self._attributes = of_kind(function, ast.Attribute)
        self._names = _names_of_object(function, receiver)
        self._computed: set[str] = set()
        """Those of ``setattr`` and ``getattr`` that are called on the object with a name that is not known here."""

    def collect(self) -> None:
        for attribute in self._attributes:
            self._attribute(attribute)
        for call in self._calls:
            self._call(call)
        for compare in of_kind(self._function, ast.Compare):
            self._compare(compare)
        for inner in kept_functions(self._function):
            for name in filter(None, map(self._own, walk(inner))):
                self._add(self._uses.by_inner, name)
        if any(map(self._is_dict, self._attributes)) or any(map(self._gives_state, self._calls)):
            self._dictionary()
        if "setattr" in self._computed:
            self._uses.reaching.add(self._method)
        if "getattr" in self._computed:
            self._uses.asking.add(self._method)

    def _add(self, table: dict[str, set[str]], attribute: str) -> None:
        table.setdefault(attribute, set()).add(self._method)

    def _is_object(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self._names

    def _own(self, node: ast.AST) -> str | None:
        return node.attr if isinstance(node, ast.Attribute) and self._is_object(node.value) else None

    def _held(self, node: ast.expr) -> str | None:
        place = attribute_of(self._function, node)
        return None if place is None else self._own(place)

    def _attribute(self, node: ast.Attribute) -> None:
        attribute = self._own(node)
        if attribute is None:
            return
        if attribute == "__dict__":
            self._uses.dynamic.add(self._method)
        if isinstance(node.ctx, ast.Load):
            self._add(self._uses.read, attribute)
            return
        self._add(self._uses.stored, attribute)
        if isinstance(node.ctx, ast.Del):
            self._add(self._uses.deleted, attribute)

    def _compare(self, node: ast.Compare) -> None:
        attribute = self._held(node.left)
        if attribute is not None and any(map(is_none, node.comparators)):
            self._add(self._uses.guarded, attribute)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        for keyword in node.keywords:
            if keyword.arg == "collate_fn":
                self._uses.collating.add(self._held(keyword.value) or "")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name not in _ASKING and any(map(self._is_object, given)):
            self._uses.handing.add(self._method)
        if isinstance(function, ast.Name):
            self._builtin(name, node.args)
        makes_tensor = name_in_torch(function).endswith("Tensor")  # `torch.LongTensor` keeps nothing
        if (name[:1].isupper() and not makes_tensor) or self._own(function) is not None:
            self._hands_on(given)

    def _hands_on(self, arguments: list[ast.expr]) -> None:
        for argument in arguments:
            attribute = self._held(argument)
            if attribute is not None:
                self._add(self._uses.escaping, attribute)
            elif isinstance(argument, (ast.Tuple, ast.List)):
                self._hands_on(argument.elts)

    def _builtin(self, name: str, arguments: list[ast.expr]) -> None:
        if not arguments or not self._is_object(arguments[0]):
            return
        known = arguments[1].value if len(arguments) > 1 and isinstance(arguments[1], ast.Constant) else None
        if name == "vars" or (name in {"setattr", "delattr"} and not isinstance(known, str)):
            self._uses.dynamic.add(self._method)
        if name in {"setattr", "getattr"} and not isinstance(known, str):
            self._computed.add(name)
        elif isinstance(known, str):
            self._named(name, known)

    def _named(self, function: str, attribute: str) -> None:
        if function in {"hasattr", "getattr"}:
            self._add(self._uses.guarded, attribute)
            self._add(self._uses.read, attribute)
        elif function in {"setattr", "delattr"}:
            self._add(self._uses.stored, attribute)
            if function == "delattr":
                self._add(self._uses.deleted, attribute)

    def _is_dict(self, node: ast.AST) -> bool:
        """Whether a node is ``self.__dict__`` or ``vars(self)``."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
            return len(node.args) == 1 and self._is_object(node.args[0])
        return self._own(node) == "__dict__"

    def _gives_state(self, call: ast.Call) -> bool:
        return self._is_dict(call) or _is_inherited_state(call)

    def _is_dict_or_copy(self, node: ast.AST) -> bool:
        """Whether a node is ``self.__dict__`` or a local that was given a copy of it, as ``__getstate__`` makes one."""
        if self._is_dict(node):
            return True
        made = definition_of(self._function, node) if isinstance(node, ast.Name) else node
        if isinstance(made, ast.Dict):
            parts = zip(made.keys, made.values, strict=True)
            return any(key is None and self._is_state(value) for key, value in parts)
        if not isinstance(made, ast.Call):
            return False
        if _is_inherited_state(made):
            return True
        function = made.func
        if isinstance(function, ast.Attribute) and function.attr == "copy" and self._is_state(function.value):
            return True
        return len(made.args) == 1 and self._is_state(made.args[0])

    def _is_state(self, node: ast.expr) -> bool:
        """Whether a node is the object's ``__dict__`` or what a base gives in its place."""
        return self._is_dict(node) or _is_inherited_state(definition_of(self._function, node))

    def _dictionary(self) -> None:
        """Sort the uses of ``__dict__`` into those of one known name and all others."""
        nodes = list(walk(self._function))
        uses = sum(self._is_dict(node) for node in nodes)
        for node in nodes:
            name = looked_up(node, self._is_dict_or_copy)
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._add(self._uses.in_dict, name.value)
                uses -= looked_up(node, self._is_dict) is not None
        if any(map(self._fills_in, nodes)):
            for named in _named_in_texts(nodes):
                self._add(self._uses.formatted, named)
        if uses:
            self._uses.dict_users.add(self._method)
        if any(map(self._takes_over, nodes)):
            self._uses.taking_over.add(self._method)
        if uses > sum(self._takes_keys(node) for node in nodes) or (uses and "getattr" in self._computed):
            self._uses.reaching.add(self._method)

    def _fills_in(self, node: ast.AST) -> bool:
        """Whether a node is ``text.format(**self.__dict__)``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "format":
            return False
        return any(one.arg is None and self._is_state(one.value) for one in node.keywords)

    def _takes_over(self, node: ast.AST) -> bool:
        """Whether a node is ``self.__dict__.update(other.__dict__)`` or ``self.__dict__ = other.__dict__``."""
        if isinstance(node, ast.Call):
            function = node.func
            is_update = (
                isinstance(function, ast.Attribute) and function.attr == "update" and self._is_dict(function.value)
            )
            given = node.args if is_update else []
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            given = [node.value] if any(map(self._is_dict, targets)) else []
        else:
            return False
        parts = (part for one in given for part in walk(definition_of(self._function, one)))
        return any(is_dict_of(part) and not self._is_dict(part) for part in parts)

    def _takes_keys(self, node: ast.AST) -> bool:
        """Whether a node takes only the names out of ``__dict__`` (``list(vars(self))``)."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TAKING_KEYS:
            return len(node.args) == 1 and self._is_dict(node.args[0])
        if isinstance(node, (ast.For, ast.comprehension)):
            return self._is_dict(node.iter)
        return isinstance(node, ast.Attribute) and node.attr == "keys" and self._is_dict(node.value)


def _is_inherited_state(node: ast.AST) -> bool:
    """Whether a node is ``super().__getstate__()``, or a base's of the object, which is ``__dict__`` (Python 3.11)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__getstate__":
        return False
    owner = node.func.value
    return bool(node.args) or (isinstance(owner, ast.Call) and last_name(owner.func) == "super")


def _named_in_texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The fields that the texts of a method name, as in ``"scale={scale}"``."""
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for text in texts:
        with suppress(ValueError):  # it has braces and is no format
            yield from (re.split(r"[.\[]", field)[0] for _, field, _, _ in Formatter().parse(text) if field)


def looked_up(node: ast.AST, is_dict: Callable[[ast.AST], bool]) -> ast.expr | None:
    """The key with which a node looks into a ``__dict__``.

    Args:
        node: any node.
        is_dict: whether a node is such a ``__dict__``.
    """
    if isinstance(node, ast.Subscript) and is_dict(node.value):
        return node.slice
    if isinstance(node, ast.Compare) and len(node.comparators) == 1 and is_dict(node.comparators[0]):
        return node.left
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_dict(node.func.value):
        return node.args[0] if node.args and node.func.attr in _DICT_LOOKUPS else None
    return None


def is_dict_of(node: ast.AST) -> bool:
    """Whether a node is ``x.__dict__`` or ``vars(x)`` of whatever object."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"
