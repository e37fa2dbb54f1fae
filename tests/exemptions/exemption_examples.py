"""What tests of exemptions ask of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path


def reported(text: str, root: Path, file: str = "net.py") -> list[str | None]:
    """The attributes that RBF001 reports in a text.

    Args:
        text: the text.
        root: the project's directory.
        file: where the text would lie in it.
    """
    settings = Settings(root=root, select=("RBF001",))
    return [one.attribute for one in check_source(SourceText.from_text(text), root / file, settings).findings]
