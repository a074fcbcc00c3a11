"""Reads what the kernel's own hibernation says of itself on the console."""

import re
from dataclasses import dataclass

_TRANSFER = r"PM: hibernation: {} (\d+) kbytes in (\d+\.\d+) seconds"
_COPIED = re.compile(r"PM: hibernation: Need to copy (\d+) pages")
_PREPARED = re.compile(_TRANSFER.format("Allocated"))
_WROTE = re.compile(_TRANSFER.format("Wrote"))
_READ = re.compile(_TRANSFER.format("Read"))


@dataclass(frozen=True)
class Transfer:
    """Bytes of the image before packing, and the time that they took."""

    image_bytes: int
    seconds: float


def copied_pages(console):
    """How many pages the last snapshot on this console has; None if there was none."""
    found = _COPIED.findall(console)
    return int(found[-1]) if found else None


def prepared_seconds(console):
    """How long it took to make room for the snapshot, which nobody counts as writing; or None."""
    found = _last(_PREPARED, console)
    return found.seconds if found else None


def written(console):
    """The Transfer to the swap area, or None."""
    return _last(_WROTE, console)


def read_back(console):
    """The Transfer from the swap area in the boot that resumes, or None."""
    return _last(_READ, console)


def _last(pattern, console):
    found = pattern.findall(console)
    return Transfer(int(found[-1][0]) * 1024, float(found[-1][1])) if found else None
