"""What every test of the built programs starts from: a directory of its own, areas, snapshots, runs of the tools.

The programs come in the environment: DORMOUSE_S2DISK, DORMOUSE_RESUME, DORMOUSE_KEYGEN, DORMOUSE_SWAP_OFFSET;
DORMOUSE_TEST_DIR says where the files go (a file system with direct I/O, so not every /tmp will do).
"""

import json
import os
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import files
import snapshot
import swap_area

_TIMEOUT_SECONDS = 300


@dataclass
class Run:
    """One finished run of a tool."""

    returncode: int
    stdout: str
    stderr: str

    def json(self):
        """Standard output, which must be one JSON object and nothing else."""
        return json.loads(self.stdout)


def program(tool):
    """The path of a tool as built."""
    return os.environ[f"DORMOUSE_{tool.upper()}"]


class ToolTest(unittest.TestCase):
    """Runs the tools in file mode. s2disk never runs without --from here: as root it would hibernate the machine."""

    maxDiff = None

    def setUp(self):
        where = os.environ.get("DORMOUSE_TEST_DIR")
        directory = tempfile.TemporaryDirectory(prefix="tools-", dir=where)
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.snap = self.directory / "snap"
        self.out = self.directory / "out"
        self.area = self.directory / "area"
        # Whatever /etc/suspend.conf of this machine says is none of the tests' business.
        self.empty_config = self.directory / "empty.conf"
        self.empty_config.touch()

    def make_snapshot(self, pages, page_bytes=4096, seed=1):
        """A snapshot stream of zero, compressible and random pages at `self.snap`."""
        snapshot.write_mixed(self.snap, pages, page_bytes, seed)

    def make_area(self, pages, page_bytes=4096, bad_pages=(), **header):
        """A plain swap area at `self.area` whose last page is `pages - 1`; returns its header page."""
        return swap_area.create(self.area, pages, page_bytes, bad_pages, **header)

    def config(self, text):
        """A configuration file."""
        path = self.directory / "suspend.conf"
        path.write_text(text)
        return path

    def s2disk_command(self, *options, area=None, snap=None, config=None):
        """The words of `s2disk --from`; `area=False` leaves out the resume device."""
        words = [program("s2disk"), "--from", snap or self.snap, "-f", config or self.empty_config]
        if area is not False:
            words += ["--resume-device", area or self.area]
        return [str(word) for word in (*words, *options)]

    def resume_command(self, *options, area=None, config=None):
        """The words of `resume`; `area=False` leaves out the resume device."""
        words = [program("resume"), "-f", config or self.empty_config]
        if area is not False:
            words += ["--resume-device", area or self.area]
        return [str(word) for word in (*words, *options)]

    def run_words(self, words, expect=0, typed=None):
        """Runs any command; no run of a tool may end otherwise than `expect` or call a failure a success. The bytes
        `typed` come through a pipe; without them standard input is /dev/null."""
        source = {"stdin": subprocess.DEVNULL} if typed is None else {"input": typed}
        done = subprocess.run(words, **source, capture_output=True, cwd=self.directory, timeout=_TIMEOUT_SECONDS,
                              check=False)
        run = Run(done.returncode, done.stdout.decode(), done.stderr.decode())
        said = f"{' '.join(words)}\nstdout: {run.stdout}\nstderr: {run.stderr}"
        self.assertEqual(run.returncode, expect, said)
        self.assertNotIn("Success", run.stdout + run.stderr, said)
        self.assertNotIn("runtime error", run.stderr, said)
        self.assertNotIn("Sanitizer", run.stderr, said)
        return run

    def s2disk(self, *options, expect=0, typed=None, **where):
        """Runs `s2disk --from SNAP --resume-device AREA options`."""
        return self.run_words(self.s2disk_command(*options, **where), expect, typed)

    def resume(self, *options, expect=0, typed=None, **where):
        """Runs `resume --resume-device AREA options`. Never without an action while the area holds an image of ours."""
        return self.run_words(self.resume_command(*options, **where), expect, typed)

    def recover(self, *options, **where):
        """Writes the image out again and demands the snapshot, bit for bit."""
        run = self.resume("--to", self.out, "--progress", "none", *options, **where)
        self.assertTrue(files.same(self.snap, self.out), "the recovered stream differs from the snapshot")
        self.out.unlink()
        return run

    def round_trip(self, *options, area_pages=None, **where):
        """Stores and recovers `self.snap`, then discards: the area's header page must be what it was."""
        header = swap_area.header_page(self.area)
        report = self.s2disk("--report", "json", "--progress", "none", *options, **where).json()
        self.recover(**where)
        self.resume("--discard", **where)
        self.assertEqual(swap_area.header_page(self.area), header, "--discard did not give the header page back")
        return report


def main():
    """Runs the tests of the calling module."""
    unittest.main(verbosity=1)
