"""Swap areas as they come: page sizes, what mkswap makes, and what is refused with words."""

import subprocess

import files
import needs
import swap_area
from tool_test import ToolTest, main


class PageSizes(ToolTest):
    """Areas made for kernels with larger pages."""

    def test_round_trip(self):
        for page_bytes in (4096, 16384, 65536):
            self.make_snapshot(pages=50, page_bytes=page_bytes)
            self.make_area(pages=80, page_bytes=page_bytes, bad_pages=[3, 4, 79])
            for codec in ("none", "lzf", "lz4", "zstd"):
                with self.subTest(page_bytes=page_bytes, codec=codec):
                    report = self.round_trip(f"--compress={codec}")
                    self.assertEqual(report["image"]["pages"], 50)
                    self.assertEqual(report["image"]["bytes"], 50 * page_bytes)

    def test_the_snapshot_has_to_consist_of_whole_pages(self):
        self.make_snapshot(pages=5)
        self.make_area(pages=80, page_bytes=16384)
        before = files.digest(self.area)
        run = self.s2disk(expect=2)
        self.assertIn("whole pages of 16384 bytes", run.stderr)
        self.assertEqual(files.digest(self.area), before)


class Mkswap(ToolTest):
    """The real mkswap's areas, and that ours in these tests are laid out the same."""

    def mkswap(self, *options):
        """Makes a swap area of 8 MiB."""
        with open(self.area, "wb") as file:
            file.truncate(8 << 20)
        self.area.chmod(0o600)
        subprocess.run([needs.command("mkswap"), "-q", *options, self.area], check=True, capture_output=True)

    def test_round_trip(self):
        self.make_snapshot(pages=320)  # whole pages of every size
        for page_bytes in (4096, 16384, 65536):
            with self.subTest(page_bytes=page_bytes):
                self.mkswap("-p", str(page_bytes), "-L", "swap", "-U", "6cb0d2a5-4b0a-4cfb-8bd8-6a0ad9e8fb21")
                self.round_trip("--compress=lz4", "--early-writeout", "1")

    def test_layout(self):
        self.mkswap("-L", "dormouse-test", "-U", "10111213-1415-1617-1819-1a1b1c1d1e1f")
        made = files.read_at(self.area, 0, 4096)
        ours = swap_area.header(last_page=(8 << 20) // 4096 - 1)
        self.assertEqual(made[1024:1536], ours[1024:1536])
        self.assertEqual(made[-10:], ours[-10:])


class Refused(ToolTest):
    """Exit 6 with words, the file unchanged; resume says the same of all but --discard's and --status's business."""

    def check(self, *words):
        """What `self.area` holds now is refused by every tool, and `words` are in the message."""
        self.make_snapshot(pages=1)
        before = files.digest(self.area)
        runs = [self.s2disk("--compress=none", expect=6)]
        runs += [self.resume(action, expect=6) for action in ("--status", "--verify", "--discard")]
        runs.append(self.resume("--to", self.out, expect=6))
        for run in runs:
            for word in (*words, str(self.area)):
                self.assertIn(word, run.stderr)
        self.assertEqual(files.digest(self.area), before)
        self.assertFalse(self.out.exists())

    def test_no_swap_area(self):
        self.area.write_bytes(bytes(1 << 20))
        self.check("not a swap area", "mkswap")

    def test_nothing_at_all(self):
        self.area.write_bytes(b"")
        self.check("0 bytes")

    def test_less_than_a_page(self):
        self.area.write_bytes(bytes(1000))
        self.check("1000 bytes")

    def test_other_byte_order(self):
        self.make_area(pages=100, byte_order=">")
        self.check("other byte order")

    def test_other_version(self):
        self.make_area(pages=100, version=2)
        self.check("version is 2")

    def test_last_page_beyond_the_file(self):
        self.make_area(pages=100, last_page=100)
        self.check("last page is 100", "100")

    def test_no_page_at_all(self):
        self.make_area(pages=100, last_page=0)
        self.check("last page 0")


class SwapFileOnItsDevice(ToolTest):
    """What lies behind the header of a swap file on its device may be the file system's."""

    def test_nothing_is_written_behind_the_header(self):
        self.make_snapshot(pages=20)
        self.make_area(pages=300, offset_pages=7)
        device = needs.loop_device(self, self.area)
        before = files.digest(self.area)
        run = self.s2disk("--resume-offset", "7", area=device, expect=6)
        self.assertIn(f"check swap area on {device}", run.stderr)
        self.assertIn("only the kernel knows where the file's other pages are: swapon it", run.stderr)
        self.assertEqual(files.digest(self.area), before)


class Small(ToolTest):
    """Areas that end early: what lies behind the last page is not theirs."""

    def test_too_small_for_anything(self):
        self.make_snapshot(pages=1)
        for pages in (2, 3):
            with self.subTest(pages=pages):
                self.make_area(pages)
                header = swap_area.header_page(self.area)
                self.s2disk("--compress=lz4", expect=5)
                self.assertEqual(swap_area.header_page(self.area), header)

    def test_the_smallest_one(self):
        """A page, its map and its header, beside the swap header."""
        self.make_snapshot(pages=1)
        self.make_area(pages=4)
        self.round_trip("--compress=none")

    def test_what_lies_behind_the_last_page_stays(self):
        self.make_snapshot(pages=90)
        self.make_area(pages=200, last_page=95)
        behind = b"\x5a" * (104 * 4096)
        files.write_at(self.area, 96 * 4096, behind)
        self.round_trip("--compress=none")
        self.assertEqual(files.read_at(self.area, 96 * 4096, len(behind)), behind)
        self.make_snapshot(pages=100)
        self.s2disk("--compress=none", expect=5)
        self.s2disk("--compress=lz4", "--io", "buffered")
        self.assertEqual(files.read_at(self.area, 96 * 4096, len(behind)), behind)

    def test_a_file_may_end_within_a_page(self):
        self.make_snapshot(pages=90)
        self.make_area(pages=200)
        with open(self.area, "r+b") as file:
            file.truncate(200 * 4096 + 512)
        self.round_trip("--compress=none")
        self.assertEqual(self.area.stat().st_size, 200 * 4096 + 512)


if __name__ == "__main__":
    main()
