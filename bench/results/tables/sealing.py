"""What sealing costs: the ciphers alone, and images sealed beside the same images plain."""

from results.context import rotated
from results.figures import Samples
from results.markdown import table
from results.pipeline_runs import run
from results.section import Section
from results.targets import Target

TITLE = "Sealing"
RUNS = 5
CODECS = ("none", "lz4", "zstd:-1", "zstd:1")
CIPHERS = ("aes-256-gcm", "aes-256-ocb", "chacha20-poly1305")
PLAIN = "off"
_THREADS = 2
_MIB = 256
_CIPHER_MIB = 64
_SECONDS = 0.3  # of each figure of the ciphers alone, at least one round of it
_WAYS = ("write", "read")
_MOST = 1.1  # time of a sealed image by that of the same one plain


def measure(context):
    """The section."""
    samples = Samples()
    with context.area(min(context.snapshot.size, _MIB << 20)) as area:
        for number in context.rounds():
            for threads in (1, _THREADS):
                for cipher in CIPHERS:
                    _note_cipher(samples, cipher, threads, _ask_cipher(context, cipher, threads))
            seals = rotated((PLAIN, *CIPHERS), number)
            for device, path in (("memory", "memory"), ("file", area.path)):
                note(samples, device, run(context, device=path, codecs=CODECS, seals=seals, mib=_MIB,
                                          threads=_THREADS))
    section = Section()
    section.add(f"The ciphers alone, memory to memory, MB/s of stored bytes, {context.sample_text(_CIPHER_MIB)}, in chunks "
                "as images have them:", _cipher_table(samples),
                f"Images of {context.sample_text(_MIB)}, written and read back on {_THREADS} threads, MB/s of the image. "
                "\"By plain\" is the time by that of the same codec unsealed in the same round. Making and using the "
                "key slots is not in it: that takes as long as the passphrase is meant to.")
    for device in ("memory", "file"):
        section.add(f"Device {device}:", _image_table(samples, device))
    section.targets = targets(samples)
    return section


def _ask_cipher(context, cipher, threads):
    return context.programs.json("codec_bench", "--mib", _CIPHER_MIB, "--seconds", _SECONDS, "--threads", threads,
                                 "--codec", "none", "--seal", cipher, context.snapshot.path)


def _note_cipher(samples, cipher, threads, answer):
    row, = answer["rows"]
    samples.add(row["pack_mb_per_s"], "cipher", cipher, threads, "write")
    samples.add(row["unpack_mb_per_s"], "cipher", cipher, threads, "read")


def note(samples, device, answer):
    """Rates of all runs, by device, codec, seal and way."""
    for one in answer["runs"]:
        for way in _WAYS:
            samples.add(answer["image_bytes"] / 1e6 / one[way]["seconds"], device, one["codec"], one["seal"], way)


def quickest(samples):
    """The cipher that s2disk takes where none is named: the one that seals most on one thread."""
    return max(CIPHERS, key=lambda cipher: samples["cipher", cipher, 1, "write"].median)


def _cost(samples, device, codec, cipher, way):
    return samples[device, codec, PLAIN, way].over(samples[device, codec, cipher, way])


def _cipher_table(samples):
    rows = [[cipher, *(samples["cipher", cipher, threads, way].text() for threads in (1, _THREADS) for way in _WAYS)]
            for cipher in CIPHERS]
    return table(["cipher", "sealing", "opening", f"sealing together ({_THREADS})", f"opening together ({_THREADS})"],
                 rows)


def _image_table(samples, device):
    rows = []
    for codec in CODECS:
        for seal in (PLAIN, *CIPHERS):
            cells = []
            for way in _WAYS:
                cells.append(samples[device, codec, seal, way].text())
                cells.append("-" if seal == PLAIN else _cost(samples, device, codec, seal, way).text(".2f"))
            rows.append([codec, "plain" if seal == PLAIN else seal, *cells])
    return table(["codec", "cipher", "write MB/s", "by plain", "read MB/s", "by plain"], rows)


def targets(samples):
    """Of the quickest cipher, on the disk."""
    cipher = quickest(samples)
    return [Target(f"time by plain, {name}, the file, {codec}, {cipher}", _cost(samples, "file", codec, cipher, way), _MOST,
                   at_most=True)
            for way, name in (("write", "writing"), ("read", "reading")) for codec in CODECS]
