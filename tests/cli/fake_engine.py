"""A stand-in for engine and rules: it reports and fixes the word BAD, so that the command line is tested alone."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.result import FileError, FileResult, FixedFile, RunResult
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Span
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import SourceText, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pytest

    from regbuf_lint.model.file_settings import FileSettings
    from regbuf_lint.model.settings import Settings


class FixMode(Enum):
    NONE = 0
    SAFE = 1
    UNSAFE = 2


METAS = tuple(
    RuleMeta(code, name, f"summary of {name}", Severity.WARNING, on_by_default=on, fixable=fixable)
    for code, name, on, fixable in [
        ("RBF001", "plain-tensor-attribute", True, FixAvailability.ALWAYS),
        ("RBF101", "buffer-requires-grad", False, FixAvailability.NEVER),
    ]
)
DOCS = RuleDocs(
    "What.", "Why.", "bad()\n", "good()\n", FixSafety(safe=("where it is new",)), "Adds keys.", ("https://example.org",)
)
_WORDS = re.compile("BAD|RISKY")


@dataclass
class FakeEngine:
    """Records the calls; ``raises`` is raised instead of checking."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    raises: BaseException | None = None
    unresolved: tuple[str, ...] = ()

    def check_files(
        self,
        files: Sequence[Path],
        settings: FileSettings,
        *,
        jobs: int,
        fix: FixMode,
        cache_folder: Callable[[Settings], Path | None] = lambda _: None,
        tell: Callable[[FileResult], None] | None = None,
        named: Collection[Path] = (),
    ) -> RunResult:
        asked = {"files": files, "settings": settings, "jobs": jobs, "fix": fix, "write": False}
        folders = [cache_folder(one) for one in settings.every]
        self.calls.append({**asked, "cache_folders": folders, "named": named})
        if self.raises is not None:
            raise self.raises
        results = tuple(self._check_file(path, fix) for path in files)
        if tell is not None:
            for result in results:
                tell(result)
        return RunResult(results)

    def _check_file(self, path: Path, fix: FixMode) -> FileResult:
        try:
            source = read_source(path)
        except SourceError as error:
            return FileResult(path.as_posix(), errors=(FileError(path.as_posix(), str(error)),))
        return self.check_source(source, path, None, fix=fix)

    def write_all(self, result: RunResult, *_: object) -> RunResult:
        self.calls[-1]["write"] = True
        for file in result.files:
            if file.fixed is not None:
                path = Path(file.fixed.path)
                path.write_bytes(read_source(path).encode(file.fixed.after))
        return result

    def check_source(self, source: SourceText, path: Path, settings: Settings | None, *, fix: FixMode) -> FileResult:
        if settings is not None:
            self.calls.append({"path": path, "settings": settings, "fix": fix})
        name = path.as_posix()
        findings = [finding(source, match) for match in _WORDS.finditer(source.text)]
        allowed = {FixMode.NONE: "", FixMode.SAFE: "safe", FixMode.UNSAFE: "safe unsafe"}[fix].split()
        done = tuple(f for f in findings if f.fix is not None and f.fix.applicability.value in allowed)
        left = tuple(f for f in findings if f not in done)
        if not done:
            return FileResult(name, left, unresolved_bases=self.unresolved, text=source.text)
        after = source.text.replace("BAD", "good")
        after = after.replace("RISKY", "fine") if "unsafe" in allowed else after
        return FileResult(name, left, fixed=FixedFile(str(path), source.text, after, done), text=after)


def finding(source: SourceText, match: re.Match[str]) -> Finding:
    span = Span(source.position(match.start()), source.position(match.end()))
    safe = match.group() == "BAD"
    edit = Edit(span, "good" if safe else "fine")
    fix = Fix(Applicability.SAFE if safe else Applicability.UNSAFE, "Mend it", (edit,), adds=("key",))
    return Finding(METAS[0], f"{match.group()} stays behind", span, span, class_name="M", fix=fix)


def install(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """Put the stand-in where the command line looks for engine and rules."""
    engine = FakeEngine()
    rules = tuple(SimpleNamespace(meta=meta, docs=DOCS) for meta in METAS)
    contents: dict[str, dict[str, object]] = {
        "regbuf_lint.engine": {"__path__": []},
        "regbuf_lint.engine.many_files": {"check_files": engine.check_files},
        "regbuf_lint.engine.writing": {"write_all": engine.write_all},
        "regbuf_lint.engine.run": {"check_source": engine.check_source},
        "regbuf_lint.engine.fixing": {"FixMode": FixMode},
        "regbuf_lint.rules": {"__path__": [], "RULES": rules},
    }
    for name, attributes in contents.items():
        stand_in = ModuleType(name)
        vars(stand_in).update(attributes)
        monkeypatch.setitem(sys.modules, name, stand_in)
    return engine
