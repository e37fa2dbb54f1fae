"""Colours of a terminal, or none."""

from __future__ import annotations

from msgspec import Struct


class Style(Struct, frozen=True):
    """Colours text, or leaves it as it is where ``color`` is off."""

    color: bool = False

    def bold(self, text: str) -> str:
        """Return bold text."""
        return self._paint("1", text)

    def red(self, text: str) -> str:
        """Return bold red text."""
        return self._paint("1;31", text)

    def cyan(self, text: str) -> str:
        """Return cyan text."""
        return self._paint("36", text)

    def blue(self, text: str) -> str:
        """Return bold blue text."""
        return self._paint("1;34", text)

    def _paint(self, codes: str, text: str) -> str:
        """Return text between what ECMA-48 calls Select Graphic Rendition, set and reset."""
        return f"\033[{codes}m{text}\033[0m" if self.color and text else text
