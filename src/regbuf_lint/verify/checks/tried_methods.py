"""Methods beside ``forward`` of a module that was moved or cast: which of them still run."""

from __future__ import annotations

import io
import time
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import error_text
from regbuf_lint.verify.checks.method_uses import Reason, uses_of
from regbuf_lint.verify.checks.runs import LONGEST_OF_ALL, TookLongError, time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from torch import nn

    from regbuf_lint.verify.checks.method_uses import MethodUse
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

    _Around = Callable[[nn.Module], AbstractContextManager[object]]


def tried(
    subject: Subject,
    put: Callable[[nn.Module], nn.Module],
    given: Callable[[Any], Any],
    around: _Around = lambda _: nullcontext(),
) -> Facts:
    """Return of each use of a method what it raises in a new module and, where it runs there, in one moved or cast.

    Args:
        subject: the version.
        put: moves or casts a module.
        given: moves or casts arguments.
        around: holds while the method runs in such a module.
    """
    found: Facts = {}
    end = time.monotonic() + LONGEST_OF_ALL
    for one in uses_of(subject):
        is_changed = one.reason is Reason.CHANGED
        if is_changed or time.monotonic() < end:
            new = subject.raised_anew.get(one.path)
            if new is None:
                new = subject.raised_anew[one.path] = _raised(subject, one)
            there = {} if new else _raised(subject, one, put, given, around)
            found[one.path] = {"changed": is_changed, "new": new, "put": there}
    return found


def broken(ours: Facts, originals: Sequence[Facts], counts: Callable[[Facts], bool] = bool) -> str:
    """Say which method does not run any longer once the module was moved or cast; empty where all do.

    A method that the fix leaves as it is may raise there where it did so before: that is not the fix's doing.

    Args:
        ours: what ``tried`` gives of the fixed version.
        originals: what it gives of the original, in each way in which that is looked at.
        counts: whether what is raised counts.
    """
    for name, one in ours.items():
        theirs = [facts[name] for facts in originals if name in facts]
        runs = theirs and not one["new"] and not any(before["new"] for before in theirs)
        is_blamed = one["changed"] or not any(before["put"] for before in theirs)
        if runs and is_blamed and one["put"] and counts(one["put"]):
            return f"{name}: {error_text(one['put'])}"
    return ""


def _raised(
    subject: Subject,
    one: MethodUse,
    put: Callable[[nn.Module], nn.Module] = lambda module: module,
    given: Callable[[Any], Any] = lambda arguments: arguments,
    around: _Around = lambda _: nullcontext(),
) -> Facts:
    from regbuf_lint.verify.worker.subject import error_facts  # noqa: PLC0415  imports torch

    module = put(subject.fresh())
    try:
        with time_limit(), around(module), redirect_stdout(io.StringIO()):  # a tensor on a device is printed otherwise
            one.use(module.get_submodule(one.way), given(one.arguments()))
    except (Exception, SystemExit, TookLongError) as error:  # noqa: BLE001  whatever the code under verification raises
        return error_facts(error)
    return {}
