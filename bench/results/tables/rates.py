"""Devices of given rates, out of memory, every codec and the choice among them."""

from results import efficiency
from results.context import say
from results.figures import Samples
from results.markdown import table
from results.model import find_tie
from results.pipeline_runs import CODECS, FIXED, Pipeline, chosen_text, run
from results.section import Section
from results.svg import line_plot
from results.targets import Target

TITLE = "Device rates"
RUNS = 5
# MB/s, 0 is no limit -> MiB that are written: a slow device gets less, for the time it takes.
RATES = {20: 128, 100: 384, 500: 512, 0: 512}
_CODEC_MIB = 128
_TARGETED = ("none", "lz4", "zstd:1")
_TIE_LOWEST, _TIE_HIGHEST = 100, 10000  # MB/s
_TIE_MIB = 128


def measure(context):
    """The section."""
    tie = _find_tie(context)
    mib = dict(RATES)
    if tie:
        mib[tie] = RATES[0]
    pipeline = Pipeline(context.cores)
    for _ in context.rounds():
        codec_rates = context.codec_rates(FIXED, 1, _CODEC_MIB)
        for rate, length in mib.items():
            pipeline.add(run(context, rates=(rate,), mib=length), codec_rates)
    section = Section()
    section.add("From memory to a device of memory that works its requests off one after the other at the given rate. "
                "Reading is from the same device at the same rate.", efficiency.EXPLANATION)
    for rate in sorted(mib, key=lambda rate: rate or float("inf")):
        section.add(f"{_title(rate, tie)}, {context.sample_text(mib[rate])}:", _table(pipeline, rate))
    section.plot("rates.svg", "Rate of writing over the rate of the device, one line a codec", _plot(pipeline, mib))
    section.targets = _targets(pipeline, mib, tie)
    if not tie:
        section.add("There is no rate at which stored and lz4 tie on this machine.")
    return section



def _find_tie(context):
    """The device rate at which storing and lz4 take the same time: there the processor and the device are of like
    speed."""
    say("looking for the rate at which stored and lz4 tie")

    def lead(rate):
        runs = run(context, codecs=("none", "lz4"), rates=(rate,) * 3, mib=_TIE_MIB, read="off")["runs"]
        seconds = Samples()
        for one in runs:
            seconds.add(one["write"]["seconds"], one["codec"])
        return seconds["lz4"].median - seconds["none"].median

    tie = find_tie(lead, _TIE_LOWEST, _TIE_HIGHEST)
    return round(tie, -1) if tie else None


def _title(rate, tie):
    if rate == tie:
        return f"{rate:.0f} MB/s, where stored and lz4 tie"
    return f"{rate} MB/s" if rate else "No limit"


def _table(pipeline, rate):
    rows = []
    for codec in CODECS:
        key = (rate, codec)
        rows.append([codec, f"{pipeline.ratios[key]:.3f}", *pipeline.written.cells(key), *pipeline.back.cells(key),
                     chosen_text(pipeline.chosen[key])])
    return table(["codec", "ratio", *efficiency.heads("write"), *efficiency.heads("read"), "chosen"], rows)


def _plot(pipeline, rates):
    lines = {codec: [(rate, pipeline.written.rate((rate, codec)).median) for rate in rates if rate] for codec in CODECS}
    return line_plot("Writing, by the rate of the device", "device, MB/s", "image written, MB/s", lines)


def best_fixed(rate_of, rate):
    """The fixed codec with the highest median at this device rate."""
    return max(FIXED, key=lambda codec: rate_of((rate, codec)).median)


def _targets(pipeline, rates, tie):
    found = []
    for rate in rates:
        best = best_fixed(pipeline.written.rate, rate)
        lead = pipeline.written.rate((rate, "auto")).over(pipeline.written.rate((rate, best)))
        found.append(Target(f"auto by the best fixed codec ({best}), {_title(rate, tie)}", lead,
                            1.2 if rate == tie else 0.95))
    for rate in rates:
        found += [Target(f"efficiency, writing, {codec}, {_title(rate, tie)}",
                         pipeline.written.efficiency((rate, codec)), 0.9) for codec in _TARGETED]
    return found
