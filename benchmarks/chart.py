"""A line chart with logarithmic axes, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import ceil, floor, log10

_WIDTH, _HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 230, 50, 50
_COLORS = ("#0a5fd9", "#d1495b", "#2a9d5b", "#e08e1b", "#7a4fb5", "#4b6b7a", "#b5478f", "#8a6d3b")
_LABEL_STEP = 16  # lines of text need so much room


def line_chart(title: str, y_title: str, lines: Mapping[str, Mapping[int, float]]) -> str:
    """The chart as SVG text. Each line has a name and its points; all numbers are above 0."""
    points = [(x, y) for line in lines.values() for x, y in line.items()]
    x_decades = range(ceil(log10(max(x for x, _ in points))) + 1)
    y_decades = range(floor(log10(min(y for _, y in points))), ceil(log10(max(y for _, y in points))) + 1)

    def at(x: float, y: float) -> tuple[float, float]:
        across = (log10(x) - x_decades[0]) / (x_decades[-1] - x_decades[0])
        up = (log10(y) - y_decades[0]) / (y_decades[-1] - y_decades[0])
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text x="{_LEFT}" y="24" font-size="16" font-weight="bold">{escape(title)}</text>']
    parts.append(f'<text x="{_LEFT}" y="42" fill="#555">{escape(y_title)}</text>')
    for decade in y_decades:
        (left, y), (right, _) = at(10 ** x_decades[0], 10**decade), at(10 ** x_decades[-1], 10**decade)
        parts.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">${10.0**decade:,g}</text>')
    for decade in x_decades:
        x, bottom = at(10**decade, 10 ** y_decades[0])
        parts.append(f'<text x="{x:.1f}" y="{bottom + 20:.1f}" text-anchor="middle">{10**decade:,}</text>')
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">messages there</text>'
    )
    ends = {name: at(*max(line.items())) for name, line in lines.items()}
    label_y = -1e9
    labels: dict[str, float] = {}
    for name, (_, y) in sorted(ends.items(), key=lambda end: end[1][1]):
        label_y = labels[name] = max(y, label_y + _LABEL_STEP)
    for (name, line), color in zip(lines.items(), _COLORS, strict=False):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in sorted(line.items())))
        x, y = ends[name]
        text_x = _WIDTH - _RIGHT + 16
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>')
        parts.append(f'<path d="M{x + 5:.1f} {y:.1f}L{text_x - 4} {labels[name]:.1f}" stroke="{color}" opacity=".35"/>')
        parts.append(f'<text x="{text_x}" y="{labels[name] + 4:.1f}" fill="{color}">{escape(name)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
