"""One byte that changed on the disk: exit 3, said where, and nothing half-done left behind."""

import files
import image
import swap_area
from tool_test import ToolTest, main

PAGES = 73 * 64 + 5  # two map pages


class Damage(ToolTest):
    """Every kind of record, and the chunks of every codec."""

    def store(self, *options, pages=PAGES):
        """Stores a snapshot; returns what the disk holds."""
        self.make_snapshot(pages)
        self.make_area(pages + 200)
        self.s2disk("--progress", "none", *options)
        self.resume("--verify")
        return image.read(self.area)

    def check(self, at, *patterns):
        """With the byte at `at` changed all readers say 3 and each of `patterns`; with it changed back all is well."""
        files.flip_byte(self.area, at)
        for action in (("--verify",), ("--to", self.out)):
            run = self.resume(*action, "--report", "json", expect=3)
            for pattern in patterns:
                self.assertRegex(run.stderr, pattern)
            self.assertIn(str(self.area), run.stderr)
            report = run.json()
            self.assertEqual((report["exit_code"], report["result"]), (3, "damaged"))
            self.assertIn(report["error"], run.stderr)
        self.assertEqual([path.name for path in self.directory.glob("out*")], [], "a part of OUT was left")
        files.flip_byte(self.area, at)

    def test_a_chunk(self):
        for codec in ("none", "lzf", "lz4", "zstd"):
            found = self.store(f"--compress={codec}", pages=200)
            for chunk in found.chunks:
                start = chunk.extents[0][0] * 4096
                length = chunk.stored_pages * 4096
                # The first byte, one in the middle, and the last, which may be one of the zeros that fill the page.
                for at in (start, start + length // 2, start + length - 1):
                    with self.subTest(codec=codec, chunk=chunk.number, at=at - start):
                        last = chunk.first_page + chunk.pages - 1
                        self.check(at, rf"chunk {chunk.number} \(pages {chunk.first_page} to {last} ", rf"at byte {start}\b")
            self.resume("--verify")

    def test_a_map_page(self):
        found = self.store("--compress=lz4")
        self.assertEqual(len(found.map_pages), 2)
        for index, page in enumerate(found.map_pages):
            for within in (0, 8, 24, 32, 40, 44, 56, 64, 64 + 48, 100, 4095):
                with self.subTest(map_page=index, within=within):
                    self.check(page * 4096 + within, r"map", rf"at byte {page * 4096}\b")

    def test_the_closing_record(self):
        found = self.store("--compress=none")
        for within in (0, 8, 16, 24, 32, 40, 63):
            with self.subTest(within=within):
                self.check(found.closing_at + within, rf"at byte {found.map_pages[-1] * 4096}\b")

    def test_the_image_header(self):
        found = self.store("--compress=lz4", pages=100)
        for within in (0, 7, 8, 12, 16, 20, 21, 24, 28, 32, 48, 56, 64, 72, 80, 88, 96, 200, 300, 2000, 3583):
            with self.subTest(within=within):
                self.check(found.header_at + within, "image header", rf"at byte {found.header_at}\b")
                files.flip_byte(self.area, found.header_at + within)
                self.resume("--status", expect=3)
                files.flip_byte(self.area, found.header_at + within)

    def test_a_lost_header_is_no_image_of_ours(self):
        found = self.store("--compress=lz4", pages=100)
        files.write_at(self.area, found.header_at, bytes(4096))
        self.assertIn("header is lost", self.resume("--verify", expect=6).stderr)
        self.assertIn("header is lost", self.resume("--status").stdout)

    def test_a_damaged_note_is_no_damage(self):
        found = self.store("--compress=lz4", pages=100)
        files.flip_byte(self.area, found.header_at + image.HEADER_BYTES + 10)
        self.recover()

    def test_an_image_with_a_damaged_header_can_be_discarded(self):
        for within in (0, 60):
            with self.subTest(within=within):
                found = self.store("--compress=lz4", pages=100)
                files.flip_byte(self.area, found.header_at + within)
                self.resume("--discard")
                self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)
                self.round_trip("--compress=lz4")

    def test_an_area_cut_short(self):
        """The device ends before the image does."""
        found = self.store("--compress=none", pages=300)
        last_chunk = found.chunks[-1].extents[-1][0] * 4096
        with open(self.area, "r+b") as file:
            file.truncate(last_chunk)
        run = self.resume("--verify", expect=6)
        self.assertIn("made for a larger one", run.stderr)

    def test_the_tail_of_an_older_image(self):
        """A map page of the image before, put where the new one's is: same format, another image."""
        found = self.store("--compress=none", pages=100)
        old = files.read_at(self.area, found.map_pages[0] * 4096, 4096)
        self.resume("--discard")
        self.s2disk("--compress=none")
        again = image.read(self.area)
        self.assertEqual(again.map_pages, found.map_pages)
        files.write_at(self.area, again.map_pages[0] * 4096, old)
        self.assertIn("map", self.resume("--verify", expect=3).stderr)

    def test_exchanged_chunks(self):
        """Two whole chunks in each other's place."""
        found = self.store("--compress=none", pages=200)
        first, second = (chunk.extents[0][0] * 4096 for chunk in found.chunks[:2])
        one, other = (files.read_at(self.area, at, 64 * 4096) for at in (first, second))
        files.write_at(self.area, first, other)
        files.write_at(self.area, second, one)
        self.assertRegex(self.resume("--verify", expect=3).stderr, r"chunk [01] ")

    def test_an_older_output_file_survives(self):
        found = self.store("--compress=none", pages=200)
        self.out.write_bytes(b"older")
        files.flip_byte(self.area, found.chunks[-1].extents[0][0] * 4096)
        self.resume("--to", self.out, expect=3)
        self.assertEqual(self.out.read_bytes(), b"older")
        self.assertEqual([path.name for path in self.directory.glob("out*")], ["out"])


if __name__ == "__main__":
    main()
