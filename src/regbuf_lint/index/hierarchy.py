"""Which classes are nn.Module classes, and in which order their attributes are looked up."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from regbuf_lint.index.known_classes import Verdict, is_configured, verdict_by_name
from regbuf_lint.index.reads import Memo
from regbuf_lint.index.symbols import ClassSymbol, External, FileSymbol, Symbol
from regbuf_lint.index.tree import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.index.project import Project

Base: TypeAlias = ClassSymbol | External


class Membership(Struct, frozen=True):
    """Whether a class is an nn.Module class, and if that is unknown, the names of the bases that nothing explains."""

    verdict: Verdict
    unresolved: tuple[str, ...] = ()


_NO = Membership(Verdict.NO)


class Hierarchy:
    """Answers questions about base classes, each class looked at once.

    Args:
        project: where names are resolved.
        module_classes: names that the configuration takes for nn.Module classes.
    """

    def __init__(self, project: Project, module_classes: tuple[str, ...] = ()) -> None:
        self._project = project
        self._module_classes = module_classes
        self._memberships: Memo[ClassSymbol, Membership] = Memo(project.reads)
        self._orders: Memo[ClassSymbol, tuple[Base, ...]] = Memo(project.reads)
        self._bases: Memo[ClassSymbol, tuple[tuple[Base, ...], tuple[str, ...]]] = Memo(project.reads)

    def membership(self, symbol: Base) -> Membership:
        """Whether a class is an nn.Module class."""
        if isinstance(symbol, External):
            verdict = verdict_by_name(symbol.name, self._module_classes)
            return Membership(verdict, (symbol.name,) if verdict is Verdict.UNKNOWN else ())
        return self._memberships.found(symbol, self._decide, meanwhile=_NO)  # a class that is its own base is none

    def order(self, symbol: ClassSymbol) -> tuple[Base, ...]:
        """The class and all its bases in the order in which Python looks attributes up.

        That is C3; where it has no answer, since bases of bases are unknown, depth first with the last occurrence kept.
        """
        return self._orders.found(symbol, self._find_order, meanwhile=(symbol,))

    def _find_order(self, symbol: ClassSymbol) -> tuple[Base, ...]:
        bases = self.bases(symbol)[0]
        chains = [self.order(base) if isinstance(base, ClassSymbol) else (base,) for base in bases]
        merged = _merged([*chains, bases])
        if merged is None:
            merged = tuple(reversed(dict.fromkeys(reversed([base for chain in chains for base in chain]))))
        return (symbol, *(base for base in merged if base != symbol))

    def bases(self, symbol: ClassSymbol) -> tuple[tuple[Base, ...], tuple[str, ...]]:
        """The direct bases that are known, and the names of those that are not."""
        return self._bases.found(symbol, self._find_bases, meanwhile=((), ()))

    def _find_bases(self, symbol: ClassSymbol) -> tuple[tuple[Base, ...], tuple[str, ...]]:
        node, around = symbol.scope.node, symbol.scope.parent
        if not isinstance(node, ast.ClassDef) or around is None:
            return (), ()
        known: list[Base] = []
        unknown: list[str] = []
        for expression in base_expressions(node):
            symbols = [last for one in self._project.resolve(around, expression) for last in self._project.follow(one)]
            candidates = [base for one in symbols if (base := self._as_base(one)) is not None and base != symbol]
            if candidates:
                known.append(self._best(candidates))
            else:
                unknown.append(_label(symbols, expression))
        return tuple(known), tuple(unknown)

    def _as_base(self, symbol: Symbol) -> Base | None:
        """A symbol as a base class; a value or function only where the configuration or the catalogue names it."""
        if isinstance(symbol, (ClassSymbol, External)):
            return symbol
        if isinstance(symbol, FileSymbol) or verdict_by_name(symbol.name, self._module_classes) is not Verdict.YES:
            return None
        return External(symbol.name)

    def _best(self, candidates: list[Base]) -> Base:
        """Of several definitions (``try``/``except ImportError``), the first that is an nn.Module class."""
        for wanted in (Verdict.YES, Verdict.UNKNOWN):
            for candidate in candidates:
                if self.membership(candidate).verdict is wanted:
                    return candidate
        return candidates[0]

    def _decide(self, symbol: ClassSymbol) -> Membership:
        """The configuration decides, then the bases; the catalogue where something about these is not known."""
        if is_configured(symbol.name, self._module_classes):
            return Membership(Verdict.YES)
        known, unknown = self.bases(symbol)
        memberships = [self.membership(base) for base in known]
        if any(membership.verdict is Verdict.YES for membership in memberships):
            return Membership(Verdict.YES)
        unresolved = (*unknown, *(name for membership in memberships for name in membership.unresolved))
        verdict = verdict_by_name(symbol.name, ()) if unresolved else Verdict.NO
        names = tuple(dict.fromkeys(unresolved)) if verdict is Verdict.UNKNOWN else ()
        return Membership(verdict, names)


def base_expressions(node: ast.ClassDef) -> list[ast.expr]:
    """The bases that the head of a class names; those of ``with_metaclass(meta, *bases)`` (six 1.17) one by one."""
    first = node.bases[0] if node.bases else None
    if isinstance(first, ast.Call) and last_name(first.func) == "with_metaclass":
        return [*first.args[1:], *node.bases[1:]]
    return node.bases


def _merged(chains: Sequence[tuple[Base, ...]]) -> tuple[Base, ...] | None:
    """The merge of C3: what comes first in some chain and in no chain later; None where there is none such."""
    merged: list[Base] = []
    while chains := [chain for chain in chains if chain]:
        if len(chains) == 1:
            return (*merged, *chains[0])
        behind = {base for chain in chains for base in chain[1:]}
        first = next((chain[0] for chain in chains if chain[0] not in behind), None)
        if first is None:
            return None
        merged.append(first)
        chains = [chain[1:] if chain[0] == first else chain for chain in chains]
    return tuple(merged)


def _label(symbols: list[Symbol], expression: ast.expr) -> str:
    for symbol in symbols:
        if not isinstance(symbol, FileSymbol):
            return symbol.name
    return ast.unparse(expression)
