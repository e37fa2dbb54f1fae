"""The module can be pickled."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen
from regbuf_lint.verify.checks.deepcopies import compared, judge_twin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class Pickles(Check):
    """``pickle``, as ``torch.save`` of whole modules and data loaders use it."""

    name = "pickle"
    asserts = "pickled and unpickled, state and outputs are equal; after a call it can be pickled too"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Pickle a fresh module and compare."""
        module = subject.fresh()
        twin = pickle.loads(pickle.dumps(module))  # noqa: S301  our own bytes
        return compared(subject, module, twin, pickle.dumps)

    def wrong(self, seen: Seen) -> Iterable[str]:
        """What differs."""
        return set(seen.facts["differing"])

    def judge(self, seen: Seen) -> Verdict:
        """State and outputs are equal."""
        return judge_twin(seen)
