"""Runs what was built, and what the system brings along, and tells how long it took."""

import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from results.errors import BenchError

_PLACES = {"s2disk": "suspend", "resume": "resume"}
_METER = Path(__file__).resolve().parents[2] / "tests" / "tools" / "peak_memory.py"
_ENVIRONMENT = {**os.environ, "LC_ALL": "C"}
_DD_SUMMARY = re.compile(r"^(\d+) bytes .*copied, ([0-9.e+-]+) s", re.M)


@dataclass(frozen=True)
class Timing:
    """One run of a program, from its start to its end."""

    seconds: float
    processor_seconds: float
    stdout: str
    stderr: str

    def busy(self, processors):
        """The share of all processors' time that it used."""
        return self.processor_seconds / (self.seconds * processors)


def timed(words):
    """Runs the words to their end; a BenchError where they fail."""
    before, started = _children_seconds(), time.monotonic()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=_ENVIRONMENT, check=False)
    seconds = time.monotonic() - started
    if done.returncode != 0:
        command = shlex.join(str(word) for word in words)
        raise BenchError(f"exit status {done.returncode} of: {command}\n{(done.stderr or done.stdout).strip()}")
    return Timing(seconds, _children_seconds() - before, done.stdout, done.stderr)


def shell(script):
    """The same for a script of sh(1). Of a pipeline the last program's exit status counts."""
    return timed(["/bin/sh", "-c", script])


def needed(name, package):
    """The path of a program of the system."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        raise BenchError(f"{name} is not installed; Debian has it in the package {package}: apt-get install {package}")
    return path


def dd(*operands):
    """Seconds that dd says it needed."""
    return dd_summary(timed([needed("dd", "coreutils"), *operands]).stderr)[1]


def dd_summary(text):
    """Bytes and seconds, from the last line that dd prints."""
    found = _DD_SUMMARY.search(text)
    if not found:
        raise BenchError(f"dd does not say what it copied and how long it took: {text.strip()}")
    return int(found.group(1)), float(found.group(2))


class Programs:
    """The tools and benchmarks of one build directory."""

    def __init__(self, directory):
        self.directory = Path(directory)

    def path(self, name):
        """Where a program is."""
        path = self.directory / _PLACES.get(name, "bench") / name
        if not os.access(path, os.X_OK):
            raise BenchError(f"{path} is not there; build it: cmake --preset release && cmake --build --preset release "
                             f"(or name another build directory with --tools)"
                             + (", with liblzo2-dev installed" if name == "page_at_a_time" else ""))
        return path

    def json(self, name, *arguments):
        """What a program prints, which must be JSON."""
        return _parsed(name, timed([self.path(name), *arguments]).stdout)

    def report(self, name, *arguments):
        """The timing of a run of s2disk or resume, and its report."""
        timing = timed([self.path(name), *arguments, "--progress", "none", "--report", "json"])
        return timing, _parsed(name, timing.stdout)

    def peak_bytes(self, name, *arguments):
        """Peak resident memory of a run, as wait4(2) tells it. By a small program of its own: the kernel counts what
        the starting process had when it forked."""
        words = [sys.executable, "-I", "-S", _METER, self.path(name), *arguments, "--progress", "none"]
        return int(timed(words).stdout) * 1024


def _parsed(name, text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise BenchError(f"what {name} printed is no JSON ({error}): {text[:200]}") from error


def _children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
