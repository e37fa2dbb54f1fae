"""What inference shares over all classes of a run: the project, the hierarchy, and answers found before."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from regbuf_lint.classes.definition import BUILDERS, ClassDefinition, define
from regbuf_lint.classes.uses import AttributeUses, together, uses_of
from regbuf_lint.index.hierarchy import Hierarchy
from regbuf_lint.index.known_classes import Verdict, torch_class
from regbuf_lint.index.reads import Memo
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.infer.cyclic_memo import CyclicMemo
from regbuf_lint.infer.members import Members
from regbuf_lint.model.value import unknown

if TYPE_CHECKING:
    import ast
    from collections import defaultdict
    from collections.abc import Callable

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.project import Project
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.infer.arguments import Arguments, PassedArguments
    from regbuf_lint.infer.construction_summaries import ConstructionSummary
    from regbuf_lint.infer.trace.traced_frame import TracedCall
    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.use import Trace
    from regbuf_lint.model.value import Value


Constructor: TypeAlias = "Callable[[Inference, ClassSymbol], Construction | None]"


class Followed(Struct, frozen=True):
    """What following the construction of an object shows.

    Attributes:
        construction: what happens to the object.
        passed: what it passes to the constructors of other objects.
    """

    construction: Construction
    passed: PassedArguments


class Inference:
    """Shared by all frames of a run.

    Attributes:
        memo: which work is under way, and how long the answers hold that are found before it ends.
        project: where names are resolved.
        outlines: the same files by their outlines, which tell what each imports and take less to read.
        hierarchy: which classes are nn.Module classes.
        settings: the run's settings.
        constructions: constructions followed before, by class.
        constructions_as_called: the same with what all callers give for arguments.
        summaries: results of functions called before, by function and arguments.
        constants: values of names bound outside functions, by expression.
        constructor: follows the construction of an object of a class.
        construction_summaries: what methods of classes in other files do, by method and the devices that it is given.
        subclasses: classes that inherit from a class, by the file that they stand in and by that class.
        concrete: the classes of which objects are that a class builds, by class.
        made: whether somebody makes objects of a class itself, by class.
        serving_tests: whether nobody but tests builds objects of a class, by class.
        replicated: whether a file that makes replicas of models imports a file, by that file.
        made_by_forward: whether objects of a class end with the ``forward`` that makes them, by class.
        left_where_made: whether who makes objects of a class lets go of them at once, by class.
        open_arguments: arguments of the constructor that might be tensors, for all that the class says, by class.
        traces: what becomes of attributes, by all that decides it.
        traced_calls: the same as ``summaries`` with where arguments and results come from.
        given: tensors that the constructor of a class is given by every caller in its package, by class.
        movers: the ``_apply`` methods of a file's classes, by the file.
        fields: what the fields of a named tuple or of a dict with known keys are, by class.
        passed: what the calls of classes pass that stand in a function, by function.
    """

    def __init__(self, project: Project, outlines: Project, settings: Settings, constructor: Constructor) -> None:
        self.constructor = constructor
        self.memo = CyclicMemo(project.reads)
        self.project = project
        self.outlines = outlines
        self.settings = settings
        self.hierarchy = Hierarchy(project, settings.module_classes)
        self.constructions: Memo[Scope, Followed] = Memo(project.reads)
        self.constructions_as_called: Memo[Scope, Followed] = Memo(project.reads)
        self.summaries: Memo[tuple[object, ...], Value] = Memo(project.reads)
        self.constants: Memo[ast.expr, Value] = Memo(project.reads)
        self.construction_summaries: Memo[tuple[object, ...], ConstructionSummary] = Memo(project.reads)
        self.given: Memo[Scope, Arguments] = Memo(project.reads)
        self.movers: Memo[FileFacts, list[FunctionNode]] = Memo(project.reads)
        self.fields: Memo[Scope, dict[str, Value]] = Memo(project.reads)
        self.passed: Memo[Scope, PassedArguments] = Memo(project.reads)
        self.subclasses: Memo[FileFacts, defaultdict[Scope, list[ClassSymbol]]] = Memo(project.reads)
        self.concrete: Memo[ClassSymbol, tuple[ClassSymbol, ...]] = Memo(project.reads)
        self.made: Memo[ClassSymbol, bool] = Memo(project.reads)
        self.serving_tests: Memo[ClassSymbol, bool] = Memo(project.reads)
        self.replicated: Memo[FileFacts, bool] = Memo(project.reads)
        self.made_by_forward: Memo[ClassSymbol, bool] = Memo(project.reads)
        self.left_where_made: Memo[ClassSymbol, bool] = Memo(project.reads)
        self.open_arguments: Memo[ClassSymbol, frozenset[str]] = Memo(project.reads)
        self._classes: Memo[ClassSymbol, tuple[ClassSymbol, ...]] = Memo(project.reads)
        self._members: Memo[ClassSymbol, Members] = Memo(project.reads)
        self._object_uses: Memo[ClassSymbol, AttributeUses] = Memo(project.reads)
        self._function_names: Memo[ClassSymbol, frozenset[str]] = Memo(project.reads)
        self._replaced: Memo[ClassSymbol, frozenset[str]] = Memo(project.reads)
        self.traces: Memo[tuple[object, ...], Trace] = Memo(project.reads)
        self.traced_calls: Memo[tuple[object, ...], TracedCall] = Memo(project.reads)

    def cut(self, reason: str, key: object = None, *, place: int = 0) -> Value:
        """The value of what is not followed here, since work on ``key`` is under way further up.

        Args:
            reason: why it is not followed.
            key: the work.
            place: where no such work is the reason, how much work was under way when that began which is.
        """
        self.memo.cut(key, place=place)
        return unknown(reason)

    def definition(self, symbol: ClassSymbol) -> ClassDefinition:
        """The body of a class."""
        return symbol.scope.told(_definition)

    def uses(self, symbol: ClassSymbol) -> AttributeUses:
        """Uses of attributes in the body of a class."""
        return symbol.scope.told(_uses)

    def object_uses(self, symbol: ClassSymbol) -> AttributeUses:
        """Uses of attributes in the bodies of a class and of its bases."""
        return self._object_uses.found(symbol, self._find_object_uses)

    def _find_object_uses(self, symbol: ClassSymbol) -> AttributeUses:
        behind = self._next(symbol)
        if behind is not None:
            return together([self.uses(symbol), self.object_uses(behind)])
        return together(map(self.uses, self.classes(symbol)))

    def function_names(self, symbol: ClassSymbol) -> frozenset[str]:
        """Names of the functions in the bodies of a class and of its bases."""
        return self._function_names.found(symbol, self._find_function_names)

    def _find_function_names(self, symbol: ClassSymbol) -> frozenset[str]:
        return frozenset(node.name for base in self.classes(symbol) for node in self.definition(base).functions)

    def replaced(self, symbol: ClassSymbol) -> frozenset[str]:
        """Names of the methods of a class, other than those that build objects, that a base has, too."""
        return self._replaced.found(symbol, self._find_replaced)

    def _find_replaced(self, symbol: ClassSymbol) -> frozenset[str]:
        inherited = frozenset[str]().union(*(self.definition(base).methods for base in self.classes(symbol)[1:]))
        return inherited & self.definition(symbol).methods.keys() - BUILDERS

    def uses_in(self, symbol: ClassSymbol, methods: frozenset[str]) -> tuple[AttributeUses, ...]:
        """Uses of attributes in some methods of a class and of its bases, those without such methods left out."""
        definitions = [self.definition(base) for base in self.classes(symbol)]
        return tuple(uses_of(one, methods) for one in definitions if not methods.isdisjoint(one.methods))

    def reached_from(self, symbol: ClassSymbol, methods: frozenset[str]) -> frozenset[str]:
        """Names of the methods that run when one of ``methods``, where a class at hand defines it, is called."""
        own = self.members(symbol).methods.keys()
        reached: set[str] = set()
        pending = methods & own
        while pending:
            reached |= pending
            read = {name for uses in self.uses_in(symbol, frozenset(pending)) for name in uses.read}
            pending = frozenset(read & own) - reached
        return frozenset(reached)

    def classes(self, symbol: ClassSymbol) -> tuple[ClassSymbol, ...]:
        """The class and those of its bases whose source is at hand, in the order of attribute look-up."""
        return self._classes.found(symbol, self._find_classes)

    def _find_classes(self, symbol: ClassSymbol) -> tuple[ClassSymbol, ...]:
        return tuple(base for base in self.hierarchy.order(symbol) if isinstance(base, ClassSymbol))

    def is_all_known(self, symbol: ClassSymbol) -> bool:
        """Whether no base is unknown, and no method sets attributes under names that are not known."""
        if self.object_uses(symbol).dynamic:
            return False
        return all(
            torch_class(base.name) is not None or base.name.partition(".")[0] in sys.stdlib_module_names
            for base in self.outside_bases(symbol)
        )

    def defines(self, symbol: ClassSymbol, name: str) -> bool:
        """Whether the body of the class or of a base gives every object an attribute of that name."""
        known = [torch_class(base.name) for base in self.outside_bases(symbol)]
        if any(one is not None and name in (one.names | one.parameters | one.buffers) for one in known):
            return True
        return any(self.definition(base).defines(name) for base in self.classes(symbol))

    def outside_bases(self, symbol: ClassSymbol) -> tuple[External, ...]:
        """Those bases whose source is not at hand."""
        return tuple(base for base in self.hierarchy.order(symbol) if isinstance(base, External))

    def find_method(
        self, symbol: ClassSymbol, name: str, after: ClassSymbol | None = None
    ) -> tuple[ClassSymbol, FunctionNode] | None:
        """The method that ``name`` means on an object of the class (``super()`` of ``after``: only later classes)."""
        if after is None:
            return self.members(symbol).methods.get(name)
        order = self.hierarchy.order(symbol)
        for owner in order[order.index(after) + 1 :] if after in order else ():
            if isinstance(owner, External):
                if name == "__init__" and self.hierarchy.membership(owner).verdict is Verdict.YES:
                    return None  # torch's own `__init__` does not call that of the classes behind it
                continue
            method = self.definition(owner).methods.get(name)
            if method is not None:
                return owner, method
        return None

    def find_property(self, symbol: ClassSymbol, name: str) -> tuple[ClassSymbol, FunctionNode] | None:
        """The getter that runs when an attribute is read from an object of the class."""
        return self.members(symbol).properties.get(name)

    def members(self, symbol: ClassSymbol) -> Members:
        """The methods and properties that an object of the class has of it and of its bases whose source is at hand."""
        return self._members.found(symbol, self._find_members)

    def _find_members(self, symbol: ClassSymbol) -> Members:
        behind = self._next(symbol)
        if behind is not None:
            return self.members(behind).before(symbol, self.definition(symbol))
        found = Members()
        for base in reversed(self.classes(symbol)):
            found = found.before(base, self.definition(base))
        return found

    def _next(self, symbol: ClassSymbol) -> ClassSymbol | None:
        """The class behind a class in the order of look-up, where all that comes behind it does so in its own order."""
        order = self.classes(symbol)
        return order[1] if len(order) > 1 and order[1:] == self.classes(order[1]) else None

    def is_free_of(self, symbol: ClassSymbol, methods: frozenset[str], words: tuple[str, ...]) -> bool:
        """Whether the bodies of some methods, as the class has them, hold none of the words and no decorator."""
        for name in methods:
            found = self.find_method(symbol, name)
            if found is None or found[1].decorator_list:
                return False
            source, node = found[0].scope.file.source, found[1]
            lines = (source.line(row) for row in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
            if any(word in line for line in lines for word in words):
                return False
        return True

    def is_tensor_function(self, name: str) -> bool:
        """Whether the configuration says that a function returns a tensor."""
        patterns = self.settings.tensor_functions
        return any(fnmatchcase(name, pattern) or fnmatchcase(name, f"*.{pattern}") for pattern in patterns)

    def spelling(self, file: FileFacts, name: str) -> str | None:
        """How a file's imports spell a dotted name at its top level; None where they don't reach it."""
        found: list[tuple[int, str]] = []
        for local, binding in file.scope.imports:
            imported = f"{binding.origin}.{binding.member}" if binding.member else binding.origin
            if name == imported or name.startswith(f"{imported}."):
                found.append((len(imported), local + name[len(imported) :]))
        return max(found)[1] if found else None


def _definition(scope: Scope) -> ClassDefinition:
    return define(ClassSymbol(scope))


def _uses(scope: Scope) -> AttributeUses:
    return uses_of(scope.told(_definition))
