"""Looks into the memory of a tool: while it runs, and when it ends, before the kernel takes the memory away."""

import ctypes
import os
import re
import signal
import subprocess
from dataclasses import dataclass

import needs

_TRACEME, _CONT, _SETOPTIONS = 0, 7, 0x4200
_TRACE_EXIT, _EXIT_KILL = 1 << 6, 1 << 20
_EVENT_EXIT = 6
_TGKILL = {"x86_64": 234, "aarch64": 131}
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p
_LIBC.ptrace.restype = ctypes.c_long


def _ptrace(request, pid=0, data=0):
    if _LIBC.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace request {request:#x}")


@dataclass(frozen=True)
class Region:
    """A mapping and what it held."""

    start: int
    name: str
    flags: frozenset  # as VmFlags of /proc/PID/smaps: "lo" is locked, "dd" left out of core dumps
    data: bytes


@dataclass(frozen=True)
class Hit:
    """A place where something was found."""

    what: str
    address: int
    region: Region

    def __str__(self):
        flags = " ".join(sorted(self.region.flags))
        return f"{self.what} at {self.address:#x} in {self.region.name or 'anonymous memory'} ({flags})"


def search(regions, patterns):
    """Every place of every pattern; `patterns` is {what: bytes}."""
    hits = []
    for region in regions:
        for what, pattern in patterns.items():
            at = region.data.find(pattern)
            while at >= 0:
                hits.append(Hit(what, region.start + at, region))
                at = region.data.find(pattern, at + 1)
    return hits


class TracedTool:
    """One run of a tool. What is typed is in its pipe from the start. Ends with its context."""

    def __init__(self, words, typed=b"", cwd=None):
        ours, theirs = os.pipe()
        os.write(theirs, typed)
        os.close(theirs)
        try:
            self._tool = subprocess.Popen(words, stdin=ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                                          preexec_fn=lambda: _ptrace(_TRACEME))
        except subprocess.SubprocessError as error:
            needs.missing(f"no process may be traced here: {error}")
        finally:
            os.close(ours)
        self.stdout = self.stderr = ""
        self._await_stop()  # at its first instruction
        # Now, as long as it may be looked at: what is open stays of use.
        self._mem = os.open(f"/proc/{self._tool.pid}/mem", os.O_RDONLY)
        self._smaps = os.open(f"/proc/{self._tool.pid}/smaps", os.O_RDONLY)
        _ptrace(_SETOPTIONS, self._tool.pid, _TRACE_EXIT | _EXIT_KILL)
        _ptrace(_CONT, self._tool.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for fd in (self._mem, self._smaps):
            os.close(fd)
        if self._tool.returncode is None:
            self._tool.kill()
            self._await_death()
        self._tool.stdout.close()
        self._tool.stderr.close()

    def _await_death(self):
        """It may still stop on its way."""
        self._tool.returncode = -signal.SIGKILL
        try:
            while os.WIFSTOPPED(os.waitpid(self._tool.pid, 0)[1]):
                _ptrace(_CONT, self._tool.pid)
        except (ChildProcessError, ProcessLookupError):
            pass  # it has ended already

    def memory_at(self, pattern):
        """What its memory holds once it has said `pattern` on standard error; it goes on after that."""
        line = self._tool.stderr.readline().decode()
        if not re.search(pattern, line):
            raise AssertionError(f"it said {line!r} and not {pattern!r}")
        pid = self._tool.pid
        _LIBC.syscall(_TGKILL[os.uname().machine], pid, pid, int(signal.SIGSTOP))
        if self._await_stop() == _EVENT_EXIT:
            raise AssertionError("it was over before it could be stopped")
        regions = self._regions()
        _ptrace(_CONT, pid)
        return regions

    def send(self, number):
        """Sends it a signal."""
        self._tool.send_signal(number)

    def memory_at_end(self, code):
        """What its memory holds after its last own instruction. It has to end with exit code `code`."""
        while self._await_stop() != _EVENT_EXIT:
            _ptrace(_CONT, self._tool.pid)
        regions = self._regions()
        _ptrace(_CONT, self._tool.pid)
        stdout, stderr = self._tool.communicate()
        self.stdout, self.stderr = stdout.decode(), stderr.decode()
        if self._tool.returncode != code:
            raise AssertionError(f"exit code {self._tool.returncode}, not {code}: {self.stderr}")
        return regions

    def _await_stop(self):
        """Waits until it stops, for what is no signal for it; returns the event's number."""
        while True:
            _, status = os.waitpid(self._tool.pid, 0)
            if not os.WIFSTOPPED(status):
                raise AssertionError(f"it ended unseen: {os.waitstatus_to_exitcode(status)}")
            number, event = os.WSTOPSIG(status), status >> 16
            if event or number in (signal.SIGTRAP, signal.SIGSTOP):
                return event
            _ptrace(_CONT, self._tool.pid, number)

    def _regions(self):
        os.lseek(self._smaps, 0, os.SEEK_SET)
        text = b""
        while piece := os.read(self._smaps, 1 << 20):
            text += piece
        regions, start = [], None
        for line in text.decode().splitlines():
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)", line)
            if head:
                start, end, readable, name = int(head[1], 16), int(head[2], 16), head[3][0] == "r", head[4]
            elif line.startswith("VmFlags:") and readable and name not in ("[vvar]", "[vsyscall]"):
                regions.append(Region(start, name, frozenset(line.split()[1:]), self._read(start, end)))
        return regions

    def _read(self, start, end):
        data = bytearray()
        while start + len(data) < end:
            try:
                piece = os.pread(self._mem, min(end - start - len(data), 1 << 24), start + len(data))
            except OSError:  # the end of a file that is mapped
                break
            if not piece:
                break
            data += piece
        return bytes(data)
