"""What goes into RESULTS.md: where it was measured, the plot, the tables, and whether the targets are met."""

import statistics

from mail2006 import plot, station, summary, table
from mail2006.grid import REPEATED_RUNS, SIZES, Cell, stock
from mail2006.runner import rates_text
from mail2006.store import GUEST

TITLE = "The 2006 test"
_JUDGED = (("lz4", "direct", "1"), ("auto", "direct", "1"))

_READING = f"""\
Seconds are the tools' and the kernel's own: from the first page taken to the flush done (the stock kernel
never flushes: until its last write is answered), and from the first read to the last page handed over. Everything
was measured once, or at least {REPEATED_RUNS} times where a range follows the median. *Disk's share* is the part of
the time that the disk needs for the stored bytes at its limit: near 100 % the disk is what one waits for. The last
two columns compare the time by page of memory, as copied by the kernel, with the stock kernel's. Rows in italics
are not of this run; the mail's are in whole seconds. bench/README.md tells what misleads."""


def markdown(store, picture_path):
    """The section's text; `picture_path` is where the plot is, as seen from the text."""
    rows = summary.rows(store.results)
    setup = store.setup
    tables = table.markdown(rows, station.WRITE_BYTES_PER_SECOND, station.READ_BYTES_PER_SECOND)
    parts = [
        f"## {TITLE}",
        f"`{setup['command']}`",
        setup["machine"],
        _guest_text(store),
        f"![Write and read times of every setting]({picture_path})",
        targets_text(rows),
        tables,
        _READING,
    ]
    if store.failures:
        names = ", ".join(sorted({record["cell"] for record in store.failures}))
        parts.append(f"**Not measured, as they failed:** {names}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def picture(store):
    """The plot, as SVG."""
    return plot.draw(summary.rows(store.results))


def targets_text(rows):
    """A list of what was aimed at and what came out; empty where there is nothing to compare."""
    most = 1 - summary.TARGET_BELOW
    lines = []
    for codec, io, early in _JUDGED:
        for size in SIZES:
            row, reference = rows.get(Cell(codec, io, early, size.key).name), rows.get(stock(size.key).name)
            if row is None or reference is None:
                continue
            write, read = row.write_against(reference), row.read_against(reference)
            verdict = "met" if max(write, read) <= most else "missed"
            lines.append(f"| {codec} | {size.title} | {write:.2f} | {read:.2f} | {verdict} |")
    if not lines:
        return ""
    head = f"Target: write and read time of a page at most {most:.2f} of the stock kernel's."
    return "\n".join([head, "", "| codec | image size | write | read | |", "|---|---|--:|--:|---|", *lines])


def _guest_text(store):
    setup = store.setup
    guest = next((record for record in store.records if record["type"] == GUEST), None)
    rates = f" The guest's own dd, direct: {rates_text(guest['disk_rates'])}." if guest else ""
    loads = [record["host_load"] for record in store.results if "host_load" in record]
    load = f" Load of the host: {statistics.median(loads):.1f}, at most {max(loads):.1f}." if loads else ""
    return f"Guest: Linux {setup['kernel']}, {setup['emulator']}, no KVM; {setup['guest']}.{rates}{load}"
