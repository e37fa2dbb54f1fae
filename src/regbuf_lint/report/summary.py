"""What a run says beside its findings: counts, statistics, applied fixes, hints."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from regbuf_lint.report.lines import count, has_safe_fix, has_unsafe_fix, place, some
from regbuf_lint.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.model.result import RunResult


def extent(result: RunResult, seconds: float | None = None) -> str:
    """Return how much a run has looked at, and how long it took where that is given."""
    files = [file for file in result.files if not file.errors]
    modules = count(sum(file.modules for file in files), "nn.Module class")
    return f"{count(len(files), 'file')} with {modules}" + ("" if seconds is None else f" ({seconds:.2f} s)")


def summary_line(result: RunResult, *, fixing: bool, unsafe: bool, seconds: float | None = None) -> str:
    """Return the line that counts findings.

    Args:
        result: what a run found and did.
        fixing: whether the run fixed; a run that did not says what could be fixed.
        unsafe: whether unsafe fixes were asked for.
        seconds: how long it took; None where that is not told.
    """
    left = len(result.findings)
    where = f" in {extent(result, seconds)}" if any(not file.errors for file in result.files) else ""
    fixed = len(_applied(result))
    if fixed:
        return f"Found {count(left + fixed, 'finding')} ({fixed} fixed, {left} remaining){where}."
    if not left:
        failed = len({error.path for error in result.all_errors})
        but = f", but {count(failed, 'path')} could not be checked" if failed else ""
        return f"No findings{where}{but}."
    return f"Found {count(left, 'finding')}{_fixable(result, fixing=fixing, unsafe=unsafe)}{where}."


def _fixable(result: RunResult, *, fixing: bool, unsafe: bool) -> str:
    safe = sum(map(has_safe_fix, result.findings))
    risky = sum(map(has_unsafe_fix, result.findings))
    if unsafe:
        safe, risky = safe + risky, 0
    if fixing:
        safe = 0
    option = "--fix --unsafe-fixes" if unsafe else "--fix"
    parts = [f"{safe} fixable with {option}"] if safe else []
    if risky:
        parts.append(f"{risky} more with --unsafe-fixes" if safe else f"{risky} fixable with --fix --unsafe-fixes")
    return f" ({', '.join(parts)})" if parts else ""


def statistics(result: RunResult, *, color: bool = False) -> str:
    """Return a table of codes: how often, code, ``[*]`` where ``--fix`` mends some, name; most frequent first."""
    style = Style(color)
    counts = Counter(finding.code for finding in result.findings)
    names = {finding.code: finding.rule.name for finding in result.findings}
    fixable = {finding.code for finding in result.findings if has_safe_fix(finding)}
    width = len(str(max(counts.values(), default=0)))
    return "".join(
        f"{number:>{width}}  {style.red(code)}  [{'*' if code in fixable else ' '}]  {names[code]}\n"
        for code, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def applied_fixes(result: RunResult, *, would: bool = False) -> str:
    """Return a line per fix that was applied, or would be."""
    rows = [
        f"  {place(path, finding.span.start, Style())} {finding.code} {fix.message}\n"
        for path, finding, fix in _applied(result)
    ]
    verb = "Would apply" if would else "Applied"
    return f"{verb} {count(len(rows), 'fix')}:\n{''.join(rows)}" if rows else ""


def state_dict_changes(result: RunResult) -> str:
    """Return which keys ``state_dict()`` of which class gains and loses by the fixes that were applied."""
    gains = _keys(result, lambda fix: fix.adds)
    losses = _keys(result, lambda fix: fix.removes)
    text = ""
    if gains:
        text += f"state_dict() gains keys that older checkpoints lack:\n{gains}"
    if losses:
        text += f"state_dict() loses keys that older checkpoints have:\n{losses}"
    return text


def _keys(result: RunResult, keys_of: Callable[[Fix], tuple[str, ...]]) -> str:
    found: dict[str, dict[str, None]] = {}
    for path, finding, fix in _applied(result):
        owner = f"{path}: {finding.class_name}" if finding.class_name else path
        for key in keys_of(fix):
            found.setdefault(owner, {})[key] = None
    return "".join(f"  {owner}: {', '.join(keys)}\n" for owner, keys in found.items())


def _applied(result: RunResult) -> list[tuple[str, Finding, Fix]]:
    """Return path, finding and fix of everything that was applied."""
    fixed = [file.fixed for file in result.files if file.fixed is not None]
    return [(file.path, finding, finding.fix) for file in fixed for finding in file.applied if finding.fix is not None]


def hints(result: RunResult) -> Iterator[str]:
    """Yield what a user should know about how the run went, one line each."""
    for file in result.files:
        for finding in file.fixed.dropped if file.fixed is not None else ():
            where = place(file.path, finding.span.start, Style())
            yield f"{where} the fix of {finding.code} was dropped, since the file would no longer parse"
        if file.fixed is not None and file.fixed.rounds:
            yield f"{file.path}: fixes are still left after {file.fixed.rounds} rounds, and more may come of them"
        if file.slip is not None:
            where = place(file.path, file.slip, Style())
            yield (
                f"{where} this comment hides nothing; for the whole file write `# regbuf-lint: noqa` or"
                " `# regbuf-lint: noqa: RBF001, RBF002` on a line of its own"
            )
    yield from _unfollowed(result)
    names = list(dict.fromkeys(name for file in result.files for name in file.unresolved_bases))
    if names:
        which = "it" if len(names) == 1 else "them"
        yield (
            f"{count(len(names), 'base class')} could not be resolved ({some(names)}), so classes built on {which}"
            " were not checked; list those that are nn.Module classes in `module-classes`"
        )


def _unfollowed(result: RunResult) -> Iterator[str]:
    names = [f"{file.path}: {name}" for file in result.files for name in file.unfollowed]
    if names:
        are = "is" if len(names) == 1 else "are"
        yield (
            f"{count(len(names), 'class')} {are} too large to be followed to the end ({some(names)}), so what was"
            " found there may not be all"
        )
