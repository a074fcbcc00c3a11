"""What tests of sealed images start from: keys, the ways to seal with them and to open again, the area as a reader of
FORMAT.md sees it."""

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import files
import image
import needs
from tool_test import ToolTest

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))
from opener import key_files, primitives, sealed_image, secret_patterns  # noqa: E402, F401

CIPHERS = tuple(sealed_image.CIPHERS.values())
PASSPHRASE = b"nineteen wet badgers"
PAIR_PASSPHRASE = b"forty dry otters"
WRONG = b"nineteen wet badger"
TRIES = 3


def line(*passphrases):
    """What is typed: a line for each."""
    return b"".join(passphrase + b"\n" for passphrase in passphrases)


@dataclass(frozen=True)
class Way:
    """How an image is sealed, and how it is opened. What is not typed does not come: standard input is /dev/null then,
    and nobody can be asked."""

    name: str
    seal: tuple = ()
    seal_typed: bytes = None
    open: tuple = ()
    open_typed: bytes = None


class SealedTest(ToolTest):
    """A snapshot, an area, and a key of each kind."""

    pages = 300

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=self.pages)
        self.header = self.make_area(pages=self.pages + 100)
        self.raw = os.urandom(32)
        self.raw_file = self.write_key("raw.key", self.raw)
        self.pair = key_files.key_pair(PAIR_PASSPHRASE)
        self.pair_file = self.write_key("pair.key", self.pair.text.encode())

    def write_key(self, name, data):
        """A key file of any bytes."""
        path = self.directory / name
        path.write_bytes(data)
        path.chmod(0o600)
        return path

    def ways(self):
        """All there are."""
        return (
            Way("passphrase", seal_typed=line(PASSPHRASE), open_typed=line(PASSPHRASE)),
            Way("key pair", seal=("--key-file", self.pair_file), open_typed=line(PAIR_PASSPHRASE)),
            Way("key file", seal=("--key-file", self.raw_file), open=("--key-file", self.raw_file)),
        )

    def seal(self, *options, cipher="aes-256-gcm", **where):
        """Stores the snapshot, sealed with the raw key unless the options name another; returns the report."""
        keys = () if "--key-file" in options else ("--key-file", self.raw_file)
        words = f"--encrypt={cipher}", *keys, "--report", "json", "--progress", "none", *options
        return self.s2disk(*words, **where).json()

    def open(self, *options, **where):
        """Recovers the snapshot with the raw key."""
        return self.recover("--key-file", self.raw_file, *options, **where)

    def sealed_header(self):
        """The header of the image on the area."""
        return sealed_image.SealedHeader(files.read_at(self.area, image.read(self.area).header_at, image.HEADER_BYTES))

    def stored_bytes_of(self, chunk):
        """What the device holds of a chunk."""
        return b"".join(files.read_at(self.area, first * 4096, pages * 4096) for first, pages in chunk.extents)


class Xxh3:
    """XXH3 of the system's library, to make a checksum fit what was changed."""

    def __init__(self):
        try:
            library = ctypes.CDLL("libxxhash.so.0")
        except OSError as error:
            needs.missing(f"libxxhash is not installed: {error}")
        self._sum = library.XXH3_64bits
        self._sum.restype = ctypes.c_uint64
        self._sum.argtypes = ctypes.c_char_p, ctypes.c_size_t

    def fit(self, data, at):
        """`data` with the checksum of all of it, this field zero, at byte `at`."""
        data = bytearray(data)
        data[at:at + 8] = bytes(8)
        data[at:at + 8] = self._sum(bytes(data), len(data)).to_bytes(8, "little")
        return bytes(data)
