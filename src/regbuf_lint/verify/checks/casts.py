"""All floating state is cast with the module, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.moves import all_tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class Casts(Check):
    """``.half()`` and ``.double()``."""

    name = "casts"
    asserts = "`.half()` and `.double()` cast all floating state, and leave integer, bool and complex state alone"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Cast fresh modules and see the dtype of each tensor."""
        wrong = set()
        for cast, wanted in (("half", "torch.float16"), ("double", "torch.float64")):
            module = subject.fresh()
            before = {name: tensor.dtype for name, tensor in all_tensors(subject, module).items()}
            getattr(module, cast)()
            for name, tensor in all_tensors(subject, module).items():
                was = before.get(name, tensor.dtype)
                expected = wanted if was.is_floating_point else str(was)
                if str(tensor.dtype) != expected:
                    wrong.add(name)
        return {"wrong": sorted(wrong)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """The state of the wrong dtype."""
        return seen.counted().intersection(seen.facts["wrong"])

    def judge(self, seen: Seen) -> Verdict:
        """No dtype is wrong."""
        return none_of(seen.blamed(seen.counted().intersection(seen.facts["wrong"]), seen.before("wrong")), "dtype")
