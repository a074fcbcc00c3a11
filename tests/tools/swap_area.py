"""Swap areas in files: what mkswap writes, with bad pages and everything else it would not write on request."""

import struct

import files

PLAIN = b"SWAPSPACE2"
MARK = b"ULSUSPEND\0"
TUXONICE_MAGIC = bytes.fromhex("edc302e99856e50c")
UUID = bytes(range(0x10, 0x20))

_PAGE_SIZES = (4096, 16384, 65536)
_VERSION_AT = 1024
_BAD_LIST_AT = 1536


def header(last_page, page_bytes=4096, bad_pages=(), version=1, byte_order="<", boot_filler=b"\xa5"):
    """A header page. The bytes that mkswap leaves to a boot loader are not zero, so that their loss would show."""
    page = bytearray(page_bytes)
    page[:_VERSION_AT] = boot_filler * _VERSION_AT
    struct.pack_into(f"{byte_order}III", page, _VERSION_AT, version, last_page, len(bad_pages))
    page[1036:1052] = UUID
    page[1052:1068] = b"dormouse-test\0\0\0"
    struct.pack_into(f"{byte_order}{len(bad_pages)}I", page, _BAD_LIST_AT, *bad_pages)
    page[-28:-10] = bytes(range(0x40, 0x52))  # nobody's bytes; a mark uses them
    page[-10:] = PLAIN
    return bytes(page)


def create(path, pages, page_bytes=4096, bad_pages=(), last_page=None, offset_pages=0, **fields):
    """A sparse file with an area of `pages` pages from page `offset_pages` on; returns the header page."""
    page = header(pages - 1 if last_page is None else last_page, page_bytes, bad_pages, **fields)
    with open(path, "wb") as file:
        file.truncate((offset_pages + pages) * page_bytes)
        file.seek(offset_pages * page_bytes)
        file.write(page)
    return page


def header_page(path, offset=0):
    """The header page, of the size at which a signature of ours or swap's is found."""
    start = files.read_at(path, offset, max(_PAGE_SIZES))
    for size in _PAGE_SIZES:
        if start[size - 10:size] in (PLAIN, MARK):
            return start[:size]
    return start[:4096]


def signature(path):
    """The ten bytes at the end of the header page."""
    return header_page(path)[-10:]


def put_foreign_mark(path, mark, image_offset=4096, original=PLAIN):
    """Marks a plain area as somebody else would: `mark` at the end, the original signature before it."""
    page = bytearray(header_page(path))
    page[-10:] = mark.ljust(10, b"\0")
    page[-20:-10] = original
    page[-28:-20] = struct.pack("<Q", image_offset)
    files.write_at(path, 0, page)


def put_tuxonice(path):
    """TuxOnIce's magic at the start of the header page."""
    files.write_at(path, 0, TUXONICE_MAGIC)
