"""The plot: bars of write and read time, a panel for each size, the mail's figures as marks."""

import math

from mail2006 import past
from mail2006.grid import BUFFERED, DIRECT, OFF, SIZES, Cell, stock
from mail2006.svg import Picture
from mail2006.table import early_text

_WIDTH = 860
_LEFT = 230  # room for the names of the settings
_RIGHT = 70  # and for the figure behind the longest bar
_HEADER = 76
_PANEL_HEAD = 34
_ROW = 34
_BAR = 12
_AXIS = 44

# The mail's own comparison, and then each codec as it is used today.
_SETTINGS = (
    ("none", BUFFERED, OFF),
    ("none", BUFFERED, "20"),
    ("none", BUFFERED, "1"),
    ("none", DIRECT, "1"),
    ("lzf", BUFFERED, OFF),
    ("lzf", DIRECT, "1"),
    ("lz4", DIRECT, "1"),
    ("zstd", DIRECT, "1"),
    ("auto", DIRECT, "1"),
)


def draw(rows):
    """Returns the picture of summary.rows() as SVG text."""
    panels = [(size, _panel_rows(rows, size.key)) for size in SIZES]
    panels = [(size, found) for size, found in panels if found]
    height = _HEADER + sum(_PANEL_HEAD + _ROW * len(found) + _AXIS for _, found in panels)
    picture = Picture(_WIDTH, height, "The 2006 test: write and read times of a hibernation, in seconds")
    longest = max((value for _, found in panels for row in found for value in _values(row)), default=1)
    step = _step(longest)
    end = step * math.ceil(longest / step)
    scale = (_WIDTH - _LEFT - _RIGHT) / end
    _legend(picture)
    top = _HEADER
    for size, found in panels:
        top = _panel(picture, top, f"Image size: {size.title}", found, scale, step, end)
    return picture.xml()


def _panel_rows(rows, size):
    names = [stock(size).name] + [Cell(*setting, size).name for setting in _SETTINGS]
    return [rows[name] for name in names if name in rows]


def _past_of(row):
    """The mail's row with the same setting, or None."""
    cell = row.cell
    if cell.is_stock or cell.io != BUFFERED:
        return None
    wanted = (past.MAIL, cell.codec, cell.early, cell.size)
    return next((old for old in past.ROWS if (old.source, old.codec, old.early, old.size) == wanted), None)


def _values(row):
    old = _past_of(row)
    values = [row.write_seconds, row.read_seconds]
    return values if old is None else [*values, old.write_seconds, old.read_seconds or 0]


def _step(longest):
    """Steps of the axis, so that there are not more than ten."""
    return next(step for step in (0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if longest / step <= 10)


def _legend(picture):
    picture.text(16, 26, "The 2006 test: seconds to write and to read an image", size=16, bold=True)
    x = 16
    for colour, words in (("write", "write time"), ("read", "read time")):
        picture.rectangle(x, 44, 14, _BAR, colour)
        picture.text(x + 20, 54, words)
        x += 110
    picture.diamond(x + 6, 50, "ink")
    picture.text(x + 18, 54, "the mail of 2006")
    x += 140
    picture.line(x, 50, x + 24, 50, "faint", dashed=True)
    picture.text(x + 30, 54, "stock kernel")


def _panel(picture, top, title, rows, scale, step, end):
    picture.text(16, top + 18, title, bold=True)
    top += _PANEL_HEAD
    bottom = top + _ROW * len(rows)
    for number in range(round(end / step) + 1):
        x = _LEFT + number * step * scale
        picture.line(x, top, x, bottom, "rule")
        picture.text(x, bottom + 16, f"{number * step:g}", "faint", "middle", 11)
    picture.text(_LEFT + end * scale / 2, bottom + 32, "seconds", "faint", "middle", 11)
    for index, row in enumerate(rows):
        _bars(picture, top + index * _ROW, row, scale)
    if rows[0].cell.is_stock:
        for value, colour in ((rows[0].write_seconds, "write"), (rows[0].read_seconds, "read")):
            x = _LEFT + value * scale
            picture.line(x, top, x, bottom, colour, dashed=True)
    for index, row in enumerate(rows):
        _figures(picture, top + index * _ROW, row, scale)
    return bottom + _AXIS


def _bars(picture, top, row, scale):
    name = _name(row.cell)
    picture.text(_LEFT - 10, top + _ROW / 2 + 4, name, anchor="end", bold=row.cell.is_stock)
    for y, value, kind, _ in _pair(top, row):
        picture.rectangle(_LEFT, y, value * scale, _BAR, kind, f"{name}: {kind} {value:.2f} s")


def _figures(picture, top, row, scale):
    for y, value, kind, before in _pair(top, row):
        picture.text(_LEFT + value * scale + 5, y + 10, f"{value:.1f}", size=11)
        if before:
            tip = f"the mail of 2006: {kind} {before:g} s"
            picture.diamond(_LEFT + before * scale, y + _BAR / 2, "ink", tip)


def _pair(top, row):
    """The two bars of a row: where, how long, of which kind, and what the mail has there."""
    old = _past_of(row)
    return (
        (top + 4, row.write_seconds, "write", old and old.write_seconds),
        (top + 6 + _BAR, row.read_seconds, "read", old and old.read_seconds),
    )


def _name(cell):
    if cell.is_stock:
        return "stock kernel"
    return f"{cell.codec}, {cell.io}, early {early_text(cell.early)}"
