"""Boots the guest, follows what it says, and takes the captured stream over from its second disk."""

import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from capture import guest_archive, summary
from rig import qemu
from rig.errors import RigError
from rig.kernel import Kernel

_MIB = 1 << 20
_PROCESSORS = 2
# Half of the memory is to hold the copy of the other half. The kernel drops page cache until the image is no
# larger than this, and as a rule drops more.
_IMAGE_SHARE = 0.47
_BOOT_SECONDS = 300
_CAPTURE_SECONDS = 300
_TOLD = re.compile(r"^== (.*)\n", re.MULTILINE)  # whole lines only
_DEVICE = "/dev/vdb"


@dataclass(frozen=True)
class Wanted:
    """What is to be captured."""

    memory_mib: int
    stages: tuple  # of names of works: those of a stage start together, once the stage before is warm
    seed: int
    warm_seconds: int

    @property
    def preferred_image_bytes(self):
        """The size that the kernel is asked for."""
        return int(self.memory_mib * _IMAGE_SHARE) * _MIB

    @property
    def largest_stream_bytes(self):
        """No stream is larger: the copy has to fit into memory beside what is copied."""
        return self.memory_mib * _MIB // 2


@dataclass(frozen=True)
class Parts:
    """What the guest is put together from, and where its console and results are kept."""

    kernel: Kernel
    rig_guest: Path  # the rig's scripts for guests
    program: Path  # capture_stream
    root_disk: Path
    workdir: Path


@dataclass(frozen=True)
class Captured:
    """What the guest said of its capture."""

    works: dict  # {name: what it said}
    memory: str
    pages: int
    seconds: float

    @property
    def cold(self):
        """The names of what was not warm."""
        return [name for name, said in self.works.items() if not said.startswith("warm")]


def capture(wanted, parts, output, tell):
    """Leaves the stream in `output`, which appears whole or not at all. Returns the Captured."""
    free = shutil.disk_usage(output.parent).free
    if free < wanted.largest_stream_bytes:
        raise RigError(
            f"{output.parent} has {free // _MIB} MiB of room, and the stream may need "
            f"{wanted.largest_stream_bytes // _MIB} MiB"
        )
    stream = output.with_name(output.name + ".part")
    try:
        with stream.open("wb") as file:
            file.truncate(wanted.largest_stream_bytes)
        captured = _run(wanted, parts, stream, tell)
        header = summary.cut(stream)
        if header.pages != captured.pages:
            raise RigError(
                f"the guest wrote {captured.pages} pages, and the stream's first page says {header.pages}"
            )
        stream.replace(output)
    finally:
        stream.unlink(missing_ok=True)
    return captured


def _run(wanted, parts, stream, tell):
    plan = {
        "stages": wanted.stages,
        "seed": wanted.seed,
        "warm_seconds": round(wanted.warm_seconds * qemu.timeout_scale()),
        "preferred_image_bytes": wanted.preferred_image_bytes,
        "device": _DEVICE,
    }
    archive = parts.workdir / "initramfs.cpio"
    archive.write_bytes(guest_archive.build(parts.kernel, parts.rig_guest, parts.program, plan))
    machine = qemu.Machine(
        memory_mib=wanted.memory_mib, processors=_PROCESSORS, keeps_disk=True, more_disks=(stream,)
    )
    software = qemu.Software(parts.kernel.image, archive, parameters="systemd.show_status=false")
    # Twice, as the guest's clock falls behind on a host that has no time for it.
    deadline = qemu.deadline_after(_BOOT_SECONDS + 2 * wanted.warm_seconds + _CAPTURE_SECONDS)
    with qemu.Guest(machine, software, parts.root_disk, parts.workdir, "capture") as guest:
        _follow(guest, deadline, tell)
        boot = guest.wait(deadline)
    said = boot.transcript
    if said.get("finished") != "yes":
        raise RigError(f"the guest captured nothing: {_reason(boot)}")
    return Captured(
        works={name: said.get(f"work.{name}") for stage in wanted.stages for name in stage},
        memory=said.get("memory_mib"),
        pages=said.number("pages"),
        seconds=boot.seconds,
    )


def _reason(boot):
    error = boot.transcript.get("error")
    if not error:
        return f"it ended without a word, the last of the kernel's are\n{qemu.last_words(boot)}"
    if "Cannot allocate memory" in error:
        error += " (--memory gives it more; the work stays as it is)"
    return error


def _follow(guest, deadline, tell):
    """Passes on what the guest tells, until it ends."""
    began = time.monotonic()
    told = 0

    def pass_on():
        nonlocal told
        lines = _TOLD.findall(guest.console)
        for line in lines[told:]:
            tell(f"{time.monotonic() - began:4.0f} s  {line.strip()}")
        told = len(lines)
        return False

    guest.wait_until(pass_on, deadline)
