"""Runs one boot of the guest in QEMU, without KVM, under a watchdog."""

import os
import re
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rig.errors import RigError
from rig.monitor import Monitor
from rig.transcript import Transcript

# Some twenty times what a boot takes on an idle machine with two processors.
BOOT_TIMEOUT_SECONDS = 300

_QEMU = "qemu-system-x86_64"
_LAST_LINES = 40
_POLL_SECONDS = 0.02
# All processors of a guest take turns on one thread. With a thread each, a processor may still run the breakpoint that
# another one put into the kernel's code for a moment and has taken out since (its static keys), and the guest dies of
# "Oops: int3" while it boots (1 of 40 boots of 6.12 with two processors; 0 of 40 so, in the same time).
_ACCELERATOR = "tcg,thread=single"
_AGAIN_SECONDS = 0.1

# Where on the PCI bus the first disk is; disks are named in the order of their slots.
_DISK_SLOT = 8

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
    keeps_disk: bool = False  # what the guest writes on the first disk is forgotten when it ends
    more_disks: tuple = ()  # raw images beside the first disk, which is /dev/vda
    disks_before: int = 0  # so many empty disks come before it, which the kernel calls /dev/vdb then, and so on


@dataclass(frozen=True)
class Reaction:
    """What the host does as soon as the guest's console shows `when`, a pattern, between two others."""

    when: str
    dump: str = ""  # the guest's memory is written to the file of this name
    send: bytes = b""  # typed on the console
    kill: bool = False  # QEMU ends on the spot
    again: bool = False  # the keys are pressed again and again, until `until` is seen
    after: str = ""
    until: str = ""

    def span(self, console):
        """Returns the part of the console between `after` and `until`; None before `after` is there."""
        begin = re.search(self.after, console)
        if begin is None:
            return None
        end = re.compile(self.until).search(console, begin.end()) if self.until else None
        return console[begin.end() : end.start() if end else len(console)]

    def is_over(self, console):
        """Whether `until` has been seen."""
        begin = re.search(self.after, console)
        return bool(begin and self.until and re.compile(self.until).search(console, begin.end()))


@dataclass
class Boot:
    """What one boot left: its results, its console, and how long it took on the host's clock."""

    transcript: Transcript
    console: str
    seconds: float
    reacted: tuple = ()  # the reactions whose moment came
    killed: bool = False


@dataclass
class Software:
    """What the guest boots with; `state` is a file with a running guest in it, to go on from."""

    kernel_image: Path
    initramfs: Path
    parameters: str = ""
    state: Path = None


class Guest:
    """A running guest. Leaving its context ends it, whatever has happened."""

    def __init__(self, machine, software, disk_path, workdir, name):
        self._name = name
        self._workdir = Path(workdir)
        self._memory_mib = machine.memory_mib
        self._console = Path(workdir) / f"{name}.console"
        self._results = Path(workdir) / f"{name}.results"
        for file in (self._console, self._results):
            file.write_bytes(b"")
        ours, theirs = socket.socketpair()
        command = _command(machine, software, disk_path, self._console, self._results, theirs.fileno())
        self._started = time.monotonic()
        self._killed = False
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # the console, of which the log is kept
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self.monitor = Monitor(ours)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Also on Ctrl-C: no guest outlives its run.
        self._process.kill()
        self._process.communicate()
        self.monitor.close()

    @property
    def console(self):
        """What the guest has printed so far."""
        return self._console.read_text(errors="replace").replace("\r", "\n")

    def is_off(self):
        """Whether QEMU has ended."""
        return self._process.poll() is not None

    def type(self, keys):
        """Types on the guest's console."""
        try:
            self._process.stdin.write(keys)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has just ended; what it left behind tells why

    def save_memory(self, path):
        """Writes all of the guest's memory, as it is in one moment, to a file."""
        self.monitor.command("stop")
        size = self._memory_mib << 20
        self.monitor.command("pmemsave", val=0, size=size, filename=str(Path(path).resolve()))
        self.monitor.command("cont")

    def kill(self):
        """Ends QEMU on the spot, as a power cut would, except that the host keeps what was written."""
        self._killed = True
        self._process.kill()

    def wait_for(self, pattern, deadline):
        """Waits until the console shows `pattern`."""
        if not self.wait_until(lambda: re.search(pattern, self.console), deadline):
            raise RigError(f"{self._name}: the guest ended and never said '{pattern}'.\n{self._tails()}")

    def wait_until(self, condition, deadline):
        """Waits until `condition` holds, or the guest is off. Returns whether it holds."""
        while not (holds := condition()) and not self.is_off():
            self._check(deadline)
            time.sleep(_POLL_SECONDS)
        return bool(holds or condition())

    def wait(self, deadline, reactions=()):
        """Waits until the guest goes off, and reacts meanwhile. Returns the Boot."""
        reacted = []
        again = {}
        while not self.is_off():
            self._check(deadline)
            time.sleep(_POLL_SECONDS)
            console = self.console if reactions else ""
            for number, reaction in enumerate(reactions):
                now = time.monotonic()
                if number in again:
                    if now < again[number] or reaction.is_over(console):
                        continue
                elif not re.search(reaction.when, reaction.span(console) or ""):
                    continue
                else:
                    reacted.append(reaction)
                again[number] = now + _AGAIN_SECONDS if reaction.again else float("inf")
                self._react(reaction)
        return self._boot(tuple(reacted))

    def _react(self, reaction):
        if reaction.kill:
            self.kill()
            self._process.wait()
            return
        if reaction.dump:
            self.save_memory(self._workdir / reaction.dump)
        self.type(reaction.send)

    def _check(self, deadline):
        if time.monotonic() < deadline:
            return
        raise RigError(
            f"{self._name}: the guest did not power off within {deadline - self._started:.0f} s.\n"
            + self._tails()
        )

    def _boot(self, reacted):
        seconds = time.monotonic() - self._started
        output = self._process.stderr.read()
        if self._process.returncode != 0 and not self._killed:
            reason = output.decode(errors="replace").strip()
            raise RigError(f"{_QEMU} failed ({self._process.returncode}): {reason}")
        return Boot(
            transcript=Transcript(self._results.read_text(errors="replace")),
            console=self._console.read_text(errors="replace").replace("\r", ""),
            seconds=seconds,
            reacted=reacted,
            killed=self._killed,
        )

    def _tails(self):
        return f"{_tail('Its last results', self._results)}\n{_tail('Its last words', self._console)}"


