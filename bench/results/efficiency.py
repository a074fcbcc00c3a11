"""How near the measured times come to what source, processor and device allow."""

from results.figures import Samples
from results.model import best_mix, bound

HEAD = ["MB/s", "efficiency", "bound by", "busy"]

EXPLANATION = """\
Efficiency is bound by time, both of the same round; the bound is the longest of what source, processor (the codec's
rate on one thread, checksums included, times the cores) and device would need alone. "Busy" is the share of all
processors' time in use: near 100 % the processors are what limits, whatever the bound says, since reading the source
and serving the device take their time, too. For auto the bound is that of the best mixture of the fixed codecs, chunks
taken to be alike."""


class Measured:
    """Times and their bounds, by key, gathered round by round. A bound is of the same round as its time."""

    def __init__(self, cores):
        self.cores = cores
        self._samples = Samples()
        self._limits = {}

    def add(self, key, image_bytes, seconds, busy, terms):
        """`terms`: seconds of "source", "processor" and "device", for model.bound()."""
        name, least = bound(terms)
        self._samples.add(image_bytes / 1e6 / seconds, key, "rate")
        self._samples.add(least / seconds, key, "efficiency")
        self._samples.add(busy, key, "busy")
        self._limits.setdefault(key, []).append(name)

    def __contains__(self, key):
        return (key, "rate") in self._samples

    def rate(self, key):
        """MB/s of the image."""
        return self._samples[key, "rate"]

    def efficiency(self, key):
        """Bound by time."""
        return self._samples[key, "efficiency"]

    def limit(self, key):
        """What bounds, in most of the rounds."""
        return max(self._limits[key], key=self._limits[key].count)

    def cells(self, key):
        """Rate, efficiency, what bounds, and how busy the processors were; dashes for what was not measured."""
        if key not in self:
            return ["-"] * len(HEAD)
        return [self.rate(key).text(), self.efficiency(key).text(".2f"), self.limit(key),
                self._samples[key, "busy"].text(".0%")]


class Mixture:
    """The bound of one round for a choice among codecs: filled with what each of them needs alone."""

    def __init__(self):
        self._codecs = []
        self._source = None

    def add(self, terms):
        """Of a fixed codec, as Measured.add() takes them."""
        self._source = terms["source"]
        self._codecs.append((terms["processor"], terms["device"] or 0.0))

    def terms(self):
        """For Measured.add()."""
        return {"source": self._source, "mixture": best_mix(self._codecs)}


def heads(direction):
    """Of the columns that Measured.cells() fills."""
    return [f"{direction} {head}" if head == "MB/s" else head for head in HEAD]


def seconds_at(bytes_, megabytes_per_second):
    """How long; None where there is no rate, or no limit to it."""
    return None if not megabytes_per_second else bytes_ / 1e6 / megabytes_per_second
