"""The pages of guest/payload.cc, as far as they are needed to find them again: how each of them begins."""

import struct

BEGINNING_BYTES = 32

_WORDS = (
    "swap", "the ", "page", "and ", "wake", "of a", "slow", "disk",
    "to \n", "byte", "hold", "in, ", "long", "rest", "dor", "mouse",
)
_SHARES = (1, 4, 3, 2)  # zeros, text, pointers, random: the payload's default
_STEP = 0x9E3779B97F4A7C15
_STIR = 0xD6E8FEB86659FD93
_MASK = (1 << 64) - 1


def _drawn(seed, count):
    """What payload.cc's generator gives first."""
    for number in range(1, count + 1):
        word = seed + number * _STEP & _MASK
        for _ in range(2):
            word = (word ^ word >> 32) * _STIR & _MASK
        yield word ^ word >> 32


def _text(choice):
    return "".join(_WORDS[choice >> 4 * i & 15] for i in range(16)).encode()


def _pointer(drawn):
    return drawn % 64 if drawn % 3 == 0 else 0x00007F0000000000 + (drawn & 0x0FFFFFF0)


def beginning(seed, number):
    """The first bytes of page `number`."""
    drawn = list(_drawn(seed + number * 0x100000001B3 & _MASK, 1 + BEGINNING_BYTES // 8))
    kind, words = drawn[0] % sum(_SHARES), drawn[1:]
    zeros, text, pointers, _ = _SHARES
    if kind < zeros:
        return bytes(BEGINNING_BYTES)
    if kind < zeros + text:
        return _text(words[0])[:BEGINNING_BYTES]
    if kind < zeros + text + pointers:
        words = [_pointer(word) for word in words]
    return struct.pack(f"<{len(words)}Q", *words)


def beginnings(seed, mib):
    """Those of all pages that no other page of a machine begins with."""
    found = {beginning(seed, number) for number in range(mib * 256)}
    return {data for data in found if len(set(data)) > 8}
