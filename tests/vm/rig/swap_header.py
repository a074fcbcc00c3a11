"""The swap header page: what its last bytes say, before, during and after a hibernation."""

import struct
from dataclasses import dataclass

PAGE_BYTES = 4096
PLAIN = b"SWAPSPACE2"
MARK_DORMOUSE = b"ULSUSPEND\0"
MARK_STOCK = b"S1SUSPEND\0"

# The stock kernel's record from here on; it restores the last ten bytes alone.
_STOCK_RECORD = PAGE_BYTES - 40


@dataclass(frozen=True)
class SwapHeader:
    """The first page of a swap area, as found on the disk."""

    page: bytes

    @property
    def signature(self):
        """The ten bytes that say what the area is."""
        return self.page[-10:]

    @property
    def label(self):
        """The name that mkswap was given."""
        return self.page[1052:1068].rstrip(b"\0")

    @property
    def kept_signature(self):
        """Where a mark keeps the signature that it took the place of."""
        return self.page[-20:-10]

    @property
    def image_offset_bytes(self):
        """Where a dormouse mark says the image header is, in bytes from the device's start."""
        return struct.unpack_from("<q", self.page, PAGE_BYTES - 28)[0]


def mark_findings(original, marked, signature, area_start_bytes, area_end_bytes):
    """Judges the page while the machine is off. Returns what is wrong, as text; nothing when all is well."""
    findings = []
    if marked.signature != signature:
        findings.append(f"the signature is {marked.signature!r}, not the mark {signature!r}")
    if marked.kept_signature != PLAIN:
        findings.append(f"the mark does not keep {PLAIN!r}, but {marked.kept_signature!r}")
    if marked.page[:_STOCK_RECORD] != original.page[:_STOCK_RECORD]:
        findings.append("bytes before the mark have changed")
    if signature == MARK_DORMOUSE:
        if marked.page[:-28] != original.page[:-28]:
            findings.append("bytes before the last 28 have changed")
        offset = marked.image_offset_bytes
        if offset % PAGE_BYTES or not area_start_bytes < offset < area_end_bytes:
            findings.append(
                f"the image header is said to be at byte {offset}, not on a page of the swap area"
            )
    return findings


def restored_findings(original, after, by_stock_kernel):
    """Judges the page once the mark is gone: all of it must be as it was before the first hibernation."""
    if by_stock_kernel:
        if after.signature != PLAIN or after.page[:_STOCK_RECORD] != original.page[:_STOCK_RECORD]:
            return ["the header page is not plain swap again"]
        return []
    if after.page != original.page:
        changed = [i for i in range(PAGE_BYTES) if after.page[i] != original.page[i]]
        return [
            f"the header page differs from the original in {len(changed)} bytes, the first at {changed[0]}"
        ]
    return []
