"""An area that holds an image, ours or another's: never written over, named, given back on request."""

import files
import needs
import swap_area
from tool_test import ToolTest, main

# The mark, and the words that name its owner.
MARKS = {
    b"S1SUSPEND": "stock kernel",
    b"S2SUSPEND": "S2SUSPEND",
    b"ULSUSPEND": "uswsusp",
    b"LINHIB0001": "LINHIB0001",
}


def put_foreign_image(area, mark):
    """Somebody else's mark; an image of theirs begins at page 1."""
    files.write_at(area, 4096, b"somebody else's image header".ljust(4096, b"\x77"))
    swap_area.put_foreign_mark(area, mark)


class OwnImage(ToolTest):
    """What s2disk says to an image that was never resumed."""

    def test_is_never_written_over(self):
        self.make_snapshot(pages=100)
        self.make_area(pages=300)
        self.s2disk("--compress=lz4")
        before = files.digest(self.area)
        for codec in ("none", "lz4"):
            run = self.s2disk(f"--compress={codec}", "--report", "json", expect=6)
            self.assertIn("resume --discard", run.stderr)
            self.assertIn("resume --discard", run.json()["error"])
            self.assertEqual(files.digest(self.area), before)
        self.recover()

    def test_discard_twice(self):
        self.make_snapshot(pages=100)
        header = self.make_area(pages=300)
        self.s2disk()
        self.resume("--discard")
        self.resume("--discard", expect=7)
        self.assertEqual(swap_area.header_page(self.area), header)


class ForeignImage(ToolTest):
    """Marks that others leave."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=10)

    def mark(self, mark):
        """A fresh area with somebody else's mark."""
        self.make_area(pages=100)
        put_foreign_image(self.area, mark)

    def test_s2disk_refuses(self):
        for mark in MARKS:
            with self.subTest(mark=mark):
                self.mark(mark)
                before = files.digest(self.area)
                run = self.s2disk(expect=6)
                self.assertIn("resume --discard", run.stderr)
                self.assertEqual(files.digest(self.area), before)

    def test_status_names_it(self):
        for mark, words in MARKS.items():
            with self.subTest(mark=mark):
                self.mark(mark)
                before = files.digest(self.area)
                self.assertIn(words, self.resume("--status").stdout)
                status = self.resume("--status", "--report", "json").json()
                self.assertIn(words, status["signature"])
                self.assertIsNone(status["image"])
                self.assertEqual(files.digest(self.area), before)

    def test_it_cannot_be_read(self):
        for mark, words in MARKS.items():
            with self.subTest(mark=mark):
                self.mark(mark)
                before = files.digest(self.area)
                self.assertIn(words, self.resume("--verify", expect=6).stderr)
                self.assertIn(words, self.resume("--to", self.out, expect=6).stderr)
                self.assertFalse(self.out.exists())
                self.assertEqual(files.digest(self.area), before)

    def test_discard_gives_the_signature_back(self):
        for mark in (b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND"):
            with self.subTest(mark=mark):
                self.mark(mark)
                before = swap_area.header_page(self.area)
                self.resume("--discard")
                after = swap_area.header_page(self.area)
                self.assertEqual(after[-10:], swap_area.PLAIN)
                self.assertEqual(after[:-28], before[:-28])
                self.resume("--status", expect=7)
                self.round_trip("--compress=lz4")

    def test_a_mark_that_kept_no_signature_is_left_alone(self):
        self.make_area(pages=100)
        swap_area.put_foreign_mark(self.area, b"S1SUSPEND", original=bytes(10))
        before = files.digest(self.area)
        self.assertIn("mkswap", self.resume("--discard", expect=6).stderr)
        self.assertEqual(files.digest(self.area), before)

    def test_tuxonice(self):
        self.make_area(pages=100)
        swap_area.put_tuxonice(self.area)
        before = files.digest(self.area)
        self.assertIn("TuxOnIce", self.resume("--status").stdout)
        self.assertIn("TuxOnIce", self.s2disk(expect=6).stderr)
        self.assertIn("mkswap", self.resume("--discard", expect=6).stderr)
        self.assertEqual(files.digest(self.area), before)

    def test_an_image_offset_that_leads_nowhere(self):
        """uswsusp's mark with an offset outside the area, as its image in a swap file may have."""
        self.make_area(pages=100)
        swap_area.put_foreign_mark(self.area, swap_area.MARK, image_offset=1 << 60)
        self.assertIn("outside", self.resume("--verify", expect=3).stderr)
        self.resume("--discard")
        self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)


