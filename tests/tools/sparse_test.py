"""More than 4 GiB, of which nearly all are zeros."""

import files
import snapshot
from tool_test import ToolTest, main

GIB = 1 << 30
PAGE = 4096
SIZE = 4 * GIB + 37 * PAGE
PLACES = (0, 63 * PAGE, 64 * PAGE, GIB - PAGE, GIB, 2 * GIB - PAGE, 2 * GIB, 3 * GIB + 5 * PAGE, 4 * GIB - PAGE, 4 * GIB,
          SIZE - PAGE)


class Sparse(ToolTest):
    """The offsets do not fit into 32 bits; the disk stays nearly empty."""

    def check(self, *options):
        snapshot.write_sparse(self.snap, SIZE, PLACES)
        # The area is larger than 4 GiB as well; what is used of it is its beginning.
        self.make_area(SIZE // PAGE + 2000)
        report = self.s2disk("--report", "json", "--progress", "none", *options).json()
        self.assertEqual(report["image"]["bytes"], SIZE)
        self.resume("--to", self.out, "--progress", "none")
        self.assertTrue(files.same(self.snap, self.out))
        self.assertLess(files.disk_bytes(self.out), 4 << 20, "the recovered file is not sparse")
        self.assertLess(files.disk_bytes(self.area), 200 << 20)

    def test_lz4(self):
        self.check("--compress=lz4", "--early-writeout", "1")

    def test_zstd(self):
        self.check("--compress=zstd", "--io", "buffered")


class Far(ToolTest):
    """The area itself begins beyond 4 GiB of its file: every offset is large."""

    def test_area_behind_four_gib(self):
        self.make_snapshot(pages=500)
        offset = 4 * GIB // PAGE + 3
        self.make_area(pages=700, offset_pages=offset)
        before = files.read_at(self.area, 4 * GIB + 3 * PAGE, PAGE)
        for codec in ("none", "lz4"):
            with self.subTest(codec=codec):
                where = ("--resume-offset", offset)
                self.s2disk(f"--compress={codec}", *where)
                self.recover(*where)
                self.resume("--discard", *where)
                self.assertEqual(files.read_at(self.area, 4 * GIB + 3 * PAGE, PAGE), before)
                self.assertEqual(files.read_at(self.area, 0, PAGE), bytes(PAGE))


if __name__ == "__main__":
    main()
