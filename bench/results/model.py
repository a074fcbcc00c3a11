"""The bound that a time is compared with, and what it says of a mixture of codecs. Seconds throughout."""

import itertools
import math


def bound(terms):
    """Name and seconds of the longest term. A term of None does not bound."""
    known = {name: seconds for name, seconds in terms.items() if seconds is not None}
    name = max(known, key=known.get)
    return name, known[name]


def best_mix(codecs):
    """The shortest time in which chunks, each packed by one of `codecs`, can be done. A codec is (processor, device):
    the seconds that each would be busy if it packed all of them; both work at the same time. Chunks are taken to be
    alike, so choosing them well may beat it."""
    best = min(max(codec) for codec in codecs)
    # The best of a linear problem with two limits is a mixture of two, at which both are equally busy.
    for (processor_a, device_a), (processor_b, device_b) in itertools.combinations(codecs, 2):
        gap_a, gap_b = device_a - processor_a, device_b - processor_b
        if gap_a * gap_b < 0:
            share = gap_b / (gap_b - gap_a)
            best = min(best, share * processor_a + (1 - share) * processor_b)
    return best


def find_tie(lead, low, high, steps=6):
    """The place between `low` and `high` (both positive) where lead(place) goes from below 0 to above: on a logarithmic
    scale, to within (high / low) ** 2 ** -steps. None where it does not change its sign."""
    if lead(low) >= 0 or lead(high) <= 0:
        return None
    for _ in range(steps):
        middle = math.sqrt(low * high)
        if lead(middle) < 0:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
