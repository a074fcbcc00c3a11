"""The guest's own programs, compiled by hand where no build has made them."""

import subprocess
from pathlib import Path

from rig.errors import RigError

DIRECTORY = Path(__file__).resolve().parent.parent / "guest"


def names():
    """All there are."""
    return sorted(source.stem for source in DIRECTORY.glob("*.cc"))


def compile_into(workdir, wanted):
    """Compiles the programs with these names. Returns {name: path}."""
    programs = {}
    for name in wanted:
        program = programs[name] = Path(workdir) / name
        command = ["c++", "-std=c++23", "-O2", "-static", DIRECTORY / f"{name}.cc", "-o", program]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise RigError(f"cannot compile {name}.cc: {result.stderr}")
    return programs
