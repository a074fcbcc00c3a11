"""Whole s2disk and resume on a real disk, from a snapshot file to an image and back, against their bound."""

from results import efficiency
from results.efficiency import Measured, Mixture, seconds_at
from results.figures import Samples
from results.markdown import table
from results.programs import dd
from results.section import Section
from results.targets import Target

TITLE = "Whole tools on a disk"
RUNS = 5
CODECS = ("none", "lzf", "lz4", "zstd", "auto")  # auto last: its bound is made of the others
_CODEC_MIB = 192  # of the snapshot, for the rates of codecs
_TARGETED = ("none", "lz4", "zstd")


class _Round:
    """What one round measures, codec by codec."""

    def __init__(self, context, area, samples):
        self._context, self._area, self._samples = context, area, samples
        self._mixtures = {"write": Mixture(), "read": Mixture()}
        self._rates = self._measure_rates()

    def codec(self, codec, measured):
        """Image written, read back twice, thrown away; then what bounds all that."""
        context, area = self._context, self._area
        source = source_rate(context.snapshot)
        saved, wrote = context.programs.report("s2disk", "--from", context.snapshot.path, "--resume-device", area.path,
                                               f"--compress={codec}", "--threads", context.cores)
        checked, verified = context.programs.report("resume", "--resume-device", area.path, "--verify")
        handed, recovered = context.programs.report("resume", "--resume-device", area.path, "--to", "/dev/null")
        context.programs.report("resume", "--resume-device", area.path, "--discard")
        stored = wrote["image"]["stored_bytes"]
        device = {"write": area.write_rate(stored), "read": area.read_rate(stored)}
        rates = self._rates.get(codec)
        add, cores = self._samples.add, context.cores
        add(wrote["image"]["ratio"], codec, "ratio")
        add(wrote["write"]["flush_seconds"] * 1000, codec, "flush")
        add(saved.seconds, codec, "process")
        add(source, "source")
        add(device["write"], codec, "device write")
        add(device["read"], codec, "device read")
        for key, way, report, timing in (("write", "write", wrote, saved), ("verify", "read", verified, checked),
                                         ("to", "read", recovered, handed)):
            image = report["image"]["bytes"]
            terms = {"source": seconds_at(image, source) if way == "write" else None,
                     "processor": seconds_at(image, rates[way] * cores) if rates else None,
                     "device": seconds_at(stored, device[way])}
            if codec == "auto":
                terms = self._mixtures[way].terms()
            elif key != "to":
                self._mixtures[way].add(terms)
            measured.add((key, codec), image, report[way]["seconds"], timing.busy(cores), terms)

    def _measure_rates(self):
        """codec -> way -> MB/s of one thread, for the bound; of all at once, to see what the cores have in common."""
        fixed = [codec for codec in CODECS if codec != "auto"]
        one = self._context.codec_rates(fixed, 1, _CODEC_MIB)
        together = self._context.codec_rates(fixed, self._context.cores, _CODEC_MIB)
        for codec in fixed:
            for way, alone, all_ in zip(("write", "read"), one[codec], together[codec]):
                self._samples.add(alone, codec, way, "one")
                self._samples.add(all_, codec, way, "together")
        return {codec: dict(zip(("write", "read"), one[codec])) for codec in fixed}


def source_rate(snapshot):
    """MB/s of reading the snapshot from the page cache."""
    return snapshot.size / 1e6 / dd(f"if={snapshot.path}", "of=/dev/null", "bs=1M")


def measure(context):
    """The section."""
    samples, measured = Samples(), Measured(context.cores)
    context.snapshot.warm()
    with context.area() as area:
        for _ in context.rounds():
            this = _Round(context, area, samples)
            for codec in CODECS:
                this.codec(codec, measured)
    section = Section()
    section.add(f"`s2disk --from`, `resume --verify` and `resume --to /dev/null` with {context.cores} threads, all "
                "other settings the default. Times are those of the reports: first page taken to flush done, first "
                "read to last page handed over. \"Process\" is the whole life of s2disk.", efficiency.EXPLANATION,
                "Writing:", _writing(samples, measured),
                "Reading back:", _reading(measured),
                "What the bound is made of, MB/s. Device: `dd` past the page cache over the same place, of the length "
                "that is stored, flush included, the better of blocks of 1 and 16 MiB. Codec: one thread, and all "
                f"{context.cores} at once, on {context.sample_text(_CODEC_MIB)}. Source, from the page cache: "
                f"{samples['source'].text()}.",
                _bounds(samples))
    best = max(CODECS[:-1], key=lambda codec: measured.rate(("write", codec)).median)
    section.targets.append(Target(f"auto by the best fixed codec ({best}), writing",
                                  measured.rate(("write", "auto")).over(measured.rate(("write", best))), 0.95))
    for codec in _TARGETED:
        section.targets += [
            Target(f"efficiency, writing, {codec}", measured.efficiency(("write", codec)), 0.9),
            Target(f"efficiency, reading, {codec}", measured.efficiency(("verify", codec)), 0.9)]
    return section


def _writing(samples, measured):
    return table(["codec", "ratio", *efficiency.heads("write"), "last flush, ms", "process, s"],
                 [[codec, samples[codec, "ratio"].text(".3f"), *measured.cells(("write", codec)),
                   samples[codec, "flush"].text(), samples[codec, "process"].text(".2f")] for codec in CODECS])


def _reading(measured):
    return table(["codec", *efficiency.heads("verify"), *efficiency.heads("--to /dev/null")],
                 [[codec, *measured.cells(("verify", codec)), *measured.cells(("to", codec))] for codec in CODECS])


def _bounds(samples):
    rows = []
    for codec in CODECS:
        rates = [samples[codec, way, threads].text() if (codec, way, threads) in samples else "-"
                 for way in ("write", "read") for threads in ("one", "together")]
        rows.append([codec, *rates, samples[codec, "device write"].text(), samples[codec, "device read"].text()])
    return table(["codec", "pack, one", "pack, all", "unpack, one", "unpack, all", "device write", "device read"], rows)
