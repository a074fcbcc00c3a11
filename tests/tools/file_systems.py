"""Real file systems in sparse files on loop devices. Needs root; the kernel may lack some kinds."""

import os
import subprocess

import needs

PAGE = os.sysconf("SC_PAGE_SIZE")


def run(*words, **options):
    """Runs a command that has to succeed; returns what it printed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def kernel_has(kind):
    """Whether this kernel can mount it."""
    with open("/proc/filesystems", encoding="ascii") as known:
        if kind in known.read().split():
            return True
    return subprocess.run(["modprobe", "--quiet", kind], check=False).returncode == 0


class FileSystem:
    """Made, mounted, and taken down after `test`."""

    def __init__(self, test, kind, size=600 << 20, options=(), devices=1, name=None, mount=()):
        self.kind = kind
        name = name or kind
        self.devices = []
        for number in range(devices):
            image = test.directory / f"{name}.{number}.image"
            with open(image, "wb") as file:
                file.truncate(size)
            self.devices.append(needs.loop_device(test, image))
        force = "-F" if kind == "ext4" else "-f"
        run(needs.command(f"mkfs.{kind}"), "-q", force, *options, *self.devices)
        self.root = test.directory / f"{name}.mounted"
        self.root.mkdir()
        run("mount", "-t", kind, *mount, self.devices[0], self.root)
        test.addCleanup(run, "umount", self.root)

    @property
    def device(self):
        """The one it was mounted from."""
        return self.devices[0]

    def new_file(self, name="swap"):
        """An empty file, of the kind that can be swapped on."""
        path = self.root / name
        path.touch(0o600)
        if self.kind == "btrfs":
            run("chattr", "+C", path)
        return path

    def swap_file(self, name="swap", size=8 << 20):
        """A swap file whose every page says which one it is."""
        path = self.new_file(name)
        run("fallocate", "-l", size, path)
        return make_swap(path)


def make_swap(path):
    """mkswap, and a marker unlike any other in the part of the header that belongs to boot loaders."""
    run(needs.command("mkswap"), path)
    marker = os.urandom(64)
    with open(path, "r+b") as file:
        file.write(marker)
        file.flush()
        os.fsync(file.fileno())
    run("sync")
    return path


def page_of_device(device, page):
    """What is at that page of the device, read past the page cache of the file system above."""
    with open(device, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(page * PAGE)
        return file.read(PAGE)
