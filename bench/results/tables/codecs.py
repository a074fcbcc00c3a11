"""Codecs alone, memory to memory: ratio and rates on one thread and on all, by chunk size."""

from results.figures import Samples
from results.markdown import table
from results.section import Section

TITLE = "Codecs"
RUNS = 5
CODECS = ("none", "lzf", "lz4", "lz4:4", "zstd:-5", "zstd:-1", "zstd:1", "zstd:3")
CHUNKS_KIB = (4, 16, 64, 128, 256, 512, 1024, 4096)
_RATES = ("pack_mb_per_s", "unpack_mb_per_s")
_MIB = 64
_SECONDS = 0.1  # of each figure, at least one round of it


def measure(context):
    """The section."""
    samples = Samples()
    for _ in context.rounds():
        _note(samples, "alone", _ask(context, 1, "off", CHUNKS_KIB))
        checked = _ask(context, 1, "on")
        _note(samples, "checked", checked)
        _note(samples, "together", _ask(context, context.cores, "on"))
    chosen = checked["rows"][0]["chunk_bytes"] // 1024
    section = Section()
    section.add(f"Measured on {context.sample_text(_MIB)}. Ratios count whole pages, since that is what is stored.",
                f"Chunks of {chosen} KiB, as in an image, MB/s. \"Checked\": with the checksums that an image needs. "
                f"\"Together\": all {context.cores} cores at once, checked; where that is less than {context.cores} "
                "times one thread, the cores share something.",
                _at(chosen, samples, context.cores),
                "Stored size by image size:", _by_chunk(samples, "ratio"),
                "Packing, MB/s:", _by_chunk(samples, "pack_mb_per_s"),
                "Unpacking, MB/s:", _by_chunk(samples, "unpack_mb_per_s"))
    return section


def _ask(context, threads, checks, chunks_kib=()):
    """Without sizes of chunks: of the size that images are made with."""
    words = [word for chunk in chunks_kib for word in ("--chunk", chunk)]
    words += [word for codec in CODECS for word in ("--codec", codec)]
    return context.programs.json("codec_bench", "--mib", _MIB, "--seconds", _SECONDS, "--threads", threads, "--checks",
                                 checks, *words, context.snapshot.path)


def _note(samples, kind, answer):
    for row in answer["rows"]:
        for figure in ("ratio", *_RATES):
            samples.add(row[figure], kind, row["codec"], row["chunk_bytes"] // 1024, figure)


def _at(kib, samples, cores):
    head = ["codec", "ratio", "pack", "unpack", "pack checked", "unpack checked", f"pack together ({cores})",
            f"unpack together ({cores})"]
    rows = []
    for codec in CODECS:
        row = [codec, samples["alone", codec, kib, "ratio"].text(".3f")]
        for kind in ("alone", "checked", "together"):
            row += [_rate(samples, kind, codec, kib, figure) for figure in _RATES]
        rows.append(row)
    return table(head, rows)


def _rate(samples, kind, codec, kib, figure):
    # Nothing is done where nothing may be gained, not even a checksum made: no rate.
    if kind == "alone" and figure == "pack_mb_per_s" and samples[kind, codec, kib, "ratio"].low == 1:
        return "-"
    return samples[kind, codec, kib, figure].text()


def _by_chunk(samples, figure):
    head = ["codec", *(f"{kib}K" if kib < 1024 else f"{kib // 1024}M" for kib in CHUNKS_KIB)]

    def cell(codec, kib):
        if figure == "ratio":
            return samples["alone", codec, kib, figure].text(".3f")
        return _rate(samples, "alone", codec, kib, figure)

    return table(head, [[codec, *(cell(codec, kib) for kib in CHUNKS_KIB)] for codec in CODECS])
