"""Built where tensors lie on another device, or have another dtype, by default."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.moves import all_tensors
from regbuf_lint.verify.model import PASSED, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


class OtherDefaults(Check):
    """``with torch.device("meta")``, as loaders of large models have it, and ``torch.set_default_dtype``."""

    name = "other-defaults"
    asserts = (
        "built under `torch.device('meta')`, or with `torch.float64` as the default dtype, tensors follow that default "
        "that do so in the original"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Build under each default, and see which tensors follow it."""
        import torch  # noqa: PLC0415

        with torch.device("meta"):
            on_meta = _built(subject, lambda tensor: tensor.is_meta)
        with _double():
            double = _built(subject, lambda tensor: tensor.dtype is torch.float64)
        return {"torch.device('meta')": on_meta, "torch.float64": double}

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        for default, before in (seen.facts_before or {}).items():
            now = seen.facts[default]
            if "raises" in now and "raises" not in before:
                return failed(f"building it under {default} raises {now['raises']}")
            if "follow" in now and "follow" in before:
                lost = {name for name, follows in now["follow"].items() if not follows and before["follow"].get(name)}
                verdict = none_of(lost, f"no longer follows {default}")
                if verdict is not PASSED:
                    return verdict
        return PASSED


def _built(subject: Subject, follows: Callable[[torch.Tensor], bool]) -> Facts:
    """Return which tensors of a new module follow a default, or what building it raises."""
    try:
        module = subject.fresh()
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
        return {"raises": type(error).__name__}
    return {"follow": {name: follows(one) for name, one in all_tensors(subject, module).items()}}


@contextmanager
def _double() -> Iterator[None]:
    import torch  # noqa: PLC0415

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