def deadline_after(seconds=BOOT_TIMEOUT_SECONDS):
    """The watchdog's hour for something that takes at most `seconds` on a host of usual speed."""
    return time.monotonic() + seconds * timeout_scale()


def last_words(boot):
    """The end of a boot's console, for a person who wants to know what went wrong."""
    return "\n".join(boot.console.splitlines()[-_LAST_LINES:])


def timeout_scale():
    """Slow hosts set DORMOUSE_VM_TIMEOUT_SCALE, a factor for every watchdog."""
    return float(os.environ.get("DORMOUSE_VM_TIMEOUT_SCALE", "1"))


def _command(machine, software, disk_path, console, results, monitor_fd):
    for program in (_QEMU, "setpriv"):
        if shutil.which(program) is None:
            raise RigError(f"needs the command '{program}': install qemu-system-x86 and util-linux")
    drive = f"if=none,id=disk,format=raw,cache={machine.cache},file={_quoted(disk_path)}"
    if machine.read_bytes_per_second:
        drive += f",throttling.bps-read={machine.read_bytes_per_second}"
    if machine.write_bytes_per_second:
        drive += f",throttling.bps-write={machine.write_bytes_per_second}"
    if machine.keeps_disk:
        drive += ",snapshot=on"
    command = [
        # The guest dies with us, even if we are killed by a signal that cannot be caught.
        "setpriv",
        "--pdeathsig",
        "KILL",
        _QEMU,
        "-accel",
        _ACCELERATOR,
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
        software.kernel_image,
        "-initrd",
        software.initramfs,
        "-append",
        f"{_KERNEL_PARAMETERS} {software.parameters}".strip(),
        "-drive",
        drive,
        "-device",
        f"virtio-blk-pci,drive=disk,addr={_DISK_SLOT:#x}",
        "-chardev",
        f"stdio,id=console,signal=off,logfile={_quoted(console)}",
        "-serial",
        "chardev:console",
        "-serial",
        f"file:{results}",
        "-chardev",
        f"socket,id=monitor,fd={monitor_fd}",
        "-mon",
        "chardev=monitor,mode=control",
    ]
    for number, path in enumerate(machine.more_disks):
        drive = f"if=none,id=disk{number},format=raw,cache={machine.cache},file={_quoted(path)}"
        command += ["-drive", drive, "-device", f"virtio-blk-pci,drive=disk{number}"]
    for number in range(machine.disks_before):
        command += ["-drive", f"if=none,id=before{number},driver=null-co,read-zeroes=on,size={16 << 20}"]
        command += ["-device", f"virtio-blk-pci,drive=before{number},addr={_DISK_SLOT - 1 - number:#x}"]
    if software.state:
        command += ["-incoming", f"exec:cat '{software.state}'"]
    return command


def _quoted(path):
    return str(path).replace(",", ",,")


def _tail(title, file):
    lines = file.read_text(errors="replace").replace("\r", "").splitlines()[-_LAST_LINES:]
    return f"--- {title} ({file}):\n" + "\n".join(lines)
