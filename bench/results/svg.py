"""Line plots as SVG, on logarithmic axes: rates differ by factors."""

import math
from html import escape

_WIDTH, _HEIGHT = 720, 440
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 40, 130, 52
# Told apart also by those who see few colours (Okabe and Ito), and by the order of the legend.
_COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#999999")


def line_plot(title, x_label, y_label, lines):
    """An SVG document; `lines`: name -> points (x, y), all of them positive."""
    points = [point for line in lines.values() for point in line]
    if not points or min(min(point) for point in points) <= 0:
        raise ValueError(f"{title}: a plot on logarithmic axes takes positive points, and needs one")
    across = _Axis([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    up = _Axis([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
             _text(_WIDTH / 2, 20, title, "middle", ' font-size="15"'),
             _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, x_label, "middle"),
             _text(16, (_TOP + _HEIGHT - _BOTTOM) / 2, y_label, "middle",
                   f' transform="rotate(-90 16 {(_TOP + _HEIGHT - _BOTTOM) / 2:.0f})"')]
    parts += _grid(across, up)
    for number, (name, line) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(across.place(x), up.place(y)) for x, y in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        row = _TOP + 12 + 20 * number
        parts.append(f'<rect x="{_WIDTH - _RIGHT + 14}" y="{row - 7}" width="16" height="4" fill="{colour}"/>')
        parts.append(_text(_WIDTH - _RIGHT + 36, row, name, "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def ticks(low, high):
    """1, 2 and 5 times powers of ten that enclose the range."""
    steps = [digit * 10.0 ** power for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
             for digit in (1, 2, 5)]
    first = max(step for step in steps if step <= low * 1.000001)
    last = min(step for step in steps if step >= high * 0.999999)
    return [step for step in steps if first <= step <= last]


class _Axis:
    """Values to places, from the first tick to the last."""

    def __init__(self, values, start, end):
        self.ticks = ticks(min(values), max(values))
        self._low = math.log10(self.ticks[0])
        self._span = math.log10(self.ticks[-1]) - self._low or 1.0
        self._start, self._end = start, end

    def place(self, value):
        return self._start + (math.log10(value) - self._low) / self._span * (self._end - self._start)


def _grid(across, up):
    parts = []
    for tick in across.ticks:
        x = across.place(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_HEIGHT - _BOTTOM}" stroke="#dddddd"/>')
        parts.append(_text(x, _HEIGHT - _BOTTOM + 18, f"{tick:g}", "middle"))
    for tick in up.ticks:
        y = up.place(tick)
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{tick:g}", "end"))
    return parts


def _text(x, y, text, anchor, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'
