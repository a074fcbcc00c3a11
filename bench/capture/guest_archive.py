"""The initramfs of the guest: what the rig starts every guest from, and /capture, which goes into the Debian system."""

import json
from pathlib import Path

from rig import initramfs

GUEST = Path(__file__).resolve().parent / "guest"
_TARGET = "/capture"
_PROGRAM = f"{_TARGET}/capture_stream"
_LIBRARIES = f"{_TARGET}/lib"


def build(kernel, rig_guest, program, plan):
    """Returns the initramfs as bytes. `plan` is what supervise.py is to do; `program` is capture_stream.

    The program brings its libraries along, and the loader: the guest's own may be older than the host's.
    """
    archive = initramfs.skeleton(kernel, rig_guest)
    archive.add_file("/init", (GUEST / "init").read_bytes(), 0o755)
    for path in sorted(GUEST.rglob("*")):
        if path.is_file() and path.name != "init":
            archive.add_file(f"{_TARGET}/{path.relative_to(GUEST)}", path.read_bytes())
    libraries = initramfs.shared_libraries(program)
    archive.add_file(_PROGRAM, initramfs.without_debug_information(program), 0o755)
    for library in libraries:
        data = initramfs.without_debug_information(library)
        archive.add_file(f"{_LIBRARIES}/{Path(library).name}", data, 0o755)
    plan = {**plan, "program": command(libraries)}
    archive.add_file(f"{_TARGET}/plan.json", json.dumps(plan).encode())
    return archive.finish()


def command(libraries):
    """Returns how the guest starts the program, given the libraries that ldd lists for it."""
    loaders = [Path(path).name for path in libraries if Path(path).name.startswith("ld-")]
    start = [f"{_LIBRARIES}/{loaders[0]}", "--library-path", _LIBRARIES] if loaders else []
    return [*start, _PROGRAM]
