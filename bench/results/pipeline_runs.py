"""Runs of pipeline_bench, held against their bounds."""

from results.efficiency import Measured, Mixture, seconds_at

CODECS = ("none", "lzf", "lz4", "zstd:-1", "zstd:1", "zstd:3", "auto")
FIXED = tuple(codec for codec in CODECS if codec != "auto")


def run(context, *, device="memory", codecs=CODECS, rates=(0,), seals=(), mib=0, threads=None, **more):
    """What pipeline_bench answers. `more`: image_mib, read."""
    words = ["--device", device, "--mib", mib, "--threads", threads or context.cores]
    for codec in codecs:
        words += ["--codec", codec]
    for rate in rates:
        words += ["--rate", rate]
    for seal in seals:
        words += ["--seal", seal]
    for name, value in more.items():
        words += ["--" + name.replace("_", "-"), value]
    return context.programs.json("pipeline_bench", *words, context.snapshot.path)


class Pipeline:
    """Writing and reading, by key; a key ends in the codec."""

    def __init__(self, cores):
        self._cores = cores
        self.written = Measured(cores)
        self.back = Measured(cores)
        self.ratios = {}
        self.chosen = {}

    def add(self, answer, codec_rates, key=(), raw_rates=None):
        """Notes one answer: `codec_rates` as Context.codec_rates() gives them, `raw_rates(run)` gives MB/s of writing
        to and reading from the device, None where nothing limits them. Runs are told apart by `key`, the rate and the
        codec."""
        threads = min(answer["threads"], self._cores)
        mixtures = {}
        for one in answer["runs"]:
            rate, codec = one["rate_mb_per_s"], one["codec"]
            raw = raw_rates(one) if raw_rates else self._rates_of_memory(answer, rate)
            place = (*key, rate, codec)
            self.ratios[place] = one["stored_bytes"] / answer["image_bytes"]
            self.chosen[place] = one["chosen"]
            for way, measured in (("write", self.written), ("read", self.back)):
                if one[way] is None:
                    continue
                mixture = mixtures.setdefault((rate, way), Mixture())
                device = raw[0] if way == "write" else raw[1]
                terms = self._terms(answer, one, codec_rates.get(codec), threads, way, device)
                if codec == "auto":
                    terms = mixture.terms()
                else:
                    mixture.add(terms)
                time = one[way]
                busy = time["processor_seconds"] / (time["seconds"] * self._cores)
                measured.add(place, answer["image_bytes"], time["seconds"], busy, terms)

    @staticmethod
    def _terms(answer, one, codec_rate, threads, way, device_rate):
        image = answer["image_bytes"]
        both = codec_rate or (None, None)
        per_thread = both[0] if way == "write" else both[1]
        return {
            # Reading, the sink takes everything at once.
            "source": seconds_at(image, answer["bounds"]["source_mb_per_s"]) if way == "write" else None,
            "processor": seconds_at(image, per_thread * threads) if per_thread else None,
            "device": seconds_at(one["stored_bytes"], device_rate),
        }

    def _rates_of_memory(self, answer, rate):
        bounds = answer["bounds"]
        if rate > 0:
            return rate, rate
        # Copying is done on as many processors as there are.
        return tuple(bounds[name] * self._cores if name in bounds else None
                     for name in ("device_write_mb_per_s", "device_read_mb_per_s"))


def chosen_text(chosen):
    """Which codecs were chosen for how many per cent of the chunks."""
    total = sum(chosen.values())
    return ", ".join(f"{codec.removesuffix(':0')} {count / total:.0%}" for codec, count in chosen.items()) or "-"
