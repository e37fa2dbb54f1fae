"""Saying how two values differ that were sketched in two processes (see ``worker.values.sketch``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts

_LONGEST = 60
_BITS = 20


def steady(one: Facts, again: Facts) -> Facts:
    """Return of a value that was made twice what is the same each time."""
    if one["digest"] == again["digest"]:
        return one
    both = zip(one["places"], again["places"], strict=False)
    same = [[step, text if text == text_again else None] for (step, text), (_, text_again) in both]
    return {"digest": "", "places": same}


def difference(now: Facts, before: Facts) -> str:
    """Return how a value differs from the one before; empty where it does not, or nothing is known to be the same."""
    if now["digest"] == before["digest"]:
        return ""
    ours, theirs = now["places"], before["places"]
    for (step, text), (step_before, text_before) in zip(ours, theirs, strict=False):
        if text_before is not None and step != step_before:
            return f"{step_before} is now {step}"
        if text_before not in {None, text}:
            return _said(step, text, text_before)
    if not before["digest"]:
        return ""
    if len(ours) != len(theirs):
        longer, what = (ours, "new") if len(ours) > len(theirs) else (theirs, "missing")
        return f"{what}: {longer[min(len(ours), len(theirs))][0]}"
    return "another value"


def _said(step: str, text: str, before: str) -> str:
    at = f" at {step}" if step else ""
    if _is_tensor(text) and _is_tensor(before):
        text, before = text[:-_BITS].strip(), before[:-_BITS].strip()
        return f"another value{at}" if text == before else f"{before} is now {text}{at}"
    return f"{before.strip()[:_LONGEST]} is now {text.strip()[:_LONGEST]}{at}"


def _is_tensor(text: str) -> bool:
    return " torch." in text
