"""Snapshot streams as memory might hold them, the same ones in every run."""

import os
import random
import struct

_POOL_PAGES = 61  # shares no factor with the pages of a chunk: every chunk has another mixture


def _words(rng, count):
    """Text that shrinks to about a third: words from a small vocabulary."""
    vocabulary = [rng.randbytes(rng.randint(3, 12)) for _ in range(2000)]
    text = b" ".join(rng.choices(vocabulary, k=count // 8))
    return text.ljust(count, b".")[:count]


def _pool(rng, page_bytes):
    """Zero, compressible and random pages in a row."""
    text = _words(rng, page_bytes * _POOL_PAGES)
    pages = []
    for index in range(_POOL_PAGES):
        kind = rng.random()
        if kind < 0.2:
            pages.append(bytes(page_bytes))
        elif kind < 0.75:
            pages.append(text[index * page_bytes:(index + 1) * page_bytes])
        else:
            pages.append(rng.randbytes(page_bytes))
    return pages


def write_mixed(path, pages, page_bytes=4096, seed=1):
    """A bit of everything; a page that is not zero carries its number, so that no two are alike."""
    pool = _pool(random.Random(seed), page_bytes)
    with open(path, "wb") as file:
        for number in range(pages):
            page = pool[number % _POOL_PAGES]
            if page[0:1] != b"\0":
                page = struct.pack("<Q", number + seed) + page[8:]
            file.write(page)


def write_random(path, size_bytes):
    """What no codec can shrink."""
    with open(path, "wb") as file:
        left = size_bytes
        while left > 0:
            piece = os.urandom(min(left, 1 << 24))
            file.write(piece)
            left -= len(piece)


def write_text(path, size_bytes, seed=1):
    """What a strong codec has a lot of work with. It repeats itself, but not within a chunk."""
    text = _words(random.Random(seed), 1 << 20)
    with open(path, "wb") as file:
        for at in range(0, size_bytes, len(text)):
            file.write(text[:size_bytes - at])


def write_sparse(path, size_bytes, places, page_bytes=4096):
    """Zeros that take no room on the disk, but for a page of random data at each byte offset of `places`."""
    rng = random.Random(size_bytes)
    with open(path, "wb") as file:
        file.truncate(size_bytes)
        for at in places:
            file.seek(at)
            file.write(rng.randbytes(page_bytes))
