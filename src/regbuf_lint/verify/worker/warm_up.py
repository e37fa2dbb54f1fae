"""Doing once what each child would have to do again: importing torch and running what is slow the first time."""

from __future__ import annotations

import io
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_OF_SOME_CHECKS = tuple(f"regbuf_lint.verify.worker.{name}" for name in ("held", "other_arguments", "other_inputs"))


def warm_up(preload: Sequence[str]) -> None:
    """Import torch and all checks, export a module and save its state, without a thread and without an accelerator.

    Args:
        preload: names of modules that are imported, too.

    Raises:
        ImportError: one of these cannot be imported.
    """
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    import regbuf_lint.verify.worker.work  # noqa: F401, PLC0415
    from regbuf_lint.verify.worker.untouched import untouched  # noqa: PLC0415

    torch.set_num_threads(1)
    with suppress(Exception):  # torch before 2.1 exports nothing
        import torch.export  # noqa: PLC0415

        torch.export.export(nn.Linear(2, 2), (torch.zeros(1, 2),))
    torch.save(nn.Linear(2, 2).state_dict(), io.BytesIO())
    for name in (*_OF_SOME_CHECKS, *preload):
        import_module(name)
    untouched()
