"""Runs one boot of the guest in QEMU, without KVM, under a watchdog."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rig.errors import RigError
from rig.transcript import Transcript

_QEMU = "qemu-system-x86_64"
_LAST_LINES = 40

# A panic ends the guest at once: it asks for a reboot, and -no-reboot makes that an exit.
_KERNEL_PARAMETERS = "console=ttyS0,115200 panic=-1 oops=panic no_timer_check mitigations=off"


@dataclass
class Machine:
    """The virtual hardware; the same for every boot of a case, as the image wants it."""

    memory_mib: int = 320
    processors: int = 1
    cache: str = "unsafe"
    read_bytes_per_second: int = 0
    write_bytes_per_second: int = 0


@dataclass
class Boot:
    """What one boot left: its results, its console, and how long it took on the host's clock."""

    transcript: Transcript
    console: str
    seconds: float


def run(machine, kernel_image, initramfs, disk_path, workdir, name, timeout_seconds):
    """Boots the guest and waits until it goes off. `name`.console and `name`.results stay in `workdir`."""
    console = Path(workdir) / f"{name}.console"
    results = Path(workdir) / f"{name}.results"
    for file in (console, results):
        file.write_bytes(b"")
    command = _command(machine, kernel_image, initramfs, disk_path, console, results)
    started = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = process.communicate(timeout=timeout_seconds)
    except subprocess.TimeoutExpired:
        raise RigError(
            f"{name}: the guest did not power off within {timeout_seconds:.0f} s.\n"
            f"{_tail('Its last results', results)}\n{_tail('Its last words', console)}"
        ) from None
    finally:
        # Also on Ctrl-C: no guest outlives its run.
        process.kill()
        process.wait()
    if process.returncode != 0:
        raise RigError(f"{_QEMU} failed ({process.returncode}): {output.decode(errors='replace').strip()}")
    return Boot(
        transcript=Transcript(results.read_text(errors="replace")),
        console=console.read_text(errors="replace").replace("\r", ""),
        seconds=time.monotonic() - started,
    )


def last_words(boot):
    """The end of a boot's console, for a person who wants to know what went wrong."""
    return "\n".join(boot.console.splitlines()[-_LAST_LINES:])


def timeout_scale():
    """Slow hosts set DORMOUSE_VM_TIMEOUT_SCALE, a factor for every watchdog."""
    return float(os.environ.get("DORMOUSE_VM_TIMEOUT_SCALE", "1"))


def _command(machine, kernel_image, initramfs, disk_path, console, results):
    for program in (_QEMU, "setpriv"):
        if shutil.which(program) is None:
            raise RigError(f"needs the command '{program}': install qemu-system-x86 and util-linux")
    drive = f"if=none,id=disk,format=raw,cache={machine.cache},file={str(disk_path).replace(',', ',,')}"
    if machine.read_bytes_per_second:
        drive += f",throttling.bps-read={machine.read_bytes_per_second}"
    if machine.write_bytes_per_second:
        drive += f",throttling.bps-write={machine.write_bytes_per_second}"
    return [
        # The guest dies with us, even if we are killed by a signal that cannot be caught.
        "setpriv",
        "--pdeathsig",
        "KILL",
        _QEMU,
        "-accel",
        "tcg",
        "-nodefaults",
        "-no-user-config",
        "-display",
        "none",
        "-no-reboot",
        "-m",
        f"{machine.memory_mib}M",
        "-smp",
        str(machine.processors),
        "-kernel",
        kernel_image,
        "-initrd",
        initramfs,
        "-append",
        _KERNEL_PARAMETERS,
        "-drive",
        drive,
        "-device",
        "virtio-blk-pci,drive=disk",
        "-serial",
        f"file:{console}",
        "-serial",
        f"file:{results}",
    ]


def _tail(title, file):
    lines = file.read_text(errors="replace").replace("\r", "").splitlines()[-_LAST_LINES:]
    return f"--- {title} ({file}):\n" + "\n".join(lines)
