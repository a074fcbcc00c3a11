"""Peak memory does not grow with the image, and stays below a stated bound."""

import sys
from pathlib import Path

import snapshot
from tool_test import ToolTest, main

MIB = 1 << 20
SMALL = 16 * MIB
LARGE = {"lz4": 512 * MIB, "zstd": 128 * MIB, "none": 64 * MIB}  # what a test may take of disk and time
SPREAD_KIB = 2 * 1024
BOUND_KIB = 64 * 1024
_METER = str(Path(__file__).with_name("peak_memory.py"))


class Memory(ToolTest):
    """A small and a large image, the same settings."""

    def peak_kib(self, words):
        """Peak resident memory of one run."""
        return int(self.run_words([sys.executable, "-I", "-S", _METER, *words]).stdout)

    def peaks(self, size_bytes, codec):
        """Peaks of storing, verifying and recovering an image."""
        # Something in every chunk, so that it passes through all the buffers.
        snapshot.write_sparse(self.snap, size_bytes, range(0, size_bytes, 32 * 4096))
        self.make_area(size_bytes // 4096 + 1000)
        common = "--threads", "2", "--progress", "none"
        stored = self.peak_kib(self.s2disk_command(f"--compress={codec}", *common))
        verified = self.peak_kib(self.resume_command("--verify", *common))
        recovered = self.peak_kib(self.resume_command("--to", self.out, *common))
        return {"s2disk": stored, "resume --verify": verified, "resume --to": recovered}

    def test_it_stays_the_same(self):
        floor = self.peak_kib(["/bin/true"])
        for codec, large_bytes in LARGE.items():
            small, large = self.peaks(SMALL, codec), self.peaks(large_bytes, codec)
            for run, peak in large.items():
                with self.subTest(codec=codec, run=run):
                    print(f"{codec:>5} {run:<16} {small[run]:>6} KiB for 16 MiB, {peak:>6} KiB for "
                          f"{large_bytes // MIB} MiB")
                    self.assertGreater(small[run], floor, "the meter itself needs more than the tool")
                    self.assertLess(abs(peak - small[run]), SPREAD_KIB)
                    self.assertLess(peak, BOUND_KIB)


if __name__ == "__main__":
    main()
