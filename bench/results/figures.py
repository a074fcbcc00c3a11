"""Several measurements of one thing: their median and how far they lie apart."""

import statistics
from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Values of one figure, in the order of the rounds; at least one."""

    values: tuple

    @property
    def median(self):
        """Of an even number of values: the middle between the inner two."""
        return statistics.median(self.values)

    @property
    def low(self):
        """The smallest."""
        return min(self.values)

    @property
    def high(self):
        """The largest."""
        return max(self.values)

    def over(self, other):
        """Ratios of pairs: each round's value by the other's of the same round."""
        if len(self.values) != len(other.values):
            raise ValueError(f"{len(self.values)} values and {len(other.values)} make no pairs")
        return Spread(tuple(mine / theirs for mine, theirs in zip(self.values, other.values)))

    def scaled(self, factor):
        """Each value times `factor`."""
        return Spread(tuple(value * factor for value in self.values))

    def inverted(self, numerator=1.0):
        """`numerator` by each value: seconds become a rate."""
        return Spread(tuple(numerator / value for value in self.values))

    def text(self, form=".0f"):
        """"812 (790-840)"; a single value, or values that read alike, stand alone."""
        median, low, high = (format(value, form) for value in (self.median, self.low, self.high))
        return median if low == high else f"{median} ({low}-{high})"


class Samples:
    """Values by key, gathered round by round."""

    def __init__(self):
        self._values = defaultdict(list)

    def add(self, value, *key):
        """Notes the value of this round."""
        self._values[key].append(value)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if key not in self._values:
            raise KeyError(f"nothing was measured for {key}")
        return Spread(tuple(self._values[key]))

    def __contains__(self, key):
        return (key if isinstance(key, tuple) else (key,)) in self._values
