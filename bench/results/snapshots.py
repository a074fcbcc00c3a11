"""The snapshot that is written: given, or made; and longer and shorter ones out of it."""

import os
from dataclasses import dataclass
from pathlib import Path

from results.errors import BenchError
from results.programs import timed

MIB = 1 << 20
PAGE = 4096
STAND_IN_MIB = 512


@dataclass(frozen=True)
class Snapshot:
    """A stream of pages in a file."""

    path: Path
    size: int
    name: str  # for the reader of the results

    def warm(self):
        """Reads it once: from now on it comes from the page cache."""
        with open(self.path, "rb", buffering=0) as file:
            while file.read(8 * MIB):
                pass


def opened(path):
    """A snapshot that is there."""
    path = Path(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise BenchError(f"the snapshot {path} cannot be used: {error.strerror}") from error
    if size == 0 or size % PAGE:
        raise BenchError(f"{path} has {size} bytes: a snapshot is whole pages of {PAGE}")
    return Snapshot(path, size, f"{path.name}, {size / 1e6:.0f} MB")


def stand_in(programs, directory):
    """One that make_snapshot makes."""
    path = Path(directory) / "stand-in"
    timed([programs.path("make_snapshot"), "--mib", STAND_IN_MIB, path])
    size = path.stat().st_size
    return Snapshot(path, size, f"a stand-in, make_snapshot --mib {STAND_IN_MIB}, {size / 1e6:.0f} MB")


def of_length(snapshot, size, path):
    """A snapshot of `size` bytes in the file `path`, with the pages of `snapshot` from the first on, over and over."""
    size = size // PAGE * PAGE
    free = os.statvfs(Path(path).parent)
    if free.f_bavail * free.f_frsize < size:
        raise BenchError(f"{Path(path).parent} has no room for a snapshot of {size >> 20} MiB; "
                         "name another directory with --work, or a lower --largest")
    with open(snapshot.path, "rb") as source, open(path, "wb") as file:
        left = size
        while left:
            piece = source.read(min(left, 8 * MIB))
            if not piece:
                source.seek(0)
                continue
            file.write(piece)
            left -= len(piece)
    return Snapshot(Path(path), size, f"{size / 2**30:.1f} GiB of {snapshot.name}")
