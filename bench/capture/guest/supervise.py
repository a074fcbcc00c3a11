"""Runs in the guest: starts the work, waits until all of it is warm or the time is up, captures the snapshot.

What the host is to know goes to the second serial port as "@@ key=value", what a person is to see to the console.
The plan comes from the host: /capture/plan.json.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

_HERE = Path("/capture")
_RESULTS = Path("/dev/ttyS1")
_LOGS = Path("/var/log/capture")
_SETTLE_SECONDS = 5
_LAST_LINES = 15

_PYTHON = ("/usr/bin/python3", "-B")
_COMMANDS = {
    "python": (*_PYTHON, str(_HERE / "work_python.py")),
    "node": ("/usr/bin/node", str(_HERE / "work_node.js")),
    "redis": (*_PYTHON, str(_HERE / "work_redis.py")),
    "browser": (*_PYTHON, str(_HERE / "work_browser.py")),
    "files": (*_PYTHON, str(_HERE / "work_files.py")),
}


def say(key, value):
    """Tells the host one thing."""
    with _RESULTS.open("w") as port:
        port.write(f"@@ {key}={value}\n")


def tell(text):
    """Tells a person; on a line of its own, as the login prompt leaves one open."""
    print(f"\n== {text}", flush=True)


class Work:
    """One program at work. It prints "warm ..." once it has what it wants in memory, and stays."""

    def __init__(self, name, seed, reports):
        self.name = name
        self.log = _LOGS / name
        self._reports = reports
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [*_COMMANDS[name], str(seed)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        threading.Thread(target=self._listen, daemon=True).start()

    def is_gone(self):
        """Whether it ended, and not in good order."""
        return self._process.poll() not in (None, 0)

    def _listen(self):
        for line in self._process.stdout:
            if line.startswith("warm"):
                self._reports.put((self.name, line.strip()))
        status = self._process.wait()
        if status != 0:
            self._reports.put((self.name, f"ended with status {status}"))


def tell_log(work):
    """The end of a work's log, for a person."""
    for line in work.log.read_text(errors="replace").splitlines()[-_LAST_LINES:]:
        tell(f"{work.name} says: {line}")


def wait_until_warm(works, said, reports, deadline):
    """Puts into `said` what each of the works says; what has not said that it is warm by then is missing."""
    began = time.monotonic()
    while len(said) < len(works):
        try:
            name, text = reports.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return
        said[name] = f"{text}, after {time.monotonic() - began:.0f} s"
        tell(f"{name}: {said[name]}")
        if not text.startswith("warm"):
            tell_log(works[name])


def verdict(work, said, seconds):
    """What the host is to know of one work just before the capture; tells what is new."""
    if said and not (said.startswith("warm") and work.is_gone()):
        return said
    found = "ended after it had been warm" if said else f"not warm after {seconds} s"
    tell(f"{work.name}: {found}")
    tell_log(work)
    return found


def memory():
    """What the kernel says its memory is used for, in MiB."""
    wanted = ("MemFree", "AnonPages", "Cached", "Buffers", "Shmem", "Slab", "PageTables", "KernelStack")
    found = []
    for line in Path("/proc/meminfo").read_text().splitlines():
        key, value = line.split(":")
        if key in wanted:
            found.append(f"{key} {int(value.split()[0]) // 1024}")
    return ", ".join(found)


def capture(plan):
    """Runs the program that captures the stream. Returns the pages."""
    command = [*plan["program"], str(plan["preferred_image_bytes"]), plan["device"]]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return int(result.stdout.strip().removeprefix("pages="))


def follow(plan):
    """Does what the plan says."""
    _LOGS.mkdir(parents=True, exist_ok=True)
    tell("the system is up")
    reports = queue.Queue()
    deadline = time.monotonic() + plan["warm_seconds"]
    works, said = {}, {}
    for stage in plan["stages"]:
        works.update((name, Work(name, plan["seed"], reports)) for name in stage)
        wait_until_warm(works, said, reports, deadline)
    time.sleep(_SETTLE_SECONDS)
    for name, work in works.items():
        say(f"work.{name}", verdict(work, said.get(name), plan["warm_seconds"]))
    os.sync()
    say("memory_mib", memory())
    tell(f"memory in MiB: {memory()}")
    say("pages", capture(plan))


def main():
    """Follows the plan and ends the guest; the host is to hear of whatever goes wrong."""
    try:
        follow(json.loads((_HERE / "plan.json").read_text()))
        say("finished", "yes")
        tell("captured")
    except Exception as error:
        say("error", f"{type(error).__name__}: {error}".replace("\n", " | "))
        raise
    finally:
        subprocess.run(["/usr/bin/systemctl", "poweroff", "--force", "--force"], check=False)


if __name__ == "__main__":
    sys.exit(main())
