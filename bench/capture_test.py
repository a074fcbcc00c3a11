"""Tests of capture-snapshot that need no guest: what it makes of a stream, of the work, and of its root disk."""

import contextlib
import io
import json
import queue
import re
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

_HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(_HERE.parent / "tests" / "vm"), str(_HERE / "capture" / "guest")]

import browser_content  # noqa: E402 (these directories have to be known first)
import supervise  # noqa: E402
from capture import guest_archive, machine, root_disk, summary  # noqa: E402
from rig.errors import RigError  # noqa: E402

_PAGE = 4096


def _stream(data, all_pages=None):
    """A stream with one page of metadata, as the kernel lays it out."""
    pages = all_pages or 2 + len(data)
    header = bytearray(_PAGE)
    struct.pack_into("<3Q", header, 416, len(data), pages, pages * _PAGE)
    return bytes(header) + b"\x01" * 8 + b"\xff" * (_PAGE - 8) + b"".join(data)


class SummaryTest(unittest.TestCase):
    """The stream's length and its pages are read from the stream itself."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self._path = Path(directory.name) / "stream"

    def test_the_disk_is_cut_off_where_the_stream_ends(self):
        stream = _stream([b"a" * _PAGE, b"b" * _PAGE])
        self._path.write_bytes(stream + bytes(10 * _PAGE))
        self.assertEqual(summary.cut(self._path).pages, 4)
        self.assertEqual(self._path.read_bytes(), stream)

    def test_a_stream_that_is_not_all_there_is_refused(self):
        self._path.write_bytes(_stream([b"a" * _PAGE, b"b" * _PAGE])[:-1])
        with self.assertRaisesRegex(RigError, "16384 bytes, there are 16383"):
            summary.cut(self._path)

    def test_a_disk_without_a_stream_is_refused(self):
        for content in (b"", bytes(_PAGE), bytes(8 * _PAGE), _stream([b"a" * _PAGE], all_pages=2)):
            with self.subTest(size=len(content)):
                self._path.write_bytes(content)
                with self.assertRaisesRegex(RigError, "snapshot stream begins"):
                    summary.cut(self._path)
                self.assertEqual(self._path.read_bytes(), content)

    def test_pages_are_counted_by_kind(self):
        almost_zero = bytes(_PAGE - 1) + b"\1"
        word = b"\0\1\2\3\4\5\6\7" * (_PAGE // 8)
        period_of_16 = (bytes(8) + b"\1" * 8) * (_PAGE // 16)
        data = [bytes(_PAGE), almost_zero, word, b"\x5a" * _PAGE, period_of_16, bytes(_PAGE), bytes(_PAGE)]
        self._path.write_bytes(_stream(data))
        found = summary.summarize(self._path)
        self.assertEqual((found.pages, found.metadata_pages), (9, 1))
        self.assertEqual((found.zero_pages, found.filled_pages), (3, 2))
        text = summary.text(found, {"lz4 -1": 0.25})
        for part in ("9 (1 of", "36864", "3 (33.3%)", "2 pages (22.2%)", "0.250 of its size with 'lz4 -1'"):
            self.assertIn(part, text)

    def test_more_pages_than_one_piece_are_counted(self):
        self._path.write_bytes(_stream([bytes(_PAGE), b"x" * _PAGE] * 400))
        found = summary.summarize(self._path)
        self.assertEqual((found.zero_pages, found.filled_pages), (400, 400))

    def test_packing_is_measured_with_what_is_installed(self):
        self._path.write_bytes(_stream([bytes(_PAGE)] * 98))
        half = "import sys; d = open(sys.argv[-1], 'rb').read(); sys.stdout.buffer.write(d[: len(d) // 2])"
        with mock.patch.object(summary, "packers", return_value={"half": [sys.executable, "-c", half]}):
            self.assertEqual(summary.packed_shares(self._path), {"half": 0.5})
        fails = {"fails": [sys.executable, "-c", "import sys; sys.exit(3)"]}
        with mock.patch.object(summary, "packers", return_value=fails):
            with self.assertRaisesRegex(RigError, "'fails' fails"):
                summary.packed_shares(self._path)


class _Work:
    def __init__(self, name, log, gone=False):
        self.name = name
        self.log = log
        self._gone = gone

    def is_gone(self):
        return self._gone


class SuperviseTest(unittest.TestCase):
    """What is warm is known; what is not is named with the reason."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self._log = Path(directory.name) / "log"
        self._log.write_text("a word of explanation\n")
        self._output = io.StringIO()
        redirection = contextlib.redirect_stdout(self._output)
        redirection.__enter__()
        self.addCleanup(redirection.__exit__, None, None, None)

    def _wait(self, names, said, deadline):
        reports = queue.Queue()
        for report in said:
            reports.put(report)
        heard = {}
        works = {name: _Work(name, self._log) for name in names}
        supervise.wait_until_warm(works, heard, reports, deadline)
        return heard

    def test_all_warm_ends_the_wait(self):
        said = self._wait(["a", "b"], [("a", "warm: 1"), ("b", "warm: 2")], time.monotonic() + 3600)
        self.assertEqual({name: text[:7] for name, text in said.items()}, {"a": "warm: 1", "b": "warm: 2"})

    def test_one_that_ended_is_told_with_its_last_words(self):
        said = self._wait(["a"], [("a", "ended with status 1")], time.monotonic() + 3600)
        self.assertTrue(said["a"].startswith("ended with status 1"))
        self.assertIn("a says: a word of explanation", self._output.getvalue())

    def test_the_wait_is_bounded(self):
        self.assertEqual(list(self._wait(["a", "b"], [("b", "warm")], time.monotonic())), ["b"])

    def test_the_verdict(self):
        for said, gone, expected in (
            ("warm: 1", False, "warm: 1"),
            ("warm: 1", True, "ended after it had been warm"),
            ("ended with status 1", True, "ended with status 1"),
            (None, False, "not warm after 9 s"),
        ):
            with self.subTest(said=said, gone=gone):
                self.assertEqual(supervise.verdict(_Work("a", self._log, gone), said, 9), expected)

    def test_cold_work_is_found_in_what_the_guest_said(self):
        works = {"a": "warm: 1", "b": "not warm after 9 s", "c": ""}
        self.assertEqual(machine.Captured(works, "", 3, 1.0).cold, ["b", "c"])


