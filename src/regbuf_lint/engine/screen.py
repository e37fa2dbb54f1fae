"""What is looked at of each file first, before what rules need is loaded: whether there may be findings about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.index.candidates import Candidates
from regbuf_lint.index.parsing import ParseError, parse
from regbuf_lint.index.project import Project
from regbuf_lint.index.reads import Content
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText

_COMMENT = "noqa"


class Screen:
    """Leaves out files of which no class can be an nn.Module class.

    Attributes:
        settings: the run's settings.
        project: all files that can be read.
        outlines: the same files by their outlines.
        changes: how often texts of files were replaced: what was found out before may rest on them.

    Args:
        settings: the run's settings.
        written: words of files as they are on the disk, by path, as ``written`` in ``index/words.py`` writes them.
        named: files that the user names: where one of them does not parse, that is said in any case.
    """

    def __init__(
        self,
        settings: Settings,
        written: Mapping[str, str] | None = None,
        named: Collection[Path] = (),
    ) -> None:
        self.settings = settings
        sources = (one for source in settings.sources or (settings.root,) for one in (source, source / "src"))
        self.project = Project(sources, settings, written)
        self.outlines = self.project.outlined()
        self._candidates = Candidates(self.outlines, settings.module_classes)
        self._named = named
        self._overlay = Overlay()
        self.changes = 0

    def leaves_out(self, path: Path, source: SourceText) -> bool:
        """Whether nothing is to be said of a file; ``source`` counts, whatever the disk holds.

        Comments may be spoken of where rules are selected that are off by default.
        """
        self.project.reads.note(Content(str(path.absolute())))
        has_comments = bool(self.settings.select or self.settings.extend_select) and _COMMENT in source.text
        if has_comments or self._candidates.may_hold_one(path.absolute(), source):
            return False
        return not self.is_named(path) or _parses(source)

    def is_named(self, path: Path) -> bool:
        """Whether the user names a file."""
        return path in self._named

    def close(self) -> None:
        """Give up all files."""
        self.project.close()
        self._candidates.close()

    def see(self, overlay: Overlay) -> None:
        """From now on, take files for what an overlay holds, and all others for what the disk does."""
        if overlay != self._overlay:
            self._overlay = overlay
            self.project.see(overlay)
            self._candidates.see(overlay)
            self.changes += 1

    def forget(self, path: Path) -> None:
        """From now on, take a file that was checked with a text of its own for what it was before."""
        self.project.forget(path.absolute())
        self._candidates.forget(path.absolute())
        self.changes += 1


def _parses(source: SourceText) -> bool:
    try:
        parse(source.text)
    except ParseError:
        return False
    return True
