"""The grid of the 2006 test: what is hibernated how, how often, and in which order."""

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase

STOCK = "stock"
DIRECT = "direct"
BUFFERED = "buffered"
OFF = "off"

CODECS = ("none", "lzf", "lz4", "zstd", "auto")
EARLY_WRITEOUT = (OFF, "20", "1")

# What the mail measured: buffered writes, plain, and packed by the codec that uswsusp had then.
_LIKE_THE_MAIL = (("none", EARLY_WRITEOUT), ("lzf", (OFF, "1")))

# The cells that the targets are about, measured as often as what they are compared with.
_HEADLINE = ("lz4", "auto")
REPEATED_RUNS = 3


@dataclass(frozen=True)
class Size:
    """A cap on the image, in percent of RAM."""

    key: str
    percent: int
    title: str


# "Default" was, in 2006, an image as large as would fit; dormouse's and the kernel's default today is 40 %.
SIZES = (
    Size("max", 100, "no cap (the default of 2006): about half of RAM"),
    Size("45%", 45, "cap 45 % of RAM"),
    Size("40%", 40, "cap 40 % of RAM (the default of dormouse and of the kernel today)"),
)


@dataclass(frozen=True)
class Cell:
    """One way to hibernate. For the stock kernel only the size is ours to choose."""

    codec: str
    io: str
    early: str
    size: str

    @property
    def name(self):
        """As the command line and the results have it."""
        if self.is_stock:
            return f"{STOCK}/{self.size}"
        return f"{self.codec}/{self.io}/{self.early}/{self.size}"

    @property
    def is_stock(self):
        """Whether the kernel's own hibernation is meant."""
        return self.codec == STOCK

    @property
    def is_repeated(self):
        """Whether one run would be too few."""
        return self.is_stock or (self.codec in _HEADLINE and self.early == "1" and self.io == DIRECT)

    @property
    def size_percent(self):
        """The cap, in percent of RAM."""
        return next(size.percent for size in SIZES if size.key == self.size)


def stock(size):
    """The kernel's own hibernation at the size with this key."""
    return Cell(STOCK, "", "", size)


def cells(quick=False):
    """Every cell, in the order of the table."""
    if quick:
        size = SIZES[0].key
        plain = [Cell("none", BUFFERED, early, size) for early in (OFF, "1")]
        return [stock(size), *plain, *(Cell(codec, DIRECT, "1", size) for codec in ("lz4", "zstd", "auto"))]
    found = []
    for size in SIZES:
        found.append(stock(size.key))
        for codec, steps in _LIKE_THE_MAIL:
            found += [Cell(codec, BUFFERED, early, size.key) for early in steps]
        found += [Cell(codec, DIRECT, early, size.key) for codec in CODECS for early in EARLY_WRITEOUT]
    return found


def matching(found, patterns):
    """Those of the cells whose name matches one of the shell patterns; all if there is none."""
    return [cell for cell in found if not patterns or any(fnmatchcase(cell.name, p) for p in patterns)]


def schedule(found, runs):
    """Returns [(cell, run)] in the order of measuring.

    What is repeated is spread over the whole: a machine that grows slower or faster does so for all of it.
    """
    repeats = max(REPEATED_RUNS, runs)
    repeated = [cell for cell in found if cell.is_repeated]
    others = [(cell, run) for run in range(1, runs + 1) for cell in found if not cell.is_repeated]
    share = math.ceil(len(others) / repeats)
    order = []
    for run in range(1, repeats + 1):
        order += [(cell, run) for cell in repeated]
        order += others[(run - 1) * share : run * share]
    return order
