"""Measures the image that the stock kernel has stored: the pages that its swap maps lead to."""

import struct

from rig.errors import RigError
from rig.swap_header import MARK_STOCK, PAGE_BYTES

_FIRST_MAP_AT = PAGE_BYTES - 32
_ENTRIES = PAGE_BYTES // 8 - 1  # and then the place of the next map


def stored_pages(disk):
    """Returns how many pages of the resume device the image takes, its maps included."""
    header = disk.swap_header()
    if header.signature != MARK_STOCK:
        raise RigError(f"{disk.path}: no image of the stock kernel's, the signature is {header.signature!r}")
    (place,) = struct.unpack_from("<Q", header.page, _FIRST_MAP_AT)
    maps = set()
    data_pages = 0
    while place:
        if place in maps:
            raise RigError(f"{disk.path}: the map at page {place} of the resume device comes round again")
        if place >= disk.area_on_device[1] // PAGE_BYTES:
            raise RigError(f"{disk.path}: a map is said to be at page {place}, past the end of the swap area")
        maps.add(place)
        *entries, place = struct.unpack(f"<{_ENTRIES}QQ", disk.read_page(place))
        data_pages += sum(entry != 0 for entry in entries)
    return len(maps) + data_pages
