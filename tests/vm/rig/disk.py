"""The guest's disk: a raw image with a swap partition and an ext4 partition that holds a swap file."""

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

from rig.commands import run
from rig.errors import RigError
from rig.swap_header import PAGE_BYTES, PLAIN, SwapHeader

_MIB = 1 << 20
_SECTOR = 512
_TYPE_SWAP = 0x82
_TYPE_LINUX = 0x83

# What /witness on the ext4 partition says.
WITNESS = "A file that must outlive the hibernation."


class Disk:
    """Made anew for each run: /dev/vda1 is swap, /dev/vda2 ext4 with /swapfile; only one of them is used."""

    def __init__(self, path, swap_mib, with_swap_file):
        self.path = Path(path)
        self._swap_mib = swap_mib
        self._with_swap_file = with_swap_file
        self._swap_partition_start = _MIB
        self._ext4_start = _MIB + (_MIB if with_swap_file else swap_mib * _MIB)
        self._ext4_bytes = (swap_mib + 48) * _MIB if with_swap_file else 0
        self._swap_file_page = 0
        self._make()
        self.original_header = self.swap_header()
        if self.original_header.signature != PLAIN:
            raise RigError(f"{self.path}: the new swap area is not where it should be")

    @property
    def resume_device(self):
        """The block device that holds the swap area, as the guest names it."""
        return "/dev/vda2" if self._with_swap_file else "/dev/vda1"

    @property
    def resume_offset_pages(self):
        """Where the swap header is on the resume device, in pages; 0 for a partition."""
        return self._swap_file_page

    @property
    def area_on_device(self):
        """Byte range in which an image header may lie, from the resume device's start."""
        if self._with_swap_file:
            return 0, self._ext4_bytes
        return 0, self._swap_mib * _MIB

    def swap_header(self):
        """Reads the header page of the swap area in use."""
        return SwapHeader(self.read_page(self._swap_file_page))

    def image_header(self):
        """Reads the page that a dormouse mark leads to."""
        return self.read_page(self.swap_header().image_offset_bytes // PAGE_BYTES)

    def make_plain(self):
        """Puts the original header page back, so that the area is plain swap whatever has become of it."""
        with self.path.open("r+b") as image:
            image.seek(self._header_offset())
            image.write(self.original_header.page)

    def append(self, data, mib):
        """Adds `mib` MiB behind the partitions, `data` over and over. Returns where they begin, in MiB."""
        with self.path.open("r+b") as image:
            start = image.seek(0, os.SEEK_END)
            for left in range(mib * _MIB, 0, -len(data)):
                image.write(data[:left])
        return start // _MIB

    def fill_holes(self):
        """Writes all of it as it is, so that the host need not find places for it while a guest is timed."""
        with self.path.open("r+b") as image:
            while piece := image.read(_MIB):
                image.seek(-len(piece), os.SEEK_CUR)
                image.write(piece)
            image.flush()
            os.fsync(image.fileno())

    def read_page(self, number):
        """Reads a page of the resume device, counted as the device's marks and maps do."""
        with self.path.open("rb") as image:
            image.seek(self._device_start() + number * PAGE_BYTES)
            return image.read(PAGE_BYTES)

    def damage_image(self):
        """Flips one bit in the midst of what is stored in the swap partition. Returns its byte offset."""
        with self.path.open("r+b") as image:
            used = []
            for page in range(1, self._swap_mib * _MIB // PAGE_BYTES):
                image.seek(self._swap_partition_start + page * PAGE_BYTES)
                if any(image.read(PAGE_BYTES)):
                    used.append(page)
            if len(used) < 16:
                raise RigError("there is no image in the swap partition that could be damaged")
            offset = self._swap_partition_start + used[len(used) // 2] * PAGE_BYTES
            image.seek(offset)
            page = bytearray(image.read(PAGE_BYTES))
            place = next(i for i in range(PAGE_BYTES) if page[i])
            page[place] ^= 0x10
            image.seek(offset)
            image.write(page)
            return offset + place - self._swap_partition_start

    def bytes_on_host(self):
        """How much of the image file has been written; for copies made with holes a measure of progress."""
        return self.path.stat().st_blocks * _SECTOR

    def copy_area(self, target):
        """Copies the swap partition into a file, holes and all."""
        self._copy_out(self._swap_partition_start, self._swap_mib * _MIB, target)

    def check_file_system(self):
        """Judges the ext4 file system after the guest has ended. Returns what is wrong, as text."""
        if not self._with_swap_file:
            return []
        part = self.path.with_suffix(".ext4")
        self._copy_out(self._ext4_start, self._ext4_bytes, part)
        result = subprocess.run(["e2fsck", "-f", "-n", part], capture_output=True, text=True)
        part.unlink()
        return [] if result.returncode == 0 else [f"e2fsck finds faults: {result.stdout.strip()}"]

    def _device_start(self):
        return self._ext4_start if self._with_swap_file else self._swap_partition_start

    def _header_offset(self):
        return self._device_start() + self._swap_file_page * PAGE_BYTES

    def _make(self):
        swap_bytes = self._ext4_start - self._swap_partition_start
        partitions = [(_TYPE_SWAP, self._swap_partition_start, swap_bytes)]
        if self._with_swap_file:
            partitions.append((_TYPE_LINUX, self._ext4_start, self._ext4_bytes))
        with self.path.open("wb") as image:
            image.write(_partition_table(partitions))
            image.truncate(self._ext4_start + self._ext4_bytes)
        scratch = self.path.with_suffix(".part")
        if self._with_swap_file:
            self._make_ext4(scratch)
            self._copy_in(scratch, self._ext4_start)
        else:
            with scratch.open("wb") as part:
                part.truncate(swap_bytes)
            run("mkswap", scratch)
            self._copy_in(scratch, self._swap_partition_start)
        scratch.unlink()

    def _make_ext4(self, part):
        tree = self.path.with_suffix(".tree")
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        (tree / "witness").write_text(WITNESS)
        # mke2fs leaves holes where a file is zero, and swap files must have none: hence another byte.
        (tree / "swapfile").write_bytes(b"\xa5" * (self._swap_mib * _MIB))
        (tree / "swapfile").chmod(0o600)
        run("mkswap", tree / "swapfile")
        part.unlink(missing_ok=True)
        run(
            "mke2fs",
            "-q",
            "-F",
            "-t",
            "ext4",
            "-b",
            str(PAGE_BYTES),
            "-E",
            "root_owner=0:0",
            "-d",
            tree,
            part,
            f"{self._ext4_bytes // _MIB}M",
        )
        shutil.rmtree(tree)
        answer = run("debugfs", "-R", "bmap /swapfile 0", part)
        numbers = re.findall(r"^\d+$", answer, re.MULTILINE)
        if len(numbers) != 1 or numbers[0] == "0":
            raise RigError(f"debugfs does not tell where the swap file starts: {answer!r}")
        self._swap_file_page = int(numbers[0])

    def _copy_in(self, source, offset):
        """Copies what is not zero, so that the image stays sparse."""
        with source.open("rb") as part, self.path.open("r+b") as image:
            position = offset
            while data := part.read(_MIB):
                if any(data):
                    image.seek(position)
                    image.write(data)
                position += len(data)

    def _copy_out(self, offset, length, target):
        with self.path.open("rb") as image, target.open("wb") as part:
            image.seek(offset)
            while length and (data := image.read(min(length, _MIB))):
                part.seek(len(data), 1) if not any(data) else part.write(data)
                length -= len(data)
            part.truncate(part.tell())


def _partition_table(partitions):
    """Returns a classic boot sector for [(type, start, length)] in bytes."""
    sector = bytearray(_SECTOR)
    for number, (kind, start, length) in enumerate(partitions):
        struct.pack_into(
            "<BBHBBHII",
            sector,
            446 + 16 * number,
            0,
            0xFE,
            0xFFFF,
            kind,
            0xFE,
            0xFFFF,
            start // _SECTOR,
            length // _SECTOR,
        )
    sector[-2:] = b"\x55\xaa"
    return bytes(sector)
