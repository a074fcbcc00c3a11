"""Peak memory of the tools, by codec and size of the image."""

import tempfile
from pathlib import Path

from results import snapshots
from results.figures import Samples, Spread
from results.markdown import table
from results.section import Section
from results.targets import Target

TITLE = "Memory"
RUNS = 1
GIB = 1 << 30
CODECS = ("none", "lzf", "lz4", "zstd", "auto")
SIZES = (0.1, 1, 4)  # GiB
_THREADS = 2
_BOUND_MIB = 64.0
_FLAT_MIB = 2.0
_STEPS = ("s2disk", "resume --verify", "resume --to")


def measure(context):
    """The section."""
    samples = Samples()
    sizes = [size for size in SIZES if size * GIB <= context.largest_bytes] or [SIZES[0]]
    with tempfile.TemporaryDirectory(dir=context.work) as directory, context.area(int(sizes[-1] * GIB)) as area:
        files = [snapshots.of_length(context.snapshot, int(size * GIB), Path(directory) / f"snapshot-{size}")
                 for size in sizes]
        for _ in context.rounds():
            for size, snapshot in zip(sizes, files):
                for codec in CODECS:
                    for step, peak in _peaks(context, area, snapshot, codec):
                        samples.add(peak / 2**20, codec, size, step)
    section = Section()
    section.add(f"Peak resident memory in MiB, {_THREADS} threads, all other settings the default.",
                table(["codec", "image, GiB", *_STEPS],
                      [[codec, size, *(samples[codec, size, step].text(".1f") for step in _STEPS)]
                       for codec in CODECS for size in sizes]))
    section.targets = _targets(samples, sizes)
    return section


def _peaks(context, area, snapshot, codec):
    """Peak bytes of each step."""
    common = ("--resume-device", area.path, "--threads", _THREADS)
    peak = context.programs.peak_bytes
    yield "s2disk", peak("s2disk", "--from", snapshot.path, f"--compress={codec}", *common)
    yield "resume --verify", peak("resume", "--verify", *common)
    yield "resume --to", peak("resume", "--to", "/dev/null", *common)
    context.programs.report("resume", "--resume-device", area.path, "--discard")


def _targets(samples, sizes):
    """The worst of all codecs; the table tells which."""
    found = []
    for step in _STEPS:
        peaks = [[samples[codec, size, step].high for size in sizes] for codec in CODECS]
        found.append(_at_most(f"peak of {step}, any codec and size", max(map(max, peaks)), _BOUND_MIB))
        if len(sizes) > 1:
            growth = max(of_codec[-1] - of_codec[0] for of_codec in peaks)
            found.append(_at_most(f"growth of {step} from {sizes[0]} to {sizes[-1]} GiB, any codec", growth, _FLAT_MIB))
    return found


def _at_most(claim, value, wanted):
    return Target(claim, Spread((value,)), wanted, at_most=True, form=".1f", unit=" MiB")
