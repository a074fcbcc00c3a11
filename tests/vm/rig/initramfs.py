"""Builds the guest's first file system: busybox, the tools with their libraries, modules, /init."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from rig.area import Area
from rig.cpio import CpioArchive
from rig.errors import RigError
from rig.kernel import DISK_MODULES, EXT4_MODULES, MAPPER_MODULES

TOOL_DIRECTORY = "/usr/sbin"
TOOLS_REQUIRED = ("s2disk", "resume")
TOOLS_OPTIONAL = ("suspend-keygen", "swap-offset")


def find_tools(directory):
    """Finds the tools below an installed prefix or a build directory. Returns {name: path}."""
    directory = Path(directory)
    places = ("", "sbin", "usr/sbin", "bin", "suspend", "suspend/keygen", "suspend/swap_offset", "resume")
    tools = {}
    for name in TOOLS_REQUIRED + TOOLS_OPTIONAL:
        candidates = [directory / place / name for place in places]
        found = [path for path in candidates if path.is_file()]
        if found:
            tools[name] = found[0]
        elif name in TOOLS_REQUIRED:
            raise RigError(f"no '{name}' in {directory} (looked in {', '.join(p or '.' for p in places)})")
    return tools


def shared_libraries(program):
    """Returns the paths of all libraries that `program` loads, and of its loader; none if it is static."""
    result = subprocess.run(["ldd", program], capture_output=True, text=True)
    if result.returncode != 0:
        if "not a dynamic executable" in result.stdout + result.stderr:
            return []
        raise RigError(f"ldd {program}: {result.stderr.strip()}")
    if "not found" in result.stdout:
        missing = [line.split()[0] for line in result.stdout.splitlines() if "not found" in line]
        raise RigError(f"{program} needs libraries that are not there: {', '.join(missing)}")
    return re.findall(r"(/\S+) \(0x", result.stdout)


def skeleton(kernel, guest, busybox="/bin/busybox"):
    """Returns an archive with what every guest starts from: busybox, /basics, and the modules for its disk.

    `guest` is the directory with the guest's scripts. What is missing is /init.
    """
    if not Path(busybox).is_file() or shared_libraries(busybox):
        raise RigError(f"{busybox} is not a static program: install busybox-static")
    archive = CpioArchive()
    for directory in ("/dev", "/mnt", "/proc", "/run", "/sys", "/tmp", TOOL_DIRECTORY):
        archive.add_directory(directory)
    archive.add_character_device("/dev/console", 5, 1)
    archive.add_file("/bin/busybox", Path(busybox).read_bytes(), 0o755)
    archive.add_symlink("/bin/sh", "busybox")
    archive.add_file("/basics", (guest / "basics").read_bytes())
    _add_modules(archive, "disk", kernel.modules(DISK_MODULES))
    _add_modules(archive, "ext4", kernel.modules(EXT4_MODULES))
    return archive


def build(kernel, tools, programs, guest, with_mapper=False, area=None, files=None):
    """Returns the initramfs as bytes. `tools` is {name: path}, empty for the kernel's own hibernation.

    `programs` are the guest's own, likewise; `guest` is the directory with its scripts; `area` is where the swap
    area lies; `files` are more files, {path: bytes}, which root alone may read.
    """
    archive = skeleton(kernel, guest)
    archive.add_file("/init", (guest / "init").read_bytes(), 0o755)
    for script in ("faults", "areas", "checks"):
        archive.add_file(f"/{script}", (guest / script).read_bytes())

    for path, data in (files or {}).items():
        archive.add_file(path, data, 0o600)

    programs = {**tools, **programs}
    area = area or Area()
    if with_mapper or area.mapping:
        programs["dmsetup"] = _dmsetup()
    if with_mapper:
        _add_modules(archive, "mapper", kernel.modules(MAPPER_MODULES))
    _add_modules(archive, "area", kernel.modules(area.modules))
    libraries = set()
    for name, path in programs.items():
        archive.add_file(f"{TOOL_DIRECTORY}/{name}", without_debug_information(path), 0o755)
        libraries.update(shared_libraries(path))
    for library in sorted(libraries):
        archive.add_file(library, without_debug_information(library), 0o755)
    return archive.finish()


def _dmsetup():
    found = shutil.which("dmsetup", path="/usr/sbin:/sbin")
    if found is None:
        raise RigError("needs the command 'dmsetup', which is not installed")
    return Path(found)


def _add_modules(archive, group, modules):
    """The guest loads a group with insmod in the order of its list."""
    for name, data in modules:
        archive.add_file(f"/modules/{group}/{name}", data)
    archive.add_file(f"/modules/{group}.list", "".join(f"{name}\n" for name, _ in modules).encode())


def without_debug_information(path):
    """Keeps the guest's memory for what is tested; a debug build can be ten times its size."""
    if shutil.which("strip") is None:
        return Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        stripped = Path(scratch) / "stripped"
        result = subprocess.run(["strip", "--strip-debug", "-o", stripped, path], capture_output=True)
        return (stripped if result.returncode == 0 else Path(path)).read_bytes()
