"""Looks into the kernel's snapshot stream, as `resume --to` gives it back: does it end in zero pages?"""

import struct
import subprocess
from dataclasses import dataclass

from rig.errors import RigError
from rig.swap_header import PAGE_BYTES

_IMAGE_PAGES_AT = 416
_ALL_PAGES_AT = 424
_END_OF_LIST = (1 << 64) - 1
_ZERO_PAGE = 1 << 63  # kernels that leave zero pages out mark them so
_ENTRIES = PAGE_BYTES // 8


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
        header = file.read(PAGE_BYTES)
        data_pages, pages = (
            struct.unpack_from("<Q", header, at)[0] for at in (_IMAGE_PAGES_AT, _ALL_PAGES_AT)
        )
        metadata_pages = pages - data_pages - 1
        frames = []
        for _ in range(metadata_pages):
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
