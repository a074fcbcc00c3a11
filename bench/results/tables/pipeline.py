"""The image writer and reader from memory into nothing, into memory and into a file on the disk."""

from results import efficiency
from results.markdown import table
from results.pipeline_runs import CODECS, FIXED, Pipeline, chosen_text, run
from results.section import Section
from results.targets import Target

TITLE = "The pipeline alone"
RUNS = 5
_MIB = 256
_CODEC_MIB = 128
_TARGETED = ("none", "lz4", "zstd:1")


def measure(context):
    """The section."""
    pipeline = Pipeline(context.cores)
    with context.area(min(context.snapshot.size, _MIB << 20)) as area:
        for _ in context.rounds():
            rates = context.codec_rates(FIXED, 1, _CODEC_MIB)
            pipeline.add(run(context, device="null", mib=_MIB), rates, ("null",), lambda one: (None, None))
            pipeline.add(run(context, device="memory", mib=_MIB), rates, ("memory",))
            answer = run(context, device=area.path, mib=_MIB)
            raw = {}
            for one in answer["runs"]:
                raw[one["codec"]] = area.write_rate(one["stored_bytes"]), area.read_rate(one["stored_bytes"])
            pipeline.add(answer, rates, ("file",), lambda one, raw=raw: raw[one["codec"]])
    section = Section()
    section.add(f"It is given {context.sample_text(_MIB)}, out of memory, on {context.cores} threads. The null device "
                "takes everything at once and remembers nothing; the device of memory has been touched before; the "
                "file is opened with O_DIRECT.", efficiency.EXPLANATION)
    for device in ("null", "memory", "file"):
        section.add(f"Device {device}:", _table(pipeline, device))
    # Null and memory have no rate to aim at; the table of device rates gives them some.
    section.targets = [Target(f"efficiency, {name}, the file, {codec}", measured.efficiency(("file", 0, codec)), 0.9)
                       for name, measured in (("writing", pipeline.written), ("reading", pipeline.back))
                       for codec in _TARGETED]
    return section


def _table(pipeline, device):
    rows = []
    for codec in CODECS:
        key = (device, 0, codec)
        rows.append([codec, f"{pipeline.ratios[key]:.3f}", *pipeline.written.cells(key), *pipeline.back.cells(key),
                     chosen_text(pipeline.chosen[key])])
    return table(["codec", "ratio", *efficiency.heads("write"), *efficiency.heads("read"), "chosen"], rows)