class RootDiskTest(unittest.TestCase):
    """The disk is made once for each choice of packages, and a failure leaves none."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self._workdir = Path(directory.name)
        self._made = []

    def _obtain(self, browser):
        def make_tree(system, tree, *_):
            tree.mkdir()
            self._made.append("chromium" in system.packages)

        with (
            mock.patch.object(root_disk, "_make_tree", make_tree),
            mock.patch.object(root_disk, "_make_disk", lambda tree, disk: disk.write_bytes(b"disk")),
        ):
            return root_disk.obtain(
                root_disk.System.with_browser(browser), self._workdir, "mirror", lambda text: None
            )

    def test_it_is_kept_for_the_next_run(self):
        disk = self._obtain(browser=False)
        self.assertEqual(self._obtain(browser=False), disk)
        self.assertEqual(self._made, [False])
        self.assertFalse((self._workdir / "tree").exists())

    def test_other_packages_make_another(self):
        self._obtain(browser=False)
        self._obtain(browser=True)
        self._obtain(browser=False)
        self.assertEqual(self._made, [False, True, False])

    def test_half_a_disk_is_not_taken(self):
        disk = self._obtain(browser=True)
        (self._workdir / "root.json").unlink()
        self._obtain(browser=True)
        self.assertEqual(self._made, [True, True])
        disk.unlink()
        self._obtain(browser=True)
        self.assertEqual(len(self._made), 3)

    def test_a_failing_debootstrap_is_explained(self):
        with (
            mock.patch.object(root_disk.commands, "find", return_value="/bin/false"),
            mock.patch.object(root_disk.os, "geteuid", return_value=0),
            self.assertRaisesRegex(
                RigError, r"(?s)debootstrap failed \(1\).*http://mirror.invalid.*--mirror"
            ),
        ):
            root_disk.obtain(
                root_disk.System.with_browser(False),
                self._workdir,
                "http://mirror.invalid",
                lambda text: None,
            )
        self.assertFalse((self._workdir / "root.json").exists())

    def test_who_is_not_root_is_told(self):
        with (
            mock.patch.object(root_disk.commands, "find", return_value="/bin/false"),
            mock.patch.object(root_disk.os, "geteuid", return_value=1000),
            self.assertRaisesRegex(RigError, "as root"),
        ):
            root_disk.obtain(root_disk.System.with_browser(False), self._workdir, "mirror", lambda text: None)

    def test_a_second_run_is_kept_out(self):
        with root_disk.locked(self._workdir):
            with self.assertRaisesRegex(RigError, "another run"), root_disk.locked(self._workdir):
                self.fail("both are in")
        with root_disk.locked(self._workdir) as workdir:
            self.assertTrue(workdir.is_absolute())


class GuestArchiveTest(unittest.TestCase):
    """The program is started with the libraries that came with it."""

    def test_with_libraries_and_without(self):
        libraries = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]
        self.assertEqual(
            guest_archive.command(libraries),
            [
                "/capture/lib/ld-linux-x86-64.so.2",
                "--library-path",
                "/capture/lib",
                "/capture/capture_stream",
            ],
        )
        self.assertEqual(guest_archive.command([]), ["/capture/capture_stream"])

    def test_all_that_the_supervisor_starts_is_there(self):
        for command in supervise._COMMANDS.values():
            script = Path(command[-1])
            self.assertEqual(script.parent, Path("/capture"))
            self.assertTrue((guest_archive.GUEST / script.name).is_file(), script)


class ContentTest(unittest.TestCase):
    """What the work holds is drawn from the seed alone."""

    def test_the_same_seed_gives_the_same_pages(self):
        inner = browser_content.Content(1, icon_count=2)
        outer = browser_content.Content(1, icon_count=2, frame="http://127.0.0.2/?a&b")
        other = browser_content.Content(2, icon_count=2)
        self.assertEqual(inner.orders(), outer.orders())
        self.assertNotEqual(inner.orders(), other.orders())
        self.assertEqual(inner.page(), browser_content.Content(1, icon_count=2).page())
        self.assertIn('<iframe src="http://127.0.0.2/?a&amp;b">', outer.page())
        self.assertNotIn("<iframe", inner.page())

    def test_a_page_shows_the_first_of_its_orders(self):
        content = browser_content.Content(3, icon_count=0)
        orders = json.loads(content.orders())
        rows = re.findall(r"<tr[^>]*><td>(\d+)</td><td>([^<]*)</td>", content.page())
        self.assertGreater(len(orders), len(rows))
        self.assertGreater(len(rows), 1000)
        self.assertEqual(rows, [(str(order["number"]), order["customer"]) for order in orders[: len(rows)]])


class WantedTest(unittest.TestCase):
    """The sizes asked for leave room for the copy."""

    def test_the_image_fits_beside_its_copy(self):
        wanted = machine.Wanted(memory_mib=2048, stages=(), seed=1, warm_seconds=1)
        self.assertLess(wanted.preferred_image_bytes, wanted.largest_stream_bytes)
        self.assertEqual(wanted.largest_stream_bytes, 1 << 30)
        self.assertGreater(wanted.preferred_image_bytes, 900 << 20)


if __name__ == "__main__":
    unittest.main()
