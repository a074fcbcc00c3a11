"""Files of any size, sparse ones too, compared and changed."""

import hashlib
import os

_STEP = 1 << 20


def _data_ranges(fd, size):
    """(start, end) of what is not a hole."""
    at = 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:  # ENXIO: only a hole is left
            return
        at = os.lseek(fd, start, os.SEEK_HOLE)
        yield start, at


def _covered_by(first, second, size):
    """True if wherever `first` has data, `second` reads the same."""
    for start, end in _data_ranges(first, size):
        for at in range(start, end, _STEP):
            count = min(_STEP, end - at)
            if os.pread(first, count, at) != os.pread(second, count, at):
                return False
    return True


def same(one, other):
    """True if both files read the same; holes are not read."""
    with open(one, "rb") as first, open(other, "rb") as second:
        size = os.fstat(first.fileno()).st_size
        if size != os.fstat(second.fileno()).st_size:
            return False
        descriptors = first.fileno(), second.fileno()
        return _covered_by(*descriptors, size) and _covered_by(*reversed(descriptors), size)


def digest(path):
    """A checksum of all of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def disk_bytes(path):
    """What a file takes on the disk, holes not counted."""
    return os.stat(path).st_blocks * 512


def read_at(path, at, count):
    """`count` bytes from byte `at`."""
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(count)


def write_at(path, at, data):
    """Overwrites bytes from `at` on."""
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def flip_byte(path, at):
    """Changes every bit of the byte at `at`; doing it twice changes nothing."""
    write_at(path, at, bytes([read_at(path, at, 1)[0] ^ 0xFF]))
