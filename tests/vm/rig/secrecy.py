"""Whether a sealed image hides what it should: the host searches the guest's disk, and its memory after the wake-up."""

import os
import sys
from pathlib import Path

from rig import payload_pages
from rig.checks import Check
from rig.swap_header import PAGE_BYTES

sys.path.append(str(Path(__file__).resolve().parents[2]))
from opener import sealed_image  # noqa: E402
from opener.secret_patterns import with_halves  # noqa: E402

_PIECE = 1 << 24
_OVERLAP = 1 << 10


def is_sealed(header_page):
    """The image header says so, and how it can be opened."""
    try:
        header = sealed_image.SealedHeader(header_page)
    except ValueError as error:
        return Check("the image is sealed", False, str(error))
    ways = ", ".join(header.ways)
    return Check(f"the image is sealed with {sealed_image.CIPHERS.get(header.cipher)} ({ways})", bool(ways), "no way")


def keys_of(secrets, header_page):
    """{what: key} of the keys that the raw key leads to; none without it, or if it leads nowhere."""
    if not secrets.raw_key:
        return {}
    try:
        header = sealed_image.SealedHeader(header_page)
        slot_key, image_key = header.key_file_keys(secrets.raw_key)
    except ValueError:
        return {}
    return {"slot key": slot_key, "image key": image_key, "data key": header.data_key(image_key)}


def nothing_on_disk(case, path, keys):
    """While the machine is off: neither a page of the payload nor a key nor a passphrase is anywhere on the disk."""
    secrets = {"passphrase": case.secrets.passphrase, "raw key": case.secrets.raw_key, **keys}
    pages, found = _search(path, payload_pages.beginnings(case.seed, case.payload_mib), with_halves(secrets))
    return [
        Check("no page of the payload is on the disk in the clear", pages == 0, f"{pages} are"),
        Check(f"none of these is on the disk: {_names(secrets)}", not found, f"found: {', '.join(found)}"),
    ]


def search_sees_what_was_swapped_out(case, path):
    """In the end the payload was pushed out to swap, in the clear: the same search has to find it there."""
    pages, _ = _search(path, payload_pages.beginnings(case.seed, case.payload_mib), {})
    enough = case.payload_mib * 256 // 2
    return Check("the search finds the pages that were swapped out later", pages >= enough, f"{pages}, not {enough}")


def no_key_in_memory(case, memory, keys):
    """In the machine that woke up: no key of the image is left, neither of who sealed it nor of who opened it."""
    pages, found = _search(memory, payload_pages.beginnings(case.seed, case.payload_mib), with_halves(keys))
    enough = case.payload_mib * 256 // 2
    return [
        Check("the search sees the payload in memory", pages >= enough, f"{pages} pages, not {enough}"),
        Check(
            f"none of these is in the memory of the machine that woke up: {_names(keys)}",
            bool(keys) and not found,
            f"found: {', '.join(found)}" if keys else "the raw key does not open the image",
        ),
    ]


def _names(secrets):
    return ", ".join(what for what, data in secrets.items() if data)


def _search(path, beginnings, patterns):
    """How many pages of the file begin like one of `beginnings`, and which of the patterns are anywhere in it."""
    pages, found = 0, set()
    for piece in _pieces(path):
        for at in range(0, min(len(piece), _PIECE), PAGE_BYTES):
            pages += piece[at : at + payload_pages.BEGINNING_BYTES] in beginnings
        found |= {what for what, pattern in patterns.items() if pattern in piece}
    return pages, sorted(found)


def _pieces(path):
    """What is no hole of the file, in pieces of whole pages, each with the beginning of what follows."""
    with open(path, "rb") as file:
        fd = file.fileno()
        size = os.fstat(fd).st_size
        at = 0
        while at < size:
            try:
                at = max(at, os.lseek(fd, at, os.SEEK_DATA) // PAGE_BYTES * PAGE_BYTES)
            except OSError:  # only a hole is left
                return
            yield os.pread(fd, _PIECE + _OVERLAP, at)
            at += _PIECE
