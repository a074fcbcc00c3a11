"""What a snapshot stream is made of: pages, zero pages, pages filled with one word, and how well it packs."""

import shutil
import subprocess
from dataclasses import dataclass

from rig.errors import RigError
from rig.snapshot_stream import StreamHeader
from rig.swap_header import PAGE_BYTES

_PIECE_BYTES = 1 << 20
_WORD_BYTES = 8
_PACKERS = (("lz4", "-1"), ("zstd", "-1"))


@dataclass(frozen=True)
class Summary:
    """Counts over the whole stream, header and metadata included."""

    pages: int
    metadata_pages: int
    zero_pages: int
    filled_pages: int  # with one 64-bit word other than zero

    @property
    def size_bytes(self):
        """The stream's length."""
        return self.pages * PAGE_BYTES


def cut(path):
    """Cuts a file off where the stream in it ends, as its first page says. Returns the StreamHeader."""
    with path.open("r+b") as file:
        header = StreamHeader.parse(file.read(PAGE_BYTES))
        if header.size_bytes > path.stat().st_size:
            raise RigError(
                f"{path}: its first page says {header.size_bytes} bytes, there are {path.stat().st_size}"
            )
        file.truncate(header.size_bytes)
    return header


def summarize(path):
    """Counts the pages of a stream in a file."""
    with path.open("rb") as file:
        header = StreamHeader.parse(file.read(PAGE_BYTES))
    zero_page = bytes(PAGE_BYTES)
    zeros = filled = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            for at in range(0, len(piece), PAGE_BYTES):
                page = piece[at : at + PAGE_BYTES]
                if page == zero_page:
                    zeros += 1
                elif page[:-_WORD_BYTES] == page[_WORD_BYTES:]:
                    filled += 1
    return Summary(header.pages, header.metadata_pages, zeros, filled)


def packers():
    """Returns {name: command} of the packers that are installed here; the file's name comes last."""
    return {
        " ".join(packer): [*packer, "-q", "-c"] for packer in _PACKERS if shutil.which(packer[0]) is not None
    }


def packed_shares(path):
    """Returns {packer: packed size / size}."""
    size = path.stat().st_size
    return {name: _packed_bytes(name, [*command, path]) / size for name, command in packers().items()}


def _packed_bytes(name, command):
    size = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as packer:
        while piece := packer.stdout.read(_PIECE_BYTES):
            size += len(piece)
    if packer.returncode != 0:
        raise RigError(f"'{name}' fails with status {packer.returncode}")
    return size


def text(summary, shares):
    """The summary for a person."""
    lines = [
        f"pages       {summary.pages} ({summary.metadata_pages} of them list the page frames)",
        f"bytes       {summary.size_bytes} ({summary.size_bytes / 1e9:.2f} GB)",
        f"zero pages  {summary.zero_pages} ({summary.zero_pages / summary.pages:.1%})",
        f"one word    {summary.filled_pages} pages ({summary.filled_pages / summary.pages:.1%}) repeat one 64-bit word",
    ]
    for packer, share in shares.items():
        lines.append(
            f"packs to    {share:.3f} of its size with '{packer}' (one stream; chunks pack a little less)"
        )
    return "\n".join(lines)
