"""A memo for questions that lead back to themselves.

What a function returns, what a constructor does, or what a constant is may be asked for while it is being found out: a
function calls itself, two modules need each other. Such a question is *cut*, which means answered by "unknown". The
answers that were found on the way are right where they are only as long as that work goes on: asked for from elsewhere,
they would be found without the cut. So each answer is kept together with the work that cut it, and is forgotten when
that work ends; what was not cut is kept for good. No answer then depends on the order of questions.

    memo = CyclicMemo(reads)
    with memo.working(key) as work:      # `key` is under way in here
        if memo.is_working(other):       # asked for within itself
            memo.cut(other)
    work.is_lasting                      # whether the answer is the same wherever it is asked for
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.index.reads import Memo, Reads

Subject = TypeVar("Subject")
Answer = TypeVar("Answer")


class Work(Struct):
    """Work that was under way.

    Attributes:
        cuts: how much work was under way, itself left aside, when each of the works began that it could not follow. Its
            answer is the same wherever it is asked for where there are none, else as long as the last of these goes on.
    """

    cuts: frozenset[int] = frozenset()

    @property
    def is_lasting(self) -> bool:
        """Whether its answer is the same wherever it is asked for."""
        return not self.cuts


class CyclicMemo:
    """Which work is under way, and which answers hold how long.

    Args:
        reads: where it is noted what is read.
    """

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._entered: dict[object, int] = {}
        self._cuts: frozenset[int] = frozenset()
        self._passing: defaultdict[int, dict[object, Callable[[], object]]] = defaultdict(dict)
        self._cuts_of: dict[object, frozenset[int]] = {}

    @property
    def place(self) -> int:
        """How much work is under way."""
        return len(self._entered)

    def is_working(self, key: object) -> bool:
        """Whether work on ``key`` is under way."""
        return key in self._entered

    def cut(self, key: object = None, *, place: int = 0) -> None:
        """Note that a question is not followed here, since work on ``key`` is under way further up.

        Whatever started after that work began must not be kept: from elsewhere the answer would be another.

        Args:
            key: the work.
            place: where no such work is the reason, how much work was under way when that began which is.
        """
        self._cuts |= {self._entered.get(key, place)}

    @contextmanager
    def working(self, key: object) -> Iterator[Work]:
        """Do work on ``key``, which must not be under way; the work says afterwards whether its answer may be kept."""
        work = Work()
        outer, self._cuts = self._cuts, frozenset()
        self._entered[key] = place = len(self._entered) + 1
        try:
            yield work
        finally:
            del self._entered[key]
            self._forget(place)
            work.cuts = frozenset(cut for cut in self._cuts if cut < place)
            self._cuts = outer | work.cuts

    def _forget(self, place: int) -> None:
        """Give up the answers that hold as long as the work goes on that was the ``place``-th to begin."""
        for key, forget in self._passing.pop(place, {}).items():
            del self._cuts_of[key]
            forget()

    def found_once(
        self, known: Memo[Subject, Answer], subject: Subject, what: str, find: Callable[[], Answer]
    ) -> Answer | None:
        """The answer to a question about a subject: what is known, else what is found and kept as long as it lasts.

        Args:
            known: the answers found before; changed.
            subject: what is asked about.
            what: what is asked, in a word, which tells the questions about one subject apart.
            find: finds the answer.

        Returns:
            None while the answer is being found further up.
        """
        answer = self.recalled(known, subject, what)
        if answer is not None:
            return answer
        key = (subject, what)
        if self.is_working(key):
            self.cut(key)
            return None
        return self.found(known, subject, what, key, find)

    def recalled(self, known: Memo[Subject, Answer], subject: Subject, what: str) -> Answer | None:
        """The answer found before, None where there is none; arguments as for ``found_once``."""
        answer = known.get(subject)
        if answer is not None:
            self._cuts |= self._cuts_of.get((subject, what), frozenset())
        return answer

    def found(
        self, known: Memo[Subject, Answer], subject: Subject, what: str, work_on: object, find: Callable[[], Answer]
    ) -> Answer:
        """The answer as it is found anew, and kept as long as it lasts.

        Args:
            known: the answers found before; changed.
            subject: what is asked about.
            what: what is asked, in a word.
            work_on: the work that finds the answer, which must not be under way.
            find: finds the answer.
        """
        with self.working(work_on) as work, self._reads.collecting() as collected:
            answer = find()
        known.keep(subject, answer, collected)
        if not work.is_lasting:
            key = (subject, what)
            self._cuts_of[key] = work.cuts
            self._passing[max(work.cuts)][key] = partial(known.forget, subject)
        return answer
