"""What the server asks of the linter, through the same names as any other program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint import Checker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from regbuf_lint import Explanation, FileResult


class Linting:
    """Checks texts as they stand in the editor; what the configuration excludes has no findings.

    Args:
        options: settings by their keys, which win over the configuration.
        config: configuration file to read instead of the nearest one.
        isolated: read no configuration file.
    """

    def __init__(
        self, options: Mapping[str, object] | None = None, config: str | None = None, *, isolated: bool = False
    ) -> None:
        options = {**(options or {}), "force-exclude": True}
        self._checker = Checker(options=options, config=config, isolated=isolated)

    def forget(self) -> None:
        """Read the files of the disk anew."""
        self._checker.forget()

    def check(self, path: Path, texts: Mapping[Path, str]) -> FileResult:
        """Check one of the texts that are open.

        Raises:
            SettingsError: the configuration is wrong.
        """
        self._see_others(path, texts)
        return self._checker.check(texts[path], path)

    def fixed(self, path: Path, texts: Mapping[Path, str]) -> str:
        """Return one of the texts that are open with all safe fixes.

        Raises:
            SettingsError: the configuration is wrong.
        """
        self._see_others(path, texts)
        return self._checker.fix(texts[path], path).text

    def explain(self, path: Path, texts: Mapping[Path, str], row: int) -> tuple[Explanation, ...]:
        """Return what is known of the attributes on a row of one of the texts that are open.

        Raises:
            SettingsError: the configuration is wrong.
        """
        self._see_others(path, texts)
        return self._checker.explain(texts[path], path, row)

    def _see_others(self, path: Path, texts: Mapping[Path, str]) -> None:
        self._checker.see({other: text for other, text in texts.items() if other != path})
