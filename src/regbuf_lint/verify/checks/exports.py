"""``torch.export`` takes the module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, error_text, none_of
from regbuf_lint.verify.model import Verdict, not_run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_SHORT = 140


class Exports(Check):
    """The program that ``torch.export`` makes knows the buffers as buffers, and not as constants."""

    name = "export"
    asserts = "`torch.export` takes it where it took the original, and lists the new buffers as buffers, not constants"
    on_demand = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Export a fresh module."""
        import torch  # noqa: PLC0415

        try:
            import torch.export as exporter  # noqa: PLC0415
        except ImportError:
            return {"not_run": f"torch.export came with torch 2.1, and this is {torch.__version__}"}
        inputs = subject.inputs()
        program = exporter.export(subject.fresh(), inputs)
        return {"buffers": sorted(program.graph_signature.buffers), "constants": sorted(program.constants)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """The constants that are state."""
        return set(seen.facts["constants"]) - set(seen.facts["buffers"])

    def judge(self, seen: Seen) -> Verdict:
        """No state has become a constant of the program."""
        names = {*seen.facts["buffers"]}
        constants = {*seen.facts["constants"]} - names
        return none_of(constants & seen.counted(), "a constant of the exported program")

    def judge_error(self, seen: Seen) -> Verdict:
        """Many right modules cannot be exported, which speaks against a fix only where the original could be."""
        said = error_text(seen.facts)[:_SHORT]
        if seen.facts_before is not None and "error" not in seen.facts_before:
            return super().judge_error(seen)
        return not_run(f"torch.export does not take {'it' if seen.alone else 'the original either'}: {said}")
