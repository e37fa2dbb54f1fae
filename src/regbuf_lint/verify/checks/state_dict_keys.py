"""``state_dict()`` gains and loses the keys that the fix declares."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class StateDictKeys(Check):
    """The keys of both versions."""

    name = "state-dict-keys"
    asserts = "`state_dict()` keeps the keys of the original, and gains and loses exactly what the fix declares"
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Take the keys."""
        return {"keys": sorted(subject.module.state_dict())}

    def judge(self, seen: Seen) -> Verdict:
        """Compare with what is declared, or where nothing is, with what the fix registered."""
        keys, before = set(seen.facts["keys"]), set(seen.before("keys"))
        gained, lost = keys - before, before - keys
        if not seen.claims.declared:
            verdict = none_of(gained - seen.changes.state, "new keys that are nothing the fix registered")
            return verdict if verdict is not PASSED else none_of(lost - seen.changes.removed, "lost keys")
        classes = {"", *seen.inventory["classes"]}
        adds, removes = (
            [pattern for owner, pattern in declared if owner in classes]
            for declared in (seen.claims.adds, seen.claims.removes)
        )
        still_none = {name for name, one in seen.inventory["buffers"].items() if one["none"]}
        for found, patterns, what in ((gained, adds, "gained"), (lost, removes, "lost")):
            verdict = none_of(_unmatched(found, patterns), f"{what}, but not declared")
            if verdict is not PASSED:
                return verdict
            verdict = none_of(_unused(patterns, found | still_none), f"declared as {what}, but not")
            if verdict is not PASSED:
                return verdict
        return PASSED


def _unmatched(keys: Iterable[str], patterns: Iterable[str]) -> list[str]:
    return [key for key in keys if not any(_matches(key, pattern) for pattern in patterns)]


def _unused(patterns: Iterable[str], keys: set[str]) -> list[str]:
    return [pattern for pattern in patterns if not any(_matches(key, pattern) for key in keys)]


def _matches(key: str, pattern: str) -> bool:
    return fnmatchcase(key.rpartition(".")[2], pattern)
