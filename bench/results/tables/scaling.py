"""Threads, and sizes of the image: does it get quicker with the one, and stay as quick and as small with the other?"""

import tempfile
from pathlib import Path

from results import snapshots
from results.figures import Samples, Spread
from results.markdown import table
from results.pipeline_runs import run
from results.section import Section
from results.targets import Target

TITLE = "Scaling"
RUNS = 5
GIB = 1 << 30
_THREAD_CODECS = ("none", "lz4", "zstd:1", "auto")
_SIZE_CODECS = ("lz4", "auto")
_PIPELINE_SIZES = (0.1, 1, 4, 16)  # GiB
_TOOL_SIZES = (0.1, 1, 4)
_PIECE_MIB = 96  # what is repeated: more than the processors' caches hold
_THREAD_MIB = 256
_LONG_RUNS = 2  # of the longest image, for the time it takes
_FLAT = 1.1  # time per GiB, of the longest by the one of 1 GiB
_FLAT_MIB = 2.0  # peak memory, between the largest and the smallest


def measure(context):
    """The section."""
    section = Section()
    _threads(context, section)
    _pipeline_sizes(context, section)
    _tool_sizes(context, section)
    return section


def thread_counts(cores):
    """1, 2, 4 ... and all of them."""
    counts = {cores}
    count = 1
    while count < cores:
        counts.add(count)
        count *= 2
    return sorted(counts)


def _threads(context, section):
    samples = Samples()
    counts = thread_counts(context.cores)
    for _ in context.rounds():
        for count in counts:
            answer = run(context, threads=count, mib=_THREAD_MIB, codecs=_THREAD_CODECS)
            for one in answer["runs"]:
                for way in ("write", "read"):
                    samples.add(answer["image_bytes"] / 1e6 / one[way]["seconds"], one["codec"], way, count)
    rows = []
    for codec in _THREAD_CODECS:
        for way in ("write", "read"):
            rates = [samples[codec, way, count] for count in counts]
            rows.append([codec, way, *(rate.text() for rate in rates), rates[-1].over(rates[0]).text(".2f")])
    section.add(f"Threads: {context.sample_text(_THREAD_MIB)} from memory to a device of memory and back, MB/s.",
                table(["codec", "way", *(f"{count} threads" if count > 1 else "1 thread" for count in counts),
                       f"{counts[-1]} by 1"], rows))


def _limited(sizes, context):
    return [size for size in sizes if size * GIB <= context.largest_bytes] or [sizes[0]]


def _pipeline_sizes(context, section):
    samples = Samples()
    sizes = _limited(_PIPELINE_SIZES, context)
    for number in context.rounds():
        for size in sizes:
            if size == _PIPELINE_SIZES[-1] and number > _LONG_RUNS:
                continue
            for codec in _SIZE_CODECS:
                answer = run(context, device="null", mib=_PIECE_MIB, codecs=(codec,), image_mib=int(size * 1024))
                per_gib = answer["runs"][0]["write"]["seconds"] / (answer["image_bytes"] / GIB)
                samples.add(per_gib, codec, size, "write")
                samples.add(answer["peak_rss_bytes"] / 2**20, codec, size, "peak")
    section.add(f"Size of the image, the writer alone: {_PIECE_MIB} MiB of the snapshot over and over, to the null "
                f"device. The peak is that of the whole benchmark, with the {_PIECE_MIB} MiB.",
                table(["codec", "image, GiB", "writing, s per GiB", "peak memory, MiB"],
                      [[codec, size, samples[codec, size, "write"].text(".3f"),
                        samples[codec, size, "peak"].text(".1f")]
                       for codec in _SIZE_CODECS for size in sizes]))
    for codec in _SIZE_CODECS:
        section.targets += _flat_time(samples, codec, sizes, "write", f"the writer alone, {codec}")
        section.targets += _flat_peak(samples, codec, sizes, "peak", f"the writer alone, {codec}")


def _tool_sizes(context, section):
    samples = Samples()
    sizes = _limited(_TOOL_SIZES, context)
    codec = _SIZE_CODECS[0]
    largest = int(sizes[-1] * GIB)
    with tempfile.TemporaryDirectory(dir=context.work) as directory, context.area(largest) as area:
        files = [snapshots.of_length(context.snapshot, int(size * GIB), Path(directory) / f"snapshot-{size}")
                 for size in sizes]
        for _ in context.rounds():
            for size, snapshot in zip(sizes, files):
                snapshot.warm()
                place = ("--resume-device", area.path)
                _, wrote = context.programs.report("s2disk", "--from", snapshot.path, *place, f"--compress={codec}")
                _, read = context.programs.report("resume", *place, "--verify")
                context.programs.report("resume", *place, "--discard")
                samples.add(wrote["write"]["seconds"] / (snapshot.size / GIB), codec, size, "write")
                samples.add(read["read"]["seconds"] / (snapshot.size / GIB), codec, size, "read")
    section.add(f"Size of the image, whole tools, {codec}, on the disk; memory is in the table of its own.",
                table(["image, GiB", "writing, s per GiB", "reading, s per GiB"],
                      [[size, *(samples[codec, size, way].text(".3f") for way in ("write", "read"))]
                       for size in sizes]))
    for way in ("write", "read"):
        section.targets += _flat_time(samples, codec, sizes, way, f"the tools, {codec}, {way}")


def _flat_time(samples, codec, sizes, way, what):
    whole = [size for size in sizes if size >= 1]
    if len(whole) < 2:
        return []
    # In pairs as far as both were measured.
    pairs = min(len(samples[codec, size, way].values) for size in (whole[0], whole[-1]))
    first, last = (Spread(samples[codec, size, way].values[:pairs]) for size in (whole[0], whole[-1]))
    return [Target(f"time per GiB of {whole[-1]} GiB by that of {whole[0]} GiB, {what}", last.over(first), _FLAT,
                   at_most=True)]


def _flat_peak(samples, codec, sizes, figure, what):
    if len(sizes) < 2:
        return []
    peaks = [samples[codec, size, figure].high for size in sizes]
    return [Target(f"peak memory, largest less smallest of all sizes, {what}", Spread((max(peaks) - min(peaks),)),
                   _FLAT_MIB, at_most=True, form=".1f", unit=" MiB")]