class Booting(ToolTest):
    """Plain `resume`, as the initramfs runs it, on a block device that holds no image of ours that could be loaded. Needs
    root."""

    def boot(self, *options, mounted="", expect=0, **where):
        """Runs `resume` as if nothing on a device but `mounted` were mounted: it looks at /proc/self/mountinfo, which
        is another file in a mount name space of its own."""
        mountinfo = self.directory / "mountinfo"
        mountinfo.write_text(f"1 1 0:2 / / rw - rootfs rootfs rw\n{mounted}")
        hide = 'mount --bind "$0" /proc/$$/mountinfo && exec "$@"'
        words = ["unshare", "--mount", "sh", "-c", hide, str(mountinfo)]
        return self.run_words(words + self.resume_command(*options, **where), expect)

    def test_on_a_system_that_runs_the_image_is_left_alone(self):
        self.make_snapshot(pages=100)
        self.make_area(pages=300)
        self.s2disk()
        before = files.digest(self.area)
        # One attempt: were it to load the image after all, it would give it up, and not restart this machine.
        run = self.boot("-P", "resume attempts=1", area=needs.loop_device(self, self.area), expect=6,
                        mounted="25 1 254:1 / / rw - ext4 /dev/vda1 rw\n")
        self.assertIn("/dev/vda1 on / is mounted, so this is a system that runs", run.stderr)
        self.assertEqual(files.digest(self.area), before)

    def test_somebody_elses_image_is_named_and_left_alone(self):
        for mark, words in MARKS.items():
            with self.subTest(mark=mark):
                self.make_area(pages=100)
                put_foreign_image(self.area, mark)
                self.check_left_alone(words)

    def test_a_mark_that_leads_to_an_empty_page_is_removed(self):
        self.make_area(pages=100)
        swap_area.put_foreign_mark(self.area, swap_area.MARK)
        run = self.boot(area=needs.loop_device(self, self.area))
        self.assertIn("no image was ever written", run.stderr)
        self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)

    def test_a_mark_that_leads_to_a_damaged_header_of_ours_is_removed_when_the_countdown_is_over(self):
        self.make_snapshot(pages=100)
        self.make_area(pages=300)
        self.s2disk()
        files.write_at(self.area, 4096 + 100, b"\xff\xff")
        device = needs.loop_device(self, self.area)
        run = self.boot("-P", "resume countdown=1", area=device, expect=3)
        self.assertIn("discarding the image in 1 s", run.stderr)
        self.assertIn("checksum does not match", run.stderr)
        self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)

    def test_tuxonice_is_left_alone(self):
        self.make_area(pages=100)
        swap_area.put_tuxonice(self.area)
        self.check_left_alone("TuxOnIce")

    def check_left_alone(self, words):
        """Exit 0 with a line on stderr, nothing on stdout, nothing written."""
        before = files.digest(self.area)
        device = needs.loop_device(self, self.area)
        run = self.boot(area=device)
        self.assertIn(words, run.stderr)
        self.assertIn("left alone", run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(files.digest(self.area), before)

    def test_plain_swap_is_not_worth_a_word(self):
        self.make_area(pages=100)
        run = self.boot(area=needs.loop_device(self, self.area))
        self.assertEqual((run.stdout, run.stderr), ("", ""))

    def test_round_trip_on_a_block_device(self):
        self.make_snapshot(pages=500)
        header = self.make_area(pages=1000)
        device = needs.loop_device(self, self.area)
        for io in ("direct", "buffered"):
            with self.subTest(io=io):
                self.s2disk("--compress=lz4", "--early-writeout", "1", "--io", io, area=device)
                self.recover(area=device)
                self.resume("--discard", area=device)
        self.assertEqual(swap_area.header_page(self.area), header)


if __name__ == "__main__":
    main()
