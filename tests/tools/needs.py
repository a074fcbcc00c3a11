"""What a test needs of the machine. Missing it skips the test with a reason; in CI (CI=true) it fails."""

import os
import shutil
import subprocess
import unittest

_SBIN = ":/usr/local/sbin:/usr/sbin:/sbin"


def missing(reason):
    """Skips or, in CI, fails."""
    if os.environ.get("CI") == "true":
        raise AssertionError(f"CI must have it: {reason}")
    raise unittest.SkipTest(reason)


def command(name):
    """The path of a program, looked for where root has them, too."""
    path = shutil.which(name, path=os.environ.get("PATH", os.defpath) + _SBIN)
    if path is None:
        missing(f"{name} is not installed")
    return path


def tracer():
    """strace, where it is allowed to trace."""
    strace = command("strace")
    tried = subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        missing(f"strace cannot trace here: {tried.stderr.strip()}")
    return strace


def without_systemd(words):
    """The command `words`, to be run where no systemd is seen, be it there or not."""
    if not os.path.exists("/run/systemd/system"):
        return words
    rights = () if os.geteuid() == 0 else ("--map-root-user",)
    hidden = [command("unshare"), "--mount", *rights, "sh", "-c", 'mount -t tmpfs none /run/systemd && exec "$@"', "sh"]
    tried = subprocess.run([*hidden, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        missing(f"systemd runs here, and cannot be hidden: {tried.stderr.strip()}")
    return [*hidden, *words]


def loop_device(test, path, partitions=False):
    """A loop device on the file `path`, gone again after `test`."""
    losetup = command("losetup")
    scan = ("--partscan",) if partitions else ()
    made = subprocess.run([losetup, *scan, "--find", "--show", str(path)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        missing(f"no loop device could be set up (root needed): {made.stderr.strip()}")
    device = made.stdout.strip()
    test.addCleanup(subprocess.run, [losetup, "--detach", device], check=True)
    return device
