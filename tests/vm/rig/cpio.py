"""Writes cpio archives in the "newc" format, the one the kernel unpacks as its first file system."""

import io
import stat
from pathlib import PurePosixPath

_END_NAME = "TRAILER!!!"


class CpioArchive:
    """A cpio archive in memory. Parent directories are added as needed; all belongs to root."""

    def __init__(self):
        self._out = io.BytesIO()
        self._directories = set()
        self._next_inode = 1

    def add_directory(self, path):
        """Adds the directory `path` (absolute) and its parents, once."""
        path = PurePosixPath(path)
        for directory in [*reversed(path.parents), path]:
            if directory == PurePosixPath("/") or directory in self._directories:
                continue
            self._directories.add(directory)
            self._entry(str(directory), stat.S_IFDIR | 0o755, b"")

    def add_file(self, path, data, mode=0o644):
        """Adds a file with the bytes `data` as `path` (absolute)."""
        self.add_directory(PurePosixPath(path).parent)
        self._entry(str(path), stat.S_IFREG | mode, data)

    def add_symlink(self, path, target):
        """Adds a symbolic link at `path` (absolute) that points to `target`."""
        self.add_directory(PurePosixPath(path).parent)
        self._entry(str(path), stat.S_IFLNK | 0o777, str(target).encode())

    def add_character_device(self, path, major, minor):
        """Adds a character device node; the kernel opens /dev/console before /init can make it."""
        self.add_directory(PurePosixPath(path).parent)
        self._entry(str(path), stat.S_IFCHR | 0o600, b"", (major, minor))

    def finish(self):
        """Returns the whole archive. Archives may be joined end to end; later files replace earlier ones."""
        self._entry(_END_NAME, 0, b"")
        return self._out.getvalue()

    def _entry(self, name, mode, data, device=(0, 0)):
        encoded_name = name.lstrip("/").encode() + b"\0"
        inode = self._next_inode
        self._next_inode += 1
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = (inode, mode, 0, 0, links, 0, len(data), 0, 0, *device, len(encoded_name), 0)
        self._out.write(b"070701" + b"".join(b"%08X" % field for field in fields))
        self._out.write(encoded_name)
        self._pad()
        self._out.write(data)
        self._pad()

    def _pad(self):
        self._out.write(bytes(-self._out.tell() % 4))
