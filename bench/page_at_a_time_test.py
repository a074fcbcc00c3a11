"""The yardstick does what it is measured for: what it stores comes back, and damage is noticed."""

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

_PAGE = 4096
_PROGRAM = os.environ["DORMOUSE_PAGE_AT_A_TIME"]


class PageAtATime(unittest.TestCase):
    """A snapshot of zero, text and random pages, no multiple of a block."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        directory = Path(holder.name)
        self.snapshot, self.area, self.sink = (directory / name for name in ("snapshot", "area", "sink"))
        rng = random.Random(1)
        self.pages = b"".join(rng.choice((bytes(_PAGE), b"some text " * 409 + b"123456", rng.randbytes(_PAGE)))
                              for _ in range(101))
        self.snapshot.write_bytes(self.pages)
        self.area.write_bytes(b"h" * _PAGE + bytes(120 * _PAGE))
        self.sink.touch()

    def run_program(self, *words):
        """The finished process."""
        return subprocess.run([_PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)

    def test_what_was_stored_comes_back(self):
        for percent in (0, 1, 20):
            with self.subTest(percent=percent):
                wrote = self.run_program("write", percent, self.snapshot, self.area)
                self.assertEqual((wrote.returncode, wrote.stderr), (0, ""))
                stored = int(wrote.stdout)
                self.assertEqual(stored % _PAGE, 0)
                self.assertLess(stored, len(self.pages))
                self.assertEqual(self.run_program("read", self.area, self.sink).returncode, 0)
                self.assertEqual(self.sink.read_bytes(), self.pages)
                self.assertEqual(self.area.read_bytes()[:_PAGE], b"h" * _PAGE, "the header page has been touched")

    def test_damage_is_noticed(self):
        self.assertEqual(self.run_program("write", 0, self.snapshot, self.area).returncode, 0)
        whole = self.area.read_bytes()
        for at in (_PAGE, _PAGE + 16, _PAGE + 20):  # magic, pages and length of the first block
            with self.subTest(at=at):
                self.area.write_bytes(whole[:at] + b"\xff\xff\xff\xff" + whole[at + 4:])
                read = self.run_program("read", self.area, self.sink)
                self.assertEqual(read.returncode, 3)
                self.assertIn("read image on", read.stderr)

    def test_a_torn_snapshot_is_refused(self):
        self.snapshot.write_bytes(self.pages[:-1])
        wrote = self.run_program("write", 0, self.snapshot, self.area)
        self.assertEqual(wrote.returncode, 2)
        self.assertIn("whole pages", wrote.stderr)


if __name__ == "__main__":
    unittest.main()
