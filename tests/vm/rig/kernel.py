"""A kernel as fetch_kernels.sh leaves it: the image, its release, and the modules for the guest."""

import gzip
import lzma
import subprocess
from pathlib import Path

from rig.errors import RigError

# In the order the guest loads them; dependencies are put before each. The first four are wanted in this very
# order, as virtio's parts name each other in a way that modules.dep does not always tell.
DISK_MODULES = (
    "virtio_ring",
    "virtio",
    "virtio_pci_modern_dev",
    "virtio_pci_legacy_dev",
    "virtio_pci",
    "virtio_blk",
)
EXT4_MODULES = ("crc32c_generic", "ext4")
MAPPER_MODULES = ("dm_mod", "dm_flakey")


class Kernel:
    """One unpacked kernel below `directory`."""

    def __init__(self, directory):
        self._directory = Path(directory)
        for name in ("vmlinuz", "release", "modules/modules.dep", "modules/modules.builtin"):
            if not (self._directory / name).is_file():
                raise RigError(
                    f"no {name} in {self._directory}: run fetch_kernels.sh {self._directory.parent}"
                )

    @property
    def image(self):
        """The path of the kernel image."""
        return self._directory / "vmlinuz"

    @property
    def release(self):
        """What `uname -r` says in the guest."""
        return (self._directory / "release").read_text().strip()

    def modules(self, names):
        """Returns [(file name, bytes)] in load order: `names` and what they need, less what is built in."""
        dependencies = self._dependencies()
        built_in = self._built_in()
        ordered = []

        def add(path):
            if path in ordered:
                return
            # modules.dep lists the nearest dependency first, so the last one is to be loaded first.
            for needed in reversed(dependencies[path]):
                add(needed)
            ordered.append(path)

        by_name = {_module_name(path): path for path in dependencies}
        for name in names:
            if name in by_name:
                add(by_name[name])
            elif name not in built_in:
                raise RigError(
                    f"kernel {self.release} has no module '{name}': remove {self._directory} and fetch anew"
                )
        return [
            (f"{_module_name(path)}.ko", _unpacked(self._directory / "modules" / path)) for path in ordered
        ]

    def _dependencies(self):
        lines = (self._directory / "modules/modules.dep").read_text().splitlines()
        return {path: needs.split() for path, needs in (line.split(":", 1) for line in lines)}

    def _built_in(self):
        lines = (self._directory / "modules/modules.builtin").read_text().splitlines()
        return {_module_name(line) for line in lines}


def _module_name(path):
    return Path(path).name.split(".", 1)[0].replace("-", "_")


def _unpacked(path):
    packed = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(packed)
    if path.suffix == ".gz":
        return gzip.decompress(packed)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    return packed
