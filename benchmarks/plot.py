"""One plot, as SVG: cost against size, both on logarithmic scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH, _HEIGHT, _MARGIN = 640, 400, 60
_FONT = 'font-family="sans-serif" font-size="12"'
_COLOURS = ("#c0392b", "#2c6fbb", "#3a8f4d", "#8e5aa8", "#b8860b")


@dataclass(frozen=True)
class Series:
    """A line of the plot: what it is of, and its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


def plotted(title: str, across: str, up: str, series: Sequence[Series]) -> str:
    """The plot as the text of an SVG file; all numbers are greater than 0."""
    scale = _Scale([point for one in series for point in one.points])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_WIDTH / 2, 24, title, "middle"),
        _text(_WIDTH / 2, _HEIGHT - 12, across, "middle"),
        f'<g transform="translate(16 {_HEIGHT / 2}) rotate(-90)">{_text(0, 0, up, "middle")}</g>',
        *scale.grid(),
    ]
    for number, one in enumerate(series):
        parts.extend(_line(scale, one, _COLOURS[number % len(_COLOURS)], 40 + 16 * number))
    return "\n".join([*parts, "</svg>\n"])


class _Scale:
    """Where numbers stand in the plot; its borders are powers of ten."""

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        self._ranges = [self._powers([point[axis] for point in points]) for axis in (0, 1)]

    @staticmethod
    def _powers(numbers: Sequence[float]) -> tuple[int, int]:
        low, high = math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers)))
        return low, max(high, low + 1)

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        """Where a point stands."""
        shares = [
            (math.log10(number) - low) / (high - low) for number, (low, high) in zip(point, self._ranges, strict=True)
        ]
        across, up = _MARGIN + shares[0] * (_WIDTH - 2 * _MARGIN), shares[1] * (_HEIGHT - 2 * _MARGIN)
        return round(across, 1), round(_HEIGHT - _MARGIN - up, 1)

    def grid(self) -> list[str]:
        """Lines at the powers of ten, with their numbers."""
        (left, right), (low, high) = self._ranges
        parts = []
        for power in range(left, right + 1):
            (x, top), (_, bottom) = self.place((10.0**power, 10.0**high)), self.place((10.0**power, 10.0**low))
            parts.append(
                f'<path d="M{x} {top}V{bottom}" stroke="#ddd"/>{_text(x, bottom + 18, _number(power), "middle")}'
            )
        for power in range(low, high + 1):
            (start, y), (end, _) = self.place((10.0**left, 10.0**power)), self.place((10.0**right, 10.0**power))
            parts.append(
                f'<path d="M{start} {y}H{end}" stroke="#ddd"/>{_text(start - 6, y + 4, _number(power), "end")}'
            )
        return parts


def _line(scale: _Scale, series: Series, colour: str, row: float) -> list[str]:
    places = [scale.place(point) for point in series.points]
    path = "M" + "L".join(f"{x} {y}" for x, y in places)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places)
    legend = f'<circle cx="{_MARGIN + 12}" cy="{row + _MARGIN / 2 - 4}" r="4" fill="{colour}"/>'
    name = _text(_MARGIN + 22, row + _MARGIN / 2, series.name, "start")
    return [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', dots, legend, name]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _number(power: int) -> str:
    return f"{10.0**power:g}"
