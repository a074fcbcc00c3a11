"""Areas with bad pages: never written, never counted as room."""

import files
import image
import snapshot
from tool_test import ToolTest, main

PAGES = 300
CANARY = b"\x5a" * 4096


class BadPages(ToolTest):
    """Every bad page holds a canary that must survive."""

    def check(self, bad_pages, pages=PAGES, codecs=("none", "lz4")):
        """A round trip beside `bad_pages`."""
        self.make_snapshot(pages)
        self.make_area(pages + 40 + len(set(bad_pages)), bad_pages=bad_pages)
        for bad in bad_pages:
            files.write_at(self.area, bad * 4096, CANARY)
        for codec in codecs:
            with self.subTest(codec=codec, bad_pages=bad_pages[:10]):
                self.s2disk(f"--compress={codec}")
                used = image.read(self.area).used_pages()
                self.assertEqual(len(used), len(set(used)), "a page was used twice")
                self.assertFalse(set(used) & set(bad_pages), "a bad page was used")
                self.assertNotIn(0, used)
                self.assertLess(max(used), pages + 40 + len(set(bad_pages)))
                self.recover()
                self.resume("--discard")
        for bad in bad_pages:
            self.assertEqual(files.read_at(self.area, bad * 4096, 4096), CANARY, f"bad page {bad} was written")

    def test_some(self):
        self.check([7, 100, 101, 250])

    def test_the_first_page(self):
        self.check([1])
        self.check([1, 2, 3])

    def test_the_last_page(self):
        self.check([PAGES + 40])
        self.check([PAGES + 40, PAGES + 41])

    def test_in_any_order_and_twice(self):
        self.check([250, 7, 101, 100, 7])

    def test_every_other_page(self):
        """Chunks of many extents; the records of one chunk go on in the next map page."""
        self.check(list(range(1, 1200, 2)), pages=560, codecs=("none", "lz4", "zstd"))

    def test_a_list_as_long_as_a_mark_allows(self):
        self.check(list(range(20, 20 + 633)))

    def test_they_do_not_count_as_room(self):
        """Exactly enough beside the bad pages, then one page less."""
        snapshot.write_random(self.snap, PAGES * 4096)
        needed = image.pages_needed(PAGES)
        bad = [5, 6, 90, needed + 4]  # the last one is the area's last page
        self.make_area(1 + needed + len(bad), bad_pages=bad)
        self.round_trip("--compress=none")
        self.make_area(1 + needed + len(bad), bad_pages=[*bad, 91])
        before = files.digest(self.area)
        self.s2disk("--compress=none", expect=5)
        self.assertEqual(files.digest(self.area), before)

    def test_a_list_that_makes_no_sense_is_refused(self):
        self.make_snapshot(pages=1)
        for bad_pages in ([0], [500]):
            with self.subTest(bad_pages=bad_pages):
                self.make_area(pages=100, bad_pages=bad_pages)
                self.assertIn("bad-page list", self.s2disk(expect=6).stderr)
        header = self.make_area(pages=100)
        files.write_at(self.area, 1032, (634).to_bytes(4, "little"))  # so many reach into the mark
        self.assertIn("634 bad pages", self.s2disk(expect=6).stderr)
        self.assertEqual(len(header), 4096)


if __name__ == "__main__":
    main()
