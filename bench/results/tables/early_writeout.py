"""Writeout begun early or all at the end, through the page cache and past it, on a real disk."""

from results.context import rotated
from results.figures import Samples
from results.markdown import table
from results.section import Section
from results.targets import Target

TITLE = "Early writeout"
RUNS = 5
SETTINGS = ("off", "20", "1")
CODECS = ("none", "lz4")
MODES = ("buffered", "direct")


def measure(context):
    """The section."""
    samples = Samples()
    context.snapshot.warm()
    with context.area() as area:
        for number in context.rounds():
            for mode in MODES:
                for codec in CODECS:
                    for setting in rotated(SETTINGS, number):
                        rate, flush = _write(context, area, mode, codec, setting)
                        samples.add(rate, mode, codec, setting, "rate")
                        samples.add(flush, mode, codec, setting, "flush")
    section = Section()
    section.add("`s2disk --from` to a swap area that the page cache has let go of before each run. Rates are image by "
                "time, MB/s, the last flush included; ratios are those of pairs of one round.")
    for mode in MODES:
        section.add(f"--io {mode}:", _table(samples, mode))
    section.targets = _targets(samples)
    return section


def _write(context, area, mode, codec, setting):
    area.forget_cached()
    place = ("--resume-device", area.path)
    _, report = context.programs.report("s2disk", "--from", context.snapshot.path, *place, f"--compress={codec}",
                                        "--io", mode, "--early-writeout", setting)
    context.programs.report("resume", *place, "--discard")
    return report["image"]["bytes"] / 1e6 / report["write"]["seconds"], report["write"]["flush_seconds"]


def _gain(samples, mode, codec, setting):
    return samples[mode, codec, setting, "rate"].over(samples[mode, codec, "off", "rate"])


def _table(samples, mode):
    rows = []
    for codec in CODECS:
        for setting in SETTINGS:
            rows.append([codec, setting if setting == "off" else f"{setting} %",
                         samples[mode, codec, setting, "rate"].text(),
                         samples[mode, codec, setting, "flush"].text(".3f"),
                         "-" if setting == "off" else _gain(samples, mode, codec, setting).text(".2f")])
    return table(["codec", "early writeout", "MB/s", "last flush, s", "by off"], rows)


def _targets(samples):
    found = []
    for setting in SETTINGS[1:]:
        plain, packed = (_gain(samples, "buffered", codec, setting) for codec in CODECS)
        found += [Target(f"{setting} % by off, buffered, no compression", plain, 2.0),
                  Target(f"{setting} % by off, buffered, lz4: never slower", packed, 1.0)]
    found.append(Target("1 % by off, direct, lz4", _gain(samples, "direct", "lz4", "1"), 1.1))
    return found
