"""What the server asks of the linter, through the same functions as any other program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import regbuf_lint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from regbuf_lint import Explanation, FileResult


@dataclass(frozen=True, slots=True)
class Linting:
    """How texts are checked.

    Attributes:
        options: settings by their keys, which win over the configuration.
        config: configuration file to read instead of the nearest one.
        isolated: read no configuration file.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    config: str | None = None
    isolated: bool = False

    def check(self, text: str, path: Path) -> FileResult:
        """Check a text as it stands in the editor; a file that the configuration excludes has no findings.

        Raises:
            SettingsError: the configuration is wrong.
        """
        options = {**self.options, "force-exclude": True}
        return regbuf_lint.check_source(text, path, options=options, config=self.config, isolated=self.isolated)

    def fixed(self, text: str, path: Path) -> str:
        """Return the text with all safe fixes.

        Raises:
            SettingsError: the configuration is wrong.
        """
        return regbuf_lint.fix_source(text, path, options=self.options, config=self.config, isolated=self.isolated).text

    def explain(self, text: str, path: Path, row: int) -> tuple[Explanation, ...]:
        """Return what is known of the attributes on a row.

        Raises:
            SettingsError: the configuration is wrong.
        """
        return regbuf_lint.explain_source(
            text, path, row, options=self.options, config=self.config, isolated=self.isolated
        )
