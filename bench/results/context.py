"""What every table is given to measure with."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from results import disk
from results.programs import Programs
from results.snapshots import Snapshot


@dataclass(frozen=True)
class Context:
    """One call of bench/run."""

    programs: Programs
    snapshot: Snapshot
    disk: str  # a directory or a block device
    work: Path  # for files that are needed meanwhile
    runs: int
    largest_bytes: int  # of images that are made longer

    @property
    def cores(self):
        """Processors this process may use."""
        return len(os.sched_getaffinity(0))

    def area(self, image_bytes=None):
        """A swap area with room for an image stored as it is; by default of the snapshot."""
        return disk.area_on(self.disk, image_bytes or self.snapshot.size)

    def rounds(self):
        """Numbers of rounds. In each of them everything is measured once, so that what is compared alternates."""
        started = time.monotonic()
        for number in range(1, self.runs + 1):
            say(f"round {number} of {self.runs}, {time.monotonic() - started:.0f} s")
            yield number

    def sample_text(self, mib):
        """What the benchmarks that are given --mib take of the snapshot."""
        if mib << 20 >= self.snapshot.size:
            return "all of the snapshot"
        return f"{mib} MiB spread over all of the snapshot"

    def codec_rates(self, codecs, threads, mib):
        """codec -> MB/s of packing and unpacking with the checksums of an image, on so many threads at once."""
        words = [word for codec in codecs for word in ("--codec", codec)]
        answer = self.programs.json("codec_bench", "--mib", mib, "--seconds", 0, "--threads", threads, "--checks", "on",
                                    *words, self.snapshot.path)
        return {row["codec"]: (row["pack_mb_per_s"], row["unpack_mb_per_s"]) for row in answer["rows"]}


def rotated(items, number):
    """The items in an order that differs from round to round, so that none always follows the same."""
    first = number % len(items)
    return [*items[first:], *items[:first]]


def say(text):
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)
