"""The guest's disk: a raw image with a swap partition, or a file system's that holds a swap file."""

import os
import shutil
import struct
import uuid
from pathlib import Path

from rig import file_systems, xts
from rig.area import LABEL, Area
from rig.commands import run
from rig.errors import RigError
from rig.swap_header import MARK_DORMOUSE, PAGE_BYTES, PLAIN, SwapHeader

_MIB = 1 << 20
_SECTOR = 512
_TYPE_SWAP = 0x82
_TYPE_LINUX = 0x83
_UUID_AT = 1036  # in the header page

# What /witness in the file system says.
WITNESS = "A file that must outlive the hibernation."


class Disk:
    """Made anew for each run: /dev/vda1 is swap, /dev/vda2 holds /swapfile; only one of them is used.

    The partition behind these is another swap area, where `area` has one beside.
    """

    def __init__(self, path, swap_mib, with_swap_file, area=None):
        self.path = Path(path)
        self.area = area or Area()
        self._swap_mib = swap_mib
        self._with_swap_file = with_swap_file
        self._swap_partition_start = _MIB
        self._file_system_start = _MIB + (_MIB if with_swap_file else swap_mib * _MIB)
        self._file_system_bytes = self._file_system_mib() * _MIB
        self._beside_start = self._file_system_start + self._file_system_bytes
        self._swap_file_page = 0
        self._make()
        # Where the guest makes the area, it tells what the header was: adopt().
        self.original_header = None
        if not self._made_by_guest_alone:
            self.original_header = self.swap_header()
            if self.original_header.signature != PLAIN:
                raise RigError(f"{self.path}: the new swap area is not where it should be")
        self.original_beside = self.beside_header()
        self.stale_page = self._swap_file_page  # of a swap file that the guest makes anew

    @property
    def resume_device(self):
        """The block device that holds the swap area, as the guest names it."""
        return "/dev/vda2" if self._with_swap_file else "/dev/vda1"

    @property
    def resume_offset_pages(self):
        """Where the swap header is on the resume device, in pages; 0 for a partition."""
        return self._swap_file_page

    @property
    def beside_device(self):
        """The other swap partition; "" if there is none."""
        return f"/dev/vda{3 if self._with_swap_file else 2}" if self.area.beside_mib else ""

    @property
    def area_on_device(self):
        """Byte range in which an image header may lie, from the resume device's start."""
        if self._with_swap_file:
            return 0, self._file_system_bytes
        return 0, (self._swap_mib - self.area.data_start_mib) * _MIB

    @property
    def uuid(self):
        """The UUID of the swap area, as programs write it."""
        return str(uuid.UUID(bytes=self.original_header.page[_UUID_AT : _UUID_AT + 16]))

    def adopt(self, header_page):
        """Finds the marked swap area that the guest has made, whose first page was this. Returns where.

        The header itself is looked for in all of the file system, so that nobody's word is taken for its place.
        """
        self.original_header = SwapHeader(header_page)
        found = []
        with self.path.open("rb") as image:
            for start in range(self._file_system_start, self._beside_start, _MIB):
                image.seek(start)
                data = image.read(_MIB)
                for at in range(0, len(data), PAGE_BYTES):
                    page = SwapHeader(data[at : at + PAGE_BYTES])
                    if page.label == LABEL.encode() and page.signature == MARK_DORMOUSE:
                        found.append((start + at - self._file_system_start) // PAGE_BYTES)
        if len(found) != 1:
            raise RigError(f"{self.path}: {len(found)} marked swap headers were made by the guest, not one")
        self._swap_file_page = found[0]
        return found[0]

    def beside_header(self):
        """The header page of the other swap partition; None if there is none."""
        if not self.area.beside_mib:
            return None
        with self.path.open("rb") as image:
            image.seek(self._beside_start)
            return SwapHeader(image.read(PAGE_BYTES))

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
            page = image.read(PAGE_BYTES)
        if self.area.key:
            return xts.decrypt(self.area.key, page, number * PAGE_BYTES // _SECTOR)
        return page

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
        """Judges the file system after the guest has ended. Returns what is wrong, as text."""
        if not self._with_swap_file:
            return []
        part = self.path.with_suffix(".fs")
        self._copy_out(self._file_system_start, self._file_system_bytes, part)
        findings = file_systems.check(self.area.file_system, part)
        part.unlink()
        return findings

    @property
    def _made_by_guest_alone(self):
        return self._with_swap_file and self.area.file_system != "ext4"

    def _file_system_mib(self):
        if not self._with_swap_file:
            return 0
        # The old file must be there still while the new one is made, or that would lie where the old one did.
        anew = self.area.made_by_guest and self.area.file_system == "ext4"
        return self._swap_mib * (2 if anew else 1) + self.area.file_slack_mib

    def _device_start(self):
        if self._with_swap_file:
            return self._file_system_start
        return self._swap_partition_start + self.area.data_start_mib * _MIB

    def _header_offset(self):
        return self._device_start() + self._swap_file_page * PAGE_BYTES

    def _make(self):
        swap_bytes = self._file_system_start - self._swap_partition_start
        beside_bytes = self.area.beside_mib * _MIB
        partitions = [(_TYPE_SWAP, self._swap_partition_start, swap_bytes)]
        if self._with_swap_file:
            partitions.append((_TYPE_LINUX, self._file_system_start, self._file_system_bytes))
        if beside_bytes:
            partitions.append((_TYPE_SWAP, self._beside_start, beside_bytes))
        with self.path.open("wb") as image:
            image.write(_partition_table(partitions))
            image.truncate(self._beside_start + beside_bytes)
        if self._with_swap_file:
            self._make_file_system()
        else:
            self._make_swap(self._device_start(), swap_bytes - self.area.data_start_mib * _MIB)
        if beside_bytes:
            self._make_swap(self._beside_start, beside_bytes)
        if self.area.key:
            with self.path.open("r+b") as image:
                image.seek(self._device_start())
                header = image.read(PAGE_BYTES)
                image.seek(self._device_start())
                image.write(xts.encrypt(self.area.key, header, 0))

    def _make_swap(self, start, length):
        scratch = self.path.with_suffix(".part")
        with scratch.open("wb") as part:
            part.truncate(length)
        run("mkswap", scratch)
        self._copy_in(scratch, start)
        scratch.unlink()

    def _make_file_system(self):
        scratch = self.path.with_suffix(".part")
        scratch.unlink(missing_ok=True)
        if self.area.file_system == "ext4":
            self._make_ext4(scratch)
        else:
            with scratch.open("wb") as part:
                part.truncate(self._file_system_bytes)
            file_systems.make(self.area.file_system, scratch)
        self._copy_in(scratch, self._file_system_start)
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
        self._swap_file_page = file_systems.make_ext4(tree, part, self._file_system_bytes // _MIB)
        shutil.rmtree(tree)

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
