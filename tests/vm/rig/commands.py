"""Runs the host's own tools, and says what to do where one is missing or fails."""

import shutil
import subprocess

from rig.errors import RigError

_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"


def find(name, package=None):
    """Returns the path of a tool, also from the sbin directories."""
    program = shutil.which(name, path=_PATH)
    if program is None:
        remedy = f": install {package}" if package else ", which is not installed"
        raise RigError(f"needs the command '{name}'{remedy}")
    return program


def run(name, *arguments):
    """Runs a tool and returns what it printed."""
    result = subprocess.run([find(name), *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise RigError(f"{name}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout
