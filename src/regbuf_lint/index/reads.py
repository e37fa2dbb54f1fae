"""What an answer rests on: the files that were read for it, and the questions about the project that were asked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar
from weakref import WeakSet

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Subject = TypeVar("Subject")
Answer = TypeVar("Answer")


class Content(Struct, frozen=True):
    """What a file holds, or that there is none.

    Attributes:
        path: the file.
    """

    path: str


class Outline(Struct, frozen=True):
    """The class and import statements of a file.

    Attributes:
        path: the file.
        digest: of what ``outline`` in ``index/outline.py`` keeps of its text.
    """

    path: str
    digest: str


class Entry(Struct, frozen=True):
    """Whether a directory has an entry of some name.

    Attributes:
        directory: the directory.
        name: the name.
        exists: the answer.
    """

    directory: str
    name: str
    exists: bool


class Search(Struct, frozen=True):
    """Which files below a directory have a word.

    Attributes:
        directory: the directory.
        kind: what the word has to stand for there, as ``WordSearch.files`` has it.
        word: the word.
        most: number of folders beyond which nothing is found.
        answer: a digest of what was found.
    """

    directory: str
    kind: str
    word: str
    most: int | None
    answer: str


Read: TypeAlias = "Content | Outline | Entry | Search"


class Collected(Struct):
    """The reads of some work, once it is done.

    Attributes:
        numbers: a number whose bits are the numbers of the reads.
    """

    numbers: int = 0


class Reads:
    """Collects what is read while answers are found.

    Attributes:
        known: the number of each read.
        numbers: a number whose bits are the numbers of what the work under way has read until now.
    """

    def __init__(self) -> None:
        self.known: dict[Read, int] = {}
        self.numbers = 0
        self._new: list[Read] = []
        self._memos: WeakSet[Memo[Any, Any]] = WeakSet()

    def note(self, read: Read) -> None:
        """The work under way rests on this."""
        number = self.known.get(read)
        if number is None:
            number = self.known[read] = len(self.known)
            self._new.append(read)
        self.numbers |= 1 << number

    def watch(self, memo: Memo[Any, Any]) -> None:
        """Answers are kept there that rest on what is read."""
        self._memos.add(memo)

    def give_up(self, gone: Iterable[Read]) -> None:
        """Give up all answers that rest on some reads, and those that nobody has asked for since the last time."""
        numbers = sum(1 << self.known[read] for read in gone if read in self.known)
        for memo in self._memos:
            memo.give_up(numbers)

    def take_new(self) -> list[Read]:
        """The reads, in the order of their numbers, that were noted since this was asked for the last time."""
        new, self._new = self._new, []
        return new

    @contextmanager
    def collecting(self) -> Iterator[Collected]:
        """Tell what some work reads; the work around it has read that, too."""
        outer, self.numbers = self.numbers, 0
        collected = Collected()
        try:
            yield collected
        finally:
            collected.numbers = self.numbers
            self.numbers |= outer


class Memo(Generic[Subject, Answer]):
    """Answers found before; whoever asks again has read what was read for the answer.

    Args:
        reads: where reads are noted.
    """

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._known: dict[Subject, tuple[Answer, int]] = {}
        self._older: dict[Subject, tuple[Answer, int]] = {}
        reads.watch(self)

    def get(self, subject: Subject) -> Answer | None:
        """The answer about a subject, None where there is none as yet."""
        known = self._known.get(subject)
        if known is None:
            if subject not in self._older:
                return None
            known = self._known[subject] = self._older.pop(subject)
        self._reads.numbers |= known[1]
        return known[0]

    def keep(self, subject: Subject, answer: Answer, collected: Collected) -> None:
        """Remember an answer beside what was read for it."""
        self._known[subject] = (answer, collected.numbers)

    def forget(self, subject: Subject) -> None:
        """Give up an answer."""
        self._known.pop(subject, None)

    def clear(self) -> None:
        """Give up all answers."""
        self._known.clear()
        self._older.clear()

    def give_up(self, numbers: int) -> None:
        """Give up answers that rest on some reads, and those that nobody has asked for since the last time.

        Args:
            numbers: a number whose bits are the numbers of the reads.
        """
        self._older = {subject: known for subject, known in self._known.items() if not known[1] & numbers}
        self._known = {}

    def found(self, subject: Subject, find: Callable[[Subject], Answer], *, meanwhile: Answer | None = None) -> Answer:
        """The answer about a subject: what is known, else what ``find`` says.

        Args:
            subject: what is asked about.
            find: finds the answer.
            meanwhile: the answer to the same question while ``find`` is at work; None for questions that never lead
                back to themselves.
        """
        known = self.get(subject)
        if known is not None:
            return known
        if meanwhile is not None:
            self._known[subject] = (meanwhile, 0)
        with self._reads.collecting() as collected:
            answer = find(subject)
        self.keep(subject, answer, collected)
        return answer
