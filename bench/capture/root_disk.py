"""The guest's root disk: a Debian system made by debootstrap, kept in the work directory."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from rig import commands
from rig.errors import RigError
from rig.swap_header import PAGE_BYTES

MIRROR = "http://deb.debian.org/debian"

_BASE_PACKAGES = (
    "systemd",
    "systemd-sysv",
    "udev",
    "kmod",
    "dbus",
    "procps",
    "python3",
    "nodejs",
    "redis-server",
)
# dbus-user-session: wanted through a virtual package, which debootstrap does not resolve.
_BROWSER_PACKAGES = ("chromium", "dbus-user-session", "fonts-dejavu-core")

_MIB = 1 << 20
_ROOM_BYTES = 512 * _MIB  # for what the guest writes
_LAST_LINES = 12


@dataclass(frozen=True)
class System:
    """What is installed. Two disks of the same System are of equal use."""

    packages: tuple
    suite: str = "bookworm"
    architecture: str = "amd64"

    @classmethod
    def with_browser(cls, browser):
        """The packages for the work, with those for the browser or without."""
        return cls(packages=_BASE_PACKAGES + (_BROWSER_PACKAGES if browser else ()))


@contextlib.contextmanager
def locked(workdir):
    """Makes the work directory and keeps a second run out of it. Yields its path."""
    workdir = Path(workdir).absolute()
    workdir.mkdir(parents=True, exist_ok=True)
    with (workdir / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RigError(f"another run uses {workdir}: wait for it, or name another with --work") from None
        yield workdir


def obtain(system, workdir, mirror, tell):
    """Returns the path of the root disk, made now unless it is there already."""
    disk = workdir / "root.ext4"
    made_for = workdir / "root.json"
    if disk.is_file() and _read(made_for) == _description(system):
        tell(f"the root disk is there already: {disk}")
        return disk
    made_for.unlink(missing_ok=True)
    tree = workdir / "tree"
    _make_tree(system, tree, workdir / "packages", mirror, tell)
    tell("making the root disk of it")
    _make_disk(tree, disk)
    shutil.rmtree(tree)
    made_for.write_text(_description(system))  # last: only a complete disk has it
    return disk


def _description(system):
    return json.dumps(asdict(system), indent=1)


def _read(path):
    return path.read_text() if path.is_file() else None


def _make_tree(system, tree, cache, mirror, tell):
    debootstrap = commands.find("debootstrap", package="debootstrap")
    unshare = commands.find("unshare", package="util-linux")
    if os.geteuid() != 0:
        raise RigError("debootstrap makes the guest's system and must be root: run this as root")
    cache.mkdir(exist_ok=True)
    if tree.exists():
        shutil.rmtree(tree)
    tell(
        f"installing Debian '{system.suite}' with {len(system.packages)} chosen packages from {mirror} (minutes)"
    )
    log = tree.with_suffix(".log")
    command = [
        # Its mounts are its own and go with it, also when it is killed: the tree can be removed without a look.
        unshare,
        "--mount",
        debootstrap,
        "--variant=minbase",
        f"--arch={system.architecture}",
        f"--cache-dir={cache}",
        f"--include={','.join(system.packages)}",
        system.suite,
        tree,
        mirror,
    ]
    with log.open("w") as output:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise RigError(
            f"debootstrap failed ({result.returncode}); does this machine reach {mirror} (--mirror names "
            f"another), and is {tree.parent} on a file system that allows devices and programs?\n"
            + _last_lines(log)
            + _last_lines(tree / "debootstrap" / "debootstrap.log")
        )
    _settle(tree)


def _settle(tree):
    """What an installer would do: without these the first boot asks, or does them in its own way."""
    (tree / "etc/machine-id").write_text("2006" * 8 + "\n")
    (tree / "etc/hostname").write_text("capture\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost capture\n")
    (tree / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    for package in tree.glob("var/cache/apt/archives/*.deb"):
        package.unlink()


def _make_disk(tree, disk):
    used = int(commands.run("du", "-s", "-B", str(_MIB), str(tree)).split()[0]) * _MIB
    disk.unlink(missing_ok=True)
    mebibytes = (used + used // 10 + _ROOM_BYTES) // _MIB
    commands.run(
        "mke2fs", "-q", "-F", "-t", "ext4", "-b", str(PAGE_BYTES), "-d", str(tree), str(disk), f"{mebibytes}M"
    )


def _last_lines(path):
    if not path.is_file():
        return ""
    lines = path.read_text(errors="replace").splitlines()[-_LAST_LINES:]
    return f"--- the end of {path}:\n" + "\n".join(lines) + "\n"
