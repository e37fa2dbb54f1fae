"""Checking files one after the other, with everything that one file's check can reuse from another's."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct, field

from regbuf_lint.class_context.context import ClassContext
from regbuf_lint.classes.module_likeness import looks_like_module
from regbuf_lint.classes.stores import assigned_attributes
from regbuf_lint.engine.agreement import View, agreed, agreed_for, settled_by
from regbuf_lint.engine.fixing import without_fixes_of
from regbuf_lint.engine.screen import Screen
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.parsing import ParseError
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.infer.callers import construct_as_called
from regbuf_lint.infer.construction import start
from regbuf_lint.infer.loaded import with_loaded_tensors
from regbuf_lint.infer.makers import builds_abstractly, is_stood_for
from regbuf_lint.infer.run_by_subclasses import constructions_through_subclasses
from regbuf_lint.infer.subclasses import subclasses_in
from regbuf_lint.infer.tensor_uses import with_used_tensors
from regbuf_lint.rules import RULES
from regbuf_lint.rules.syntax_error import META as SYNTAX_ERROR
from regbuf_lint.rules.syntax_error import syntax_error
from regbuf_lint.rules.unused_suppression import META as UNUSED_SUPPRESSION
from regbuf_lint.rules.unused_suppression import unused_suppressions
from regbuf_lint.source.selection import ignored_in_file, names, selected_codes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.suppression import Suppressions
    from regbuf_lint.source.text import SourceText

MOST_CHARACTERS = 8_000_000
"""Text whose trees are kept in memory before half of it is given up; a tree takes some thirty times its text."""


class Checked(Struct, frozen=True):
    """What one pass over a file gives.

    Attributes:
        findings: sorted by place; suppression comments are not looked at yet.
        unresolved_bases: names of bases because of which classes were passed over that look like nn.Module classes.
        unfollowed: names of classes that are too large to be followed to their ends.
        modules: number of nn.Module classes.
        is_parsed: whether the file was parsed; it is not where no class in it can matter.
    """

    findings: tuple[Finding, ...]
    unresolved_bases: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    modules: int = 0
    is_parsed: bool = True


class _Notes(Struct):
    """What stands beside the findings of a file, each once, in the order in which it was met."""

    unresolved_bases: dict[str, None] = field(default_factory=dict)
    unfollowed: dict[str, None] = field(default_factory=dict)
    modules: int = 0


class Session:
    """Checks files under one set of settings.

    Args:
        settings: the run's settings.
        screen: what files are looked at with first; one of its own where None.
    """

    def __init__(self, settings: Settings, screen: Screen | None = None) -> None:
        self.settings = settings
        codes = selected_codes(settings, [rule.meta for rule in RULES])
        self._rules = tuple(rule for rule in RULES if rule.meta.code in codes)
        self._screen = screen or Screen(settings)
        self._project = self._screen.project
        self._inference: Inference = self._start()
        self._changes = self._screen.changes

    def _start(self) -> Inference:
        return start(self._project, self._screen.outlines, self.settings)

    def check(self, path: Path, source: SourceText) -> Checked:
        """Findings of one file; ``source`` counts, whatever the disk holds."""
        if self._screen.leaves_out(path, source):
            return Checked((), is_parsed=self._screen.is_named(path))
        ignored = ignored_in_file(self.settings, path)
        try:
            facts = self._facts(path, source)
        except ParseError as failure:
            return Checked(self.syntax_errors(path, failure))
        notes = _Notes()
        with self._project.reads.collecting() as read:
            findings = [
                finding
                for finding in self._findings(facts, notes)
                if not any(names(selector, finding.code) for selector in ignored)
            ]
        self._project.needed.count(read.numbers)
        ordered = tuple(sorted(findings, key=lambda one: (one.span, one.code)))
        return Checked(ordered, tuple(notes.unresolved_bases), tuple(notes.unfollowed), notes.modules)

    def contexts(self, path: Path, source: SourceText) -> Iterator[ClassContext]:
        """The nn.Module classes of a file as rules see them: as constructed by themselves, then by subclasses.

        Raises:
            ParseError: the file does not parse.
        """
        for scope in self._facts(path, source).class_scopes():
            symbol = ClassSymbol(scope)
            own = construct_as_called(self._inference, symbol) if self._is_module(symbol) else None
            if own is not None:
                yield self._context(symbol, own)
            known = [] if own is None else self._of_class(symbol, own, _Notes())
            stood_for = self._is_stood_for(symbol, own, known)
            for one, seen in constructions_through_subclasses(self._inference, symbol, own, stood_for=stood_for):
                yield self._context(symbol, seen, one)

    def _is_module(self, symbol: ClassSymbol) -> bool:
        return self._inference.hierarchy.membership(symbol).verdict is Verdict.YES

    def _facts(self, path: Path, source: SourceText) -> FileFacts:
        """The file as the project has it from now on.

        Raises:
            ParseError: it does not parse.
        """
        path = path.absolute()
        if self._changes != self._screen.changes:
            self._changes = self._screen.changes
            self._inference = self._start()
        if self._project.characters > MOST_CHARACTERS:
            self._project.make_room(MOST_CHARACTERS // 2)
        if self._project.has_other_text(path, source):  # what is known of other files may rest on the text before
            self._inference = self._start()
        return self._project.add(path, source)

    @property
    def wants_unused_suppressions(self) -> bool:
        """Whether comments that suppress nothing are looked for."""
        return any(rule.meta is UNUSED_SUPPRESSION for rule in self._rules)

    def unused_suppressions(
        self, path: Path, source: SourceText, suppressions: Suppressions, checked: Checked
    ) -> tuple[Finding, ...]:
        """Findings about comments that suppress none of what was found in a file; none where it does not parse."""
        ignored = ignored_in_file(self.settings, path)
        codes = (rule.meta.code for rule in self._rules)
        ran = frozenset(code for code in codes if not any(names(selector, code) for selector in ignored))
        if UNUSED_SUPPRESSION.code not in ran or any(one.rule is SYNTAX_ERROR for one in checked.findings):
            return ()
        every = frozenset(rule.meta.code for rule in RULES)
        return tuple(unused_suppressions(source, suppressions.comments, checked.findings, ran, every))

    def syntax_errors(self, path: Path, failure: ParseError) -> tuple[Finding, ...]:
        """The finding that a file does not parse, where that is to be reported."""
        ignored = ignored_in_file(self.settings, path)
        wanted = any(rule.meta is SYNTAX_ERROR for rule in self._rules)
        if not wanted or any(names(selector, SYNTAX_ERROR.code) for selector in ignored):
            return ()
        return (syntax_error(failure.message, failure.position),)

    def _findings(self, facts: FileFacts, notes: _Notes) -> Iterator[Finding]:
        for scope in facts.class_scopes():
            symbol = ClassSymbol(scope)
            membership = self._inference.hierarchy.membership(symbol)
            if membership.verdict is Verdict.UNKNOWN and looks_like_module(symbol):
                notes.unresolved_bases.update(dict.fromkeys(membership.unresolved))
            notes.modules += membership.verdict is Verdict.YES
            construction = construct_as_called(self._inference, symbol) if membership.verdict is Verdict.YES else None
            own = [] if construction is None else self._of_class(symbol, construction, notes)
            yield from self._with_subclasses(symbol, construction, own, notes)

    def _of_class(
        self, symbol: ClassSymbol, construction: Construction, notes: _Notes, subclass: ClassSymbol | None = None
    ) -> list[Finding]:
        """What the rules find in a class, as its own construction or that of a subclass runs it."""
        if construction.stopped:
            notes.unfollowed[symbol.scope.qualname] = None
        definition = self._inference.definition(symbol)
        if not (construction.events or definition.values or any(map(assigned_attributes, definition.functions))):
            return []
        context = self._context(symbol, construction, subclass)
        findings = [finding for rule in self._rules for finding in rule.check(context)]
        if context.was_stopped:
            notes.unfollowed[symbol.scope.qualname] = None
        return findings

    def _context(
        self, symbol: ClassSymbol, construction: Construction, subclass: ClassSymbol | None = None
    ) -> ClassContext:
        built = subclass or symbol
        construction = with_loaded_tensors(self._inference, built, construction)
        construction = with_used_tensors(self._inference, built, construction)
        return ClassContext(self._inference, symbol, construction, subclass=subclass)

    def _with_subclasses(
        self, symbol: ClassSymbol, own: Construction | None, known: list[Finding], notes: _Notes
    ) -> Iterator[Finding]:
        """What is found in a class, by those of its objects, too, that are ones of classes that inherit from it."""
        stood_for = self._is_stood_for(symbol, own, known)
        views = []
        for subclass, seen in constructions_through_subclasses(self._inference, symbol, own, stood_for=stood_for):
            views.append(View(seen, tuple(self._of_class(symbol, seen, notes, subclass))))
        if not views and not stood_for:
            return iter(known)
        told = agreed_for(views, known) if stood_for else chain(known, agreed(views, known, settled_by(own)))
        reported = [*told]
        about = {(one.code, one.attribute) for one in reported}
        every = (one for view in views for one in view.findings)
        left = (one for one in chain(known, every) if (one.code, one.attribute) not in about)
        return iter(without_fixes_of(left, reported, "about which subclasses differ"))

    def _is_stood_for(self, symbol: ClassSymbol, own: Construction | None, known: list[Finding]) -> bool:
        """Whether objects of a class are made as ones of its subclasses alone.

        Where nothing is found in it, its file has no subclass, and it builds its objects by itself, that is not looked
        for.
        """
        if own is None:
            return False
        near = subclasses_in(self._inference, symbol, symbol.scope.file)
        wanted = known or near or builds_abstractly(self._inference, symbol)
        return bool(wanted) and is_stood_for(self._inference, symbol)
