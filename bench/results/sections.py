"""Where and when something was measured, and its place in a file of results."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_OWN_FILES = (":!bench/RESULTS.md", ":!bench/plots")  # a table that was just written makes nothing dirty
_TITLE = "# Results\n\nWritten by the scripts in bench/; bench/README.md tells how to measure and what misleads.\n"


def machine_text():
    """One line: processors, memory, kernel, date and commit, which is "dirty" where files were changed since."""
    return (f"{os.cpu_count()} x {_processor()}, {_memory_bytes() / 2**30:.1f} GiB of memory, Linux "
            f"{platform.release()}, {datetime.date.today().isoformat()}, commit {_commit()}.")


def replace_section(path, name, body):
    """Puts `body` between the markers of `name` in the file `path`, in place of what is there; at its end where there
    are none, and into a new file where there is no file. The file is replaced as a whole."""
    path = Path(path)
    text = path.read_text(encoding="utf-8") if path.exists() else _TITLE
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    section = f"{begin}\n{body.strip()}\n{end}"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.S)
    if pattern.search(text):
        text = pattern.sub(lambda _: section, text, count=1)
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _commit():
    def git(*words):
        return subprocess.run(["git", "-C", _ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        dirty = git("status", "--porcelain", "--untracked-files=no", "--", ".", *_OWN_FILES)
        return git("rev-parse", "--short=12", "HEAD") + (" dirty" if dirty else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
