"""A line chart with logarithmic axes, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from itertools import cycle
from math import ceil, floor, log10

_WIDTH, _HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 630, 50, 410  # the edges of the plot
_COLORS = ("#0a5fd9", "#d1495b", "#2a9d5b", "#e08e1b", "#7a4fb5", "#4b6b7a", "#b5478f", "#8a6d3b", "#111", "#3bb0c9")
_LABEL_STEP = 16  # the height of a line of text


def line_chart(title: str, y_title: str, lines: Mapping[str, Mapping[int, float]]) -> str:
    """Return the chart as SVG text. Each line has a name and its points. All numbers must be above 0."""
    plot = _Plot(lines)
    parts = [
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
        f'<text x="{_LEFT}" y="42" fill="#555">{escape(y_title)}</text>',
        f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">messages before the append</text>',
        *plot.axes(),
        *plot.lines(),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12">\n' + "\n".join(parts) + "\n</svg>\n"
    )


class _Plot:
    """The lines on their axes. Each axis spans whole decades."""

    def __init__(self, lines: Mapping[str, Mapping[int, float]]) -> None:
        self._lines = lines
        points = [point for line in lines.values() for point in line.items()]
        self._x_decades = range(ceil(log10(max(x for x, _ in points))) + 1)
        heights = [log10(y) for _, y in points]
        self._y_decades = range(floor(min(heights)), ceil(max(heights)) + 1)

    def axes(self) -> Iterator[str]:
        """Yield the numbers on both axes, and a horizontal line for each decade."""
        for decade in self._y_decades:
            y = self._y(10.0**decade)
            yield f'<path d="M{_LEFT} {y:.1f}H{_RIGHT}" stroke="#ddd"/>'
            yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">${10.0**decade:,g}</text>'
        for decade in self._x_decades:
            yield f'<text x="{self._x(10**decade):.1f}" y="{_BOTTOM + 20}" text-anchor="middle">{10**decade:,}</text>'

    def lines(self) -> Iterator[str]:
        """Yield each line, with a dot at its end that is connected to its name."""
        labels = self._labels()
        for (name, line), color in zip(self._lines.items(), cycle(_COLORS), strict=False):
            points = [(self._x(x), self._y(y)) for x, y in sorted(line.items())]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            (x, y), label = points[-1], labels[name]
            yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>'
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>'
            yield f'<path d="M{x + 5:.1f} {y:.1f}L{_RIGHT + 12} {label:.1f}" stroke="{color}" opacity=".35"/>'
            yield f'<text x="{_RIGHT + 16}" y="{label + 4:.1f}" fill="{color}">{escape(name)}</text>'

    def _labels(self) -> dict[str, float]:
        """Return the height of each name: beside the end of its line, or below the name above it."""
        ends = {name: self._y(line[max(line)]) for name, line in self._lines.items()}
        labels: dict[str, float] = {}
        above = 0.0
        for name, end in sorted(ends.items(), key=lambda item: item[1]):
            above = labels[name] = max(end, above + _LABEL_STEP)
        return labels

    def _x(self, x: float) -> float:
        return _LEFT + log10(x) / self._x_decades[-1] * (_RIGHT - _LEFT)

    def _y(self, y: float) -> float:
        first, last = self._y_decades[0], self._y_decades[-1]
        return _BOTTOM - (log10(y) - first) / (last - first) * (_BOTTOM - _TOP)
