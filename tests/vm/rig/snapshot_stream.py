"""Looks into the kernel's snapshot stream, as `resume --to` gives it back: does it end in zero pages?"""

import struct
import subprocess
from dataclasses import dataclass

from rig.errors import RigError
from rig.swap_header import PAGE_BYTES

_COUNTS_AT = 416
_END_OF_LIST = (1 << 64) - 1
_ZERO_PAGE = 1 << 63  # kernels that leave zero pages out mark them so
_ENTRIES = PAGE_BYTES // 8


@dataclass(frozen=True)
class StreamHeader:
    """What the stream's first page says of the rest."""

    data_pages: int
    pages: int
    size_bytes: int

    @classmethod
    def parse(cls, page):
        """Reads the counts; a page that cannot begin a stream is an error."""
        if len(page) < PAGE_BYTES:
            raise RigError(
                f"a snapshot stream begins with a page of {PAGE_BYTES} bytes, this has {len(page)}"
            )
        header = cls(*struct.unpack_from("<3Q", page, _COUNTS_AT))
        if header.size_bytes != header.pages * PAGE_BYTES or not 0 < header.data_pages < header.pages - 1:
            raise RigError(
                f"no snapshot stream begins like this: {header.data_pages} data pages of {header.pages}, "
                f"{header.size_bytes} bytes"
            )
        return header

    @property
    def metadata_pages(self):
        """Pages between the header and the data, that list the page frames."""
        return self.pages - self.data_pages - 1


@dataclass(frozen=True)
class ZeroTail:
    """How many zero pages a snapshot ends with, and where."""

    pages: int
    last_frame: int
    left_out: int  # zero pages of the whole snapshot that are not in the stream

    def __str__(self):
        kind = f"{self.left_out} left out of the stream in all" if self.left_out else "all in the stream"
        return f"{self.pages} at its end, the last is frame {self.last_frame}; {kind}"


def zero_tail(disk, resume_tool, workdir):
    """Recovers the stream from the swap area with our own tool, and looks at its end."""
    area, stream = workdir / "area.raw", workdir / "stream"
    try:
        disk.copy_area(area)
        command = [resume_tool, "--resume-device", area, "--to", stream]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise RigError(f"resume --to fails: {result.stderr.strip()}")
        return measure(stream)
    finally:
        area.unlink(missing_ok=True)
        stream.unlink(missing_ok=True)


def measure(stream):
    """Returns the ZeroTail of a stream in a file."""
    with stream.open("rb") as file:
        header = StreamHeader.parse(file.read(PAGE_BYTES))
        frames = []
        for _ in range(header.metadata_pages):
            for entry in struct.unpack(f"<{_ENTRIES}Q", file.read(PAGE_BYTES)):
                if entry == _END_OF_LIST:
                    break
                frames.append(entry)
        left_out = sum(bool(frame & _ZERO_PAGE) for frame in frames)
        tail = 0
        position = file.seek(0, 2)
        for frame in reversed(frames):
            if not frame & _ZERO_PAGE:
                position -= PAGE_BYTES
                file.seek(position)
                if any(file.read(PAGE_BYTES)):
                    break
            tail += 1
        return ZeroTail(tail, frames[-1] & ~_ZERO_PAGE if frames else 0, left_out)
