"""Room for exactly the image, and for one page less: exit 5, both numbers, the area as it was."""

import re

import files
import image
import snapshot
import swap_area
from tool_test import ToolTest, main

MIB = 1 << 20


class Room(ToolTest):
    """Random data does not shrink: what it takes is known beforehand, whatever the codec."""

    def store_in(self, pages, *options, expect):
        """Stores `self.snap` in an area with `pages` usable pages."""
        self.make_area(1 + pages)
        return self.s2disk("--report", "json", "--progress", "none", *options, expect=expect)

    def numbers(self, message):
        """The pages needed and the pages free, as the message has them."""
        found = re.search(r"(\d+) pages are needed.* (\d+) are free \((\d+) bytes", message)
        self.assertIsNotNone(found, message)
        return tuple(int(number) for number in found.groups())

    def test_stored_exactly_and_one_page_less(self):
        for pages in (1, 64, 65, 70 * 64, 71 * 64, 72 * 64 + 1, 8 * MIB // 4096):
            with self.subTest(pages=pages):
                snapshot.write_random(self.snap, pages * 4096)
                needed = image.pages_needed(pages)
                report = self.store_in(needed, "--compress=none", expect=0).json()
                self.assertEqual(report["image"]["stored_bytes"], needed * 4096)
                self.recover()

                self.make_area(needed)
                before = files.digest(self.area)
                run = self.s2disk("--compress=none", "--report", "json", expect=5)
                self.assertEqual(files.digest(self.area), before, "the area was touched")
                asked, free, missing_bytes = self.numbers(run.stderr)
                self.assertEqual((asked - free, missing_bytes), (1, 4096))
                self.assertIn(str(self.area), run.stderr)
                self.assertEqual(run.json()["exit_code"], 5)

    def test_packed_exactly_and_one_page_less(self):
        pages = 8 * MIB // 4096
        snapshot.write_random(self.snap, pages * 4096)
        needed = image.pages_needed(pages)
        for codec in ("lzf", "lz4", "zstd"):
            for io in ("direct", "buffered"):
                with self.subTest(codec=codec, io=io):
                    options = f"--compress={codec}", "--io", io
                    self.store_in(needed, *options, expect=0)
                    self.recover()
                    run = self.store_in(needed - 1, *options, expect=5)
                    self.assertEqual(swap_area.header_page(self.area), swap_area.header(needed - 1))
                    self.assertRegex(run.stderr, r"about \d+ pages of swap are needed, \d+ are free")
                    self.resume("--status", expect=7)

    def test_what_is_foretold_suffices(self):
        """The need that the message names for a packed image is enough to be followed."""
        self.make_snapshot(pages=1000)
        run = self.store_in(200, "--compress=lz4", expect=5)
        told = re.search(r"about (\d+) pages of swap are needed, (\d+) are free", run.stderr)
        needed, free = map(int, told.groups())
        self.assertLess(free, needed)
        # The mixture is even, so that the forecast is close; a few pages in a hundred are the margin of "about".
        self.store_in(needed * 106 // 100, "--compress=lz4", expect=0)
        self.recover()

    def test_200_mib(self):
        pages = 200 * MIB // 4096
        snapshot.write_random(self.snap, pages * 4096)
        needed = image.pages_needed(pages)
        self.store_in(needed, "--compress=lz4", "--early-writeout", "1", expect=0)
        self.recover()
        self.store_in(needed - 1, "--compress=lz4", expect=5)
        self.assertEqual(swap_area.header_page(self.area), swap_area.header(needed - 1))
        self.store_in(needed, "--compress=none", expect=0)
        self.recover()
        self.make_area(needed)
        before = files.digest(self.area)
        self.assertEqual(self.numbers(self.s2disk("--compress=none", expect=5).stderr)[2], 4096)
        self.assertEqual(files.digest(self.area), before)


if __name__ == "__main__":
    main()
