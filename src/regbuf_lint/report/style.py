"""Colours of a terminal, or none; rich is imported for the first thing that is shown in colour."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Colours text, or leaves it as it is where ``color`` is off."""

    color: bool = False

    def bold(self, text: str) -> str:
        """Return bold text."""
        return self._paint("bold", text)

    def red(self, text: str) -> str:
        """Return bold red text."""
        return self._paint("bold red", text)

    def cyan(self, text: str) -> str:
        """Return cyan text."""
        return self._paint("cyan", text)

    def blue(self, text: str) -> str:
        """Return bold blue text."""
        return self._paint("bold blue", text)

    def _paint(self, definition: str, text: str) -> str:
        if not self.color or not text:
            return text
        from rich.color import ColorSystem  # noqa: PLC0415  start-up time
        from rich.style import Style as RichStyle  # noqa: PLC0415

        return RichStyle.parse(definition).render(text, color_system=ColorSystem.STANDARD)
