"""The table, in the mail's own columns: pages, image size, write time, read time."""

from mail2006 import past
from mail2006.grid import OFF, SIZES, stock

_HEAD = (
    "compression",
    "early writeout",
    "I/O",
    "pages",
    "image size, MB",
    "write time, s",
    "read time, s",
    "stored / image",
    "disk's share, write / read",
    "write : stock",
    "read : stock",
)
_NONE = "–"


def markdown(rows, write_rate, read_rate):
    """Returns one table for each size that has some of `rows`, those of summary.rows().

    The rates are the disk's limits, in bytes per second.
    """
    parts = []
    for size in SIZES:
        ours = [row for row in rows.values() if row.cell.size == size.key]
        if not ours:
            continue
        reference = rows.get(stock(size.key).name)
        lines = [f"**Image size: {size.title}**", "", _line(_HEAD), _line(["---"] * 3 + ["--:"] * 8)]
        lines += [_line(_row(row, reference, write_rate, read_rate)) for row in ours]
        lines += [_line(_past_row(row)) for row in past.ROWS if row.size == size.key]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def early_text(early):
    """A step of early writeout, as it is printed."""
    return early if early in ("", OFF) else f"{early} %"


def _row(row, reference, write_rate, read_rate):
    cell = row.cell
    if cell.is_stock:
        names = ["**the stock kernel**", "none", "asynchronous"]
    else:
        names = [cell.codec, early_text(cell.early), cell.io]
    ratios = [_NONE, _NONE]
    if reference is not None:
        ratios = [f"{row.write_against(reference):.2f}", f"{row.read_against(reference):.2f}"]
    shares = row.device_share(write_rate, read_rate)
    return [
        *names,
        f"{row.pages:.0f}",
        f"{row.image_bytes / 1e6:.0f}",
        _seconds(row.write_seconds, row.write_range),
        _seconds(row.read_seconds, row.read_range),
        f"{row.ratio:.2f}",
        " / ".join(f"{share:.0%}" for share in shares),
        *ratios,
    ]


def _past_row(row):
    read = _NONE if row.read_seconds is None else f"*{row.read_seconds:g}*"
    return [
        f"*{row.source}: {row.codec}*",
        f"*{early_text(row.early)}*" if row.early else _NONE,
        "*buffered*",
        f"*{row.pages}*",
        f"*{row.pages * 4096 / 1e6:.0f}*",
        f"*{row.write_seconds:g}*",
        read,
        *[_NONE] * 4,
    ]


def _seconds(value, span):
    low, high = span
    return f"{value:.2f}" if low == high else f"{value:.2f} ({low:.2f}–{high:.2f})"


def _line(fields):
    return "| " + " | ".join(fields) + " |"
