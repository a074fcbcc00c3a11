"""s2disk --from SNAP, then resume --to OUT: the same bytes, whatever the settings."""

import image
import swap_area
from tool_test import ToolTest, main

CODECS = ("none", "lzf", "lz4", "lz4:8", "lz4:64", "zstd", "zstd:-7", "zstd:-1", "zstd:1", "zstd:3", "zstd:9", "auto")


class RoundTrip(ToolTest):
    """One mixed snapshot, one setting varied at a time."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=300)
        self.make_area(pages=400)

    def test_every_codec_and_level(self):
        for codec in CODECS:
            with self.subTest(codec=codec):
                report = self.round_trip(f"--compress={codec}", "--early-writeout", "1")
                name, _, level = codec.partition(":")
                self.assertEqual(report["settings"]["codec"], name)
                if level:
                    self.assertEqual(report["settings"]["level"], int(level))

    def test_bare_compress_is_the_default(self):
        bare = self.round_trip("--compress", "--early-writeout", "1")
        default = self.round_trip("--early-writeout", "1")
        self.assertEqual(bare["settings"], default["settings"])
        # (How much was stored is up to `auto`, which goes by the time things take.)
        self.assertEqual(bare["image"]["pages"], default["image"]["pages"])

    def test_a_codec_shrinks_the_image_and_none_does_not(self):
        stored = self.round_trip("--compress=none")["image"]
        self.assertEqual(stored["stored_bytes"], image.pages_needed(300) * 4096)
        for codec in ("lzf", "lz4", "zstd"):
            with self.subTest(codec=codec):
                packed = self.round_trip(f"--compress={codec}")["image"]
                self.assertLess(packed["stored_bytes"], 0.9 * stored["stored_bytes"])

    def test_every_way_of_input_and_output(self):
        for io in ("direct", "buffered"):
            for early in ("off", "0.5", "1", "20", "100"):
                for codec in ("none", "lz4"):
                    with self.subTest(io=io, early=early, codec=codec):
                        report = self.round_trip("--io", io, "--early-writeout", early, f"--compress={codec}")
                        self.assertEqual(report["settings"]["io"], io)
                        percent = 0 if early == "off" else float(early)
                        self.assertEqual(report["settings"]["early_writeout_percent"], percent)

    def test_any_number_of_threads(self):
        for threads in ("1", "2", "7", "64", "auto"):
            for codec in ("lzf", "zstd"):
                with self.subTest(threads=threads, codec=codec):
                    report = self.s2disk("--threads", threads, f"--compress={codec}", "--report", "json").json()
                    if threads != "auto":
                        self.assertEqual(report["settings"]["threads"], int(threads))
                    self.recover("--threads", threads)
                    self.resume("--discard")

    def test_both_sides_may_use_another_number_of_threads(self):
        self.s2disk("--threads", "1", "--compress=zstd")
        self.recover("--threads", "3")
        self.recover("--threads", "1")

    def test_an_image_can_be_read_any_number_of_times(self):
        self.s2disk("--compress=lz4")
        before = self.area.read_bytes()
        for _ in range(2):
            self.recover()
            self.resume("--verify")
            self.resume("--status")
        self.assertEqual(self.area.read_bytes(), before, "reading changed the area")

    def test_verified_before_it_is_marked(self):
        report = self.round_trip("--verify", "--compress=zstd")
        self.assertIn("verify", [phase["name"] for phase in report["phases"]])

    def test_the_same_area_again_and_again(self):
        for seed in (1, 2, 3):
            self.make_snapshot(pages=290 + seed, seed=seed)
            self.round_trip("--compress=lz4")

    def test_the_mark_while_there_is_an_image(self):
        plain = swap_area.header_page(self.area)
        self.s2disk()
        marked = swap_area.header_page(self.area)
        self.assertEqual(marked[-10:], swap_area.MARK)
        self.assertEqual(marked[-20:-10], swap_area.PLAIN)
        self.assertEqual(marked[:-28], plain[:-28], "more than the last 28 bytes changed")
        where = int.from_bytes(marked[-28:-20], "little")
        self.assertEqual(self.area.read_bytes()[where:where + 8], b"DORMOUSE")


if __name__ == "__main__":
    main()
