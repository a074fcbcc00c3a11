"""Reads an image of format version 1, independently of the library. FORMAT.md has the words."""

import struct
from dataclasses import dataclass, field

import files
import swap_area

HEADER_BYTES = 3584
_MAP_HEADER_BYTES = 64
CHUNK_BYTES = 48
EXTENT_BYTES = 8
CLOSING_BYTES = 64
_CHUNK, _EXTENTS, _CLOSING = 1, 2, 3


@dataclass
class Chunk:
    """One chunk of the map: its pages of the stream and where they lie."""

    number: int
    first_page: int
    pages: int
    codec: int
    packed_bytes: int
    record: bytes       # the chunk header as it is
    record_at: int      # and its byte offset
    extents: list = field(default_factory=list)

    @property
    def stored_pages(self):
        """Pages on the device."""
        return sum(pages for _, pages in self.extents)


@dataclass
class Image:
    """Everything that leads to the chunks."""

    header_at: int
    page_bytes: int
    chunk_pages: int
    pages: int
    chunks: list
    map_pages: list     # page indexes on the device
    closing_at: int     # byte offset of the closing record

    def used_pages(self):
        """Every page of the device that the image takes, in no order; one that is taken twice appears twice."""
        used = [self.header_at // self.page_bytes, *self.map_pages]
        for chunk in self.chunks:
            for first, pages in chunk.extents:
                used.extend(range(first, first + pages))
        return used


def read(path, offset=0):
    """The image that the mark of the area at byte `offset` leads to."""
    mark = swap_area.header_page(path, offset)
    header_at = struct.unpack("<Q", mark[-28:-20])[0]
    header = files.read_at(path, header_at, 4096)
    if header[:8] != b"DORMOUSE":
        raise ValueError("the mark leads to no image header")
    page_bytes, chunk_pages = struct.unpack_from("<II", header, 24)
    pages, chunk_count, map_page, map_pages = struct.unpack_from("<QQQQ", header, 56)
    image = Image(header_at, page_bytes, chunk_pages, pages, [], [], 0)
    while map_page:
        image.map_pages.append(map_page)
        map_page = _read_map_page(path, map_page, image)
    if (len(image.chunks), len(image.map_pages)) != (chunk_count, map_pages):
        raise ValueError("the image header counts other chunks or map pages")
    return image


def _read_map_page(path, index, image):
    """Appends the chunks of one map page; returns the next one's index."""
    start = index * image.page_bytes
    page = files.read_at(path, start, image.page_bytes)
    if page[:8] != b"DMSWAPMP":
        raise ValueError(f"no map page at {start}")
    next_page, used = struct.unpack_from("<QI", page, 32)
    at, end = _MAP_HEADER_BYTES, _MAP_HEADER_BYTES + used
    while at < end:
        kind, count = struct.unpack_from("<HH", page, at)
        if kind == _CLOSING:
            image.closing_at = start + at
            at += CLOSING_BYTES
            continue
        if kind == _CHUNK:
            codec, number, first_page, pages, packed = struct.unpack_from("<4xBxxxQQII", page, at)
            record = page[at:at + CHUNK_BYTES]
            image.chunks.append(Chunk(number, first_page, pages, codec, packed, record, start + at))
            at += CHUNK_BYTES
        elif kind == _EXTENTS:
            at += 8
        else:
            raise ValueError(f"record type {kind} at {start + at}")
        for packed in struct.unpack_from(f"<{count}Q", page, at):
            image.chunks[-1].extents.append((packed & ((1 << 44) - 1), packed >> 44))
        at += count * EXTENT_BYTES
    return next_page


def map_pages_needed(chunks, page_bytes=4096):
    """Map pages for `chunks` chunks of one extent each."""
    room = page_bytes - _MAP_HEADER_BYTES
    records = room // (CHUNK_BYTES + EXTENT_BYTES)
    full, rest = divmod(chunks, records)
    left = room - rest * (CHUNK_BYTES + EXTENT_BYTES)
    return full + (2 if left < CLOSING_BYTES else 1)


def pages_needed(image_pages, chunk_pages=64, page_bytes=4096):
    """Pages of the area beside its header that `image_pages` take as they are: chunks, map and image header."""
    chunks = -(-image_pages // chunk_pages)
    return image_pages + map_pages_needed(chunks, page_bytes) + 1
