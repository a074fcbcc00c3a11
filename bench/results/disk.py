"""The swap area on a real disk that is written to, and the disk's own rates."""

import contextlib
import os
import shlex
import tempfile
from pathlib import Path

from results.errors import BenchError
from results.programs import dd, needed, timed

MIB = 1 << 20
_PAGE = 4096
_PLAIN = b"SWAPSPACE2"
_START = MIB  # of what is measured raw; the header page stays as it is
# With small blocks one request is in flight, with large ones the kernel makes several of each.
_BLOCKS = (1 * MIB, 16 * MIB)


def room_for(image_bytes):
    """Bytes of an area that takes an image stored as it is."""
    return image_bytes + image_bytes // 50 + 16 * MIB


@contextlib.contextmanager
def area_on(disk, image_bytes):
    """An Area on `disk`, a directory or a block device, with room for an image of `image_bytes`."""
    path = Path(disk)
    if path.is_dir():
        with tempfile.NamedTemporaryFile(dir=path, prefix="bench-area-") as file:
            yield _make_in_file(Path(file.name), room_for(image_bytes))
    elif path.is_block_device():
        yield _take_device(path, room_for(image_bytes))
    else:
        raise BenchError(f"{disk} is neither a directory nor a block device: name one with --disk")


def _make_in_file(path, size):
    with open(path, "r+b") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            raise BenchError(f"{path.parent} has no room for {size >> 20} MiB ({error.strerror}); "
                             "name a directory on another disk with --disk") from error
    # A first write makes the file system turn what it has set aside into written extents. It must not be measured.
    dd("if=/dev/zero", f"of={path}", "bs=1M", f"count={size >> 20}", "oflag=direct", "conv=notrunc,fsync")
    timed([needed("mkswap", "util-linux"), path])
    return Area(path, size)


def _take_device(path, size):
    # O_EXCL on a block device: nobody has it mounted or swapped on.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_EXCL)
    except OSError as error:
        raise BenchError(f"{path} cannot be had ({error.strerror}): it must be a swap partition that is turned off "
                         f"(swapoff {path}), and you must be root") from error
    with open(descriptor, "rb") as device:
        there = device.seek(0, os.SEEK_END)
        device.seek(0)
        if device.read(_PAGE)[-len(_PLAIN):] != _PLAIN:
            raise BenchError(f"{path} holds no plain swap area; if nothing on it is of use to you: mkswap {path}")
    if there < size:
        raise BenchError(f"{path} has {there >> 20} MiB and {size >> 20} are needed: take a larger one, or a smaller "
                         "snapshot")
    return Area(path, there)


class Area:
    """A swap area that nobody uses. Whatever is measured raw lies behind its header page."""

    def __init__(self, path, size):
        self.path = path
        self.size = size

    def write_rate(self, length):
        """MB/s of dd writing `length` bytes of zeros past the page cache, flush included: the best block size."""
        return max(self._rate(length, block, writing=True) for block in _BLOCKS)

    def read_rate(self, length):
        """The same of reading."""
        return max(self._rate(length, block, writing=False) for block in _BLOCKS)

    def _rate(self, length, block, writing):
        block = min(block, self._whole(length))
        count = max(1, length // block)
        if writing:
            seconds = dd("if=/dev/zero", f"of={self.path}", f"bs={block}", f"count={count}", f"seek={_START}",
                         "oflag=direct,seek_bytes", "conv=notrunc,fsync")
        else:
            seconds = dd(f"if={self.path}", "of=/dev/null", f"bs={block}", f"count={count}", f"skip={_START}",
                         "iflag=direct,skip_bytes")
        return block * count / 1e6 / seconds

    @staticmethod
    def _whole(length):
        return max(_PAGE, length // _PAGE * _PAGE)

    def forget_cached(self):
        """Has the page cache let go of it, so that the next buffered read comes from the disk, and the next buffered
        write finds no page of it there. As root all of the cache of a device goes, too."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)

    def write_command(self, source=None):
        """A dd that writes the file `source`, or what it is given, past the page cache; a word list for sh(1)."""
        words = ["dd", *([f"if={source}"] if source else []), f"of={self.path}", "bs=1M", f"seek={_START}",
                 "iflag=fullblock", "oflag=direct,seek_bytes", "conv=notrunc,fsync"]
        return shlex.join(words)

    def read_command(self, length):
        """A dd that reads `length` bytes, rounded up to whole MiB, past the page cache."""
        words = ["dd", f"if={self.path}", "bs=1M", f"skip={_START}", f"count={-(-length // MIB)}",
                 "iflag=direct,skip_bytes", "status=none"]
        return shlex.join(words)
