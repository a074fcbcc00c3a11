"""Page counts around every limit of the format: a chunk's, a map page's, and the closing record's."""

import image
from tool_test import ToolTest, main

CHUNK_PAGES = 64
MAP_CHUNKS = 72       # chunk records of one extent in a map page
CLOSING_CHUNKS = 70   # so many leave room for the closing record behind them


class Limits(ToolTest):
    """Around each limit one page less, the limit itself, one page more."""

    def check(self, pages, *options):
        """A round trip through an area with room to spare; what is on the disk is counted, too."""
        self.make_snapshot(pages)
        self.make_area(pages + 200)
        report = self.s2disk("--report", "json", *options).json()
        self.assertEqual(report["image"]["pages"], pages)
        found = image.read(self.area)
        self.assertEqual(found.pages, pages)
        self.assertEqual(len(found.chunks), -(-pages // CHUNK_PAGES))
        self.assertEqual(len(found.map_pages), image.map_pages_needed(len(found.chunks)))
        self.assertEqual(report["image"]["stored_bytes"], len(found.used_pages()) * 4096)
        self.recover()

    def test_around_a_chunk(self):
        for pages in (1, 2, 63, 64, 65, 127, 128, 129):
            for codec in ("none", "lz4"):
                with self.subTest(pages=pages, codec=codec):
                    self.check(pages, f"--compress={codec}")

    def test_a_single_page_with_every_codec(self):
        for codec in ("lzf", "zstd", "zstd:19"):
            with self.subTest(codec=codec):
                self.check(1, f"--compress={codec}")

    def test_around_the_closing_record(self):
        for chunks in (CLOSING_CHUNKS, CLOSING_CHUNKS + 1):
            for extra in (0, 1):
                with self.subTest(chunks=chunks, extra=extra):
                    self.check(chunks * CHUNK_PAGES + extra, "--compress=lz4")

    def test_around_a_map_page(self):
        for codec in ("none", "lz4"):
            for extra in (-1, 0, 1):
                with self.subTest(codec=codec, extra=extra):
                    self.check(MAP_CHUNKS * CHUNK_PAGES + extra, f"--compress={codec}")

    def test_around_two_map_pages(self):
        for chunks in (MAP_CHUNKS + CLOSING_CHUNKS, 2 * MAP_CHUNKS):
            for extra in (-1, 0, 1):
                with self.subTest(chunks=chunks, extra=extra):
                    self.check(chunks * CHUNK_PAGES + extra, "--compress=zstd:1")


if __name__ == "__main__":
    main()
