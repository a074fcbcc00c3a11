"""Makes the file systems that swap files lie in, and judges them afterwards."""

import re
import subprocess

from rig.commands import find, run
from rig.errors import RigError
from rig.swap_header import PAGE_BYTES

_MAKERS = {
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-m", "single"),
    "f2fs": ("mkfs.f2fs", "-q", "-f"),
}
_CHECKERS = {
    "ext4": ("e2fsck", "-f", "-n"),
    "xfs": ("xfs_repair", "-n", "-f"),
    "btrfs": ("btrfs", "check", "--force"),
    "f2fs": ("fsck.f2fs", "--dry-run", "-f"),
}


def make(kind, part):
    """Makes an empty file system in a file that is there already."""
    program, *options = _MAKERS[kind]
    run(program, *options, part)


def make_ext4(tree, part, mib):
    """Makes an ext4 file system with what is in `tree`. Returns at which page of it /swapfile begins."""
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
        f"{mib}M",
    )
    answer = run("debugfs", "-R", "bmap /swapfile 0", part)
    numbers = re.findall(r"^\d+$", answer, re.MULTILINE)
    if len(numbers) != 1 or numbers[0] == "0":
        raise RigError(f"debugfs does not tell where the swap file starts: {answer!r}")
    return int(numbers[0])


def check(kind, part):
    """Returns what is wrong with a file system that is not mounted, as text; nothing when all is well."""
    program, *options = _CHECKERS[kind]
    result = subprocess.run([find(program), *options, part], capture_output=True, text=True)
    said = (result.stdout + result.stderr).strip()
    # fsck.f2fs says so in words only.
    faults = result.returncode != 0 or "[Fail]" in said
    return [f"{program} finds faults: {said}"] if faults else []
