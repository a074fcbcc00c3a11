"""What reaches the disk and when, seen by strace; and what is left when one of those calls fails."""

import re

import files
import image
import needs
import swap_area
from tool_test import ToolTest, main


class Order(ToolTest):
    """Data, flush, image header, flush, mark, flush: no power cut in between leaves half an image."""

    def setUp(self):
        super().setUp()
        self.strace = needs.tracer()
        self.make_snapshot(pages=300)
        self.header = self.make_area(pages=500)
        self.trace = self.directory / "trace"

    def traced(self, words, *options, expect=0):
        """Runs `words` under strace; returns (call, offset or None) of everything that touched the area, in order of the
        calls' ends."""
        run = self.run_words([self.strace, "-f", "-qq", "-y", "-s", "0", "-o", str(self.trace), "-e",
                              "trace=pwrite64,fdatasync", *options, *words], expect)
        calls, begun = [], {}
        for line in self.trace.read_text().splitlines():
            pid, _, text = line.partition(" ")
            text = text.strip()
            if text.endswith("<unfinished ...>"):
                begun[pid] = text.removesuffix("<unfinished ...>")
                continue
            resumed = re.match(r"<\.\.\. \w+ resumed>", text)
            if resumed:
                text = begun.pop(pid) + text[resumed.end():]
            call = re.match(r"(\w+)\(\d+<([^>]*)>(.*)", text)
            if call is None or call[2] != str(self.area):
                continue
            offset = re.search(r", (\d+)\) += ", call[3])
            calls.append((call[1], int(offset[1]) if offset and call[1] == "pwrite64" else None))
        return run, calls

    def check_order(self, *options):
        """One image stored with these options."""
        _, calls = self.traced(self.s2disk_command(*options))
        header_at = image.read(self.area).header_at
        self.assertEqual(calls[-5:], [("fdatasync", None), ("pwrite64", header_at), ("fdatasync", None),
                                      ("pwrite64", 0), ("fdatasync", None)])
        data = [at for name, at in calls[:-5] if name == "pwrite64"]
        self.assertNotIn(0, data, "the swap header was written early")
        self.assertNotIn(header_at, data, "the image header was written early")
        self.resume("--discard")

    def test_a_stored_image(self):
        for io in ("direct", "buffered"):
            for early in ("off", "1", "20"):
                for codec in ("none", "lz4"):
                    with self.subTest(io=io, early=early, codec=codec):
                        self.check_order("--io", io, "--early-writeout", early, f"--compress={codec}")

    def test_a_sealed_image(self):
        key = self.directory / "raw.key"
        key.write_bytes(bytes(range(1, 33)))
        for io in ("direct", "buffered"):
            with self.subTest(io=io):
                self.check_order("--encrypt", "--key-file", key, "--io", io, "--compress=lz4", "--verify")

    def test_early_writeout_flushes_early(self):
        """Direct I/O: with it the disk's cache is flushed while pages still come, without it only at the end."""
        words = self.s2disk_command("--early-writeout", "off", "--compress=none")
        _, calls = self.traced(words)
        self.assertEqual([name for name, _ in calls].count("fdatasync"), 3)
        self.resume("--discard")
        _, calls = self.traced(self.s2disk_command("--early-writeout", "1", "--compress=none"))
        self.assertGreater([name for name, _ in calls].count("fdatasync"), 3)

    def test_discard_is_flushed(self):
        self.s2disk()
        _, calls = self.traced(self.resume_command("--discard"))
        self.assertEqual(calls, [("pwrite64", 0), ("fdatasync", None)])

    def test_reading_writes_nothing(self):
        self.s2disk()
        for action in ("--status", "--verify"):
            _, calls = self.traced(self.resume_command(action))
            self.assertEqual(calls, [])

    def test_any_failing_write(self):
        """strace counts for each thread: of one page, the main thread writes map, image header, mark, in this order."""
        self.make_snapshot(pages=1)
        words = self.s2disk_command("--early-writeout", "off", "--compress=none", "--report", "json")
        for when, step in {1: "write", 2: "write image header", 3: "mark swap area"}.items():
            with self.subTest(step=step):
                run, _ = self.traced(words, "-e", f"inject=pwrite64:error=EIO:when={when}", expect=1)
                self.assertIn(step, run.stderr)
                self.check_failure(run, "Input/output error")

    def test_any_failing_flush(self):
        words = self.s2disk_command("--early-writeout", "off", "--compress=none", "--report", "json")
        for when in (1, 2, 3):
            with self.subTest(when=when):
                run, _ = self.traced(words, "-e", f"inject=fdatasync:error=EIO:when={when}", expect=1)
                self.check_failure(run, "Input/output error")

    def test_a_full_file_system(self):
        words = self.s2disk_command("--early-writeout", "off", "--compress=lz4", "--report", "json")
        run, _ = self.traced(words, "-e", "inject=pwrite64:error=ENOSPC:when=1", expect=5)
        self.check_failure(run, "No space left on device")

    def check_failure(self, run, words):
        """One message, with place and reason; the area as it was before."""
        self.assertIn(words, run.stderr)
        self.assertIn(str(self.area), run.stderr)
        self.assertEqual(run.json()["exit_code"], run.returncode)
        self.assertEqual(swap_area.header_page(self.area), self.header)
        self.resume("--status", expect=7)

    def test_an_output_that_cannot_be_written(self):
        self.s2disk("--compress=none")
        before = files.digest(self.area)
        run, _ = self.traced(self.resume_command("--to", self.out), "-e", "inject=pwrite64:error=ENOSPC:when=2", expect=1)
        self.assertIn("No space left on device", run.stderr)
        self.assertEqual(list(self.directory.glob("out*")), [])
        self.assertEqual(files.digest(self.area), before)


if __name__ == "__main__":
    main()
