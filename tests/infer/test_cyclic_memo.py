from __future__ import annotations

from regbuf_lint.index.reads import Memo, Reads
from regbuf_lint.infer.cyclic_memo import CyclicMemo


class Questions:
    """Questions about A to D; the answer to one names those that it needed, None where cut."""

    def __init__(self, needs: dict[str, str]) -> None:
        reads = Reads()
        self.memo = CyclicMemo(reads)
        self.needs = needs
        self.known: Memo[str, str] = Memo(reads)
        self.asked: list[str] = []

    def ask(self, name: str) -> str | None:
        return self.memo.found_once(self.known, name, "answer", lambda: self._find(name))

    def _find(self, name: str) -> str:
        self.asked.append(name)
        return f"{name}({', '.join(str(self.ask(needed)) for needed in self.needs.get(name, ''))})"

    @property
    def kept(self) -> str:
        return "".join(name for name in "ABCD" if self.known.get(name) is not None)


def test_an_answer_that_was_not_cut_is_kept() -> None:
    questions = Questions({"A": "BB"})
    assert questions.ask("A") == "A(B(), B())"
    assert questions.asked == ["A", "B"]
    assert questions.kept == "AB"


def test_an_answer_that_was_cut_serves_while_the_work_that_cut_it_goes_on() -> None:
    questions = Questions({"A": "BBB", "B": "A"})
    assert questions.ask("A") == "A(B(None), B(None), B(None))"
    assert questions.asked == ["A", "B"]


def test_an_answer_that_was_cut_is_forgotten_with_the_work_that_cut_it() -> None:
    questions = Questions({"A": "B", "B": "A"})
    questions.ask("A")
    assert questions.kept == "A"
    assert questions.ask("B") == "B(A(B(None)))"
    assert questions.kept == "AB"


def test_it_is_forgotten_with_the_first_of_several_that_cut_it() -> None:
    """What B is in C, where C is not followed, is not what it is in D, though both are asked for by A."""
    questions = Questions({"A": "CD", "C": "B", "B": "AC", "D": "B"})
    assert questions.ask("A") == "A(C(B(None, None)), D(B(None, C(B(None, None)))))"
    assert questions.asked == ["A", "C", "B", "D", "B"]
    assert questions.kept == "A"


def test_what_takes_an_answer_that_was_cut_is_cut_there_too() -> None:
    questions = Questions({"A": "BC", "B": "A", "C": "B"})
    assert questions.ask("A") == "A(B(None), C(B(None)))"
    assert questions.asked == ["A", "B", "C"]
    assert questions.kept == "A"
