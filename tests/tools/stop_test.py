"""Stopped in the middle: by a signal that can be answered, and by one that cannot."""

import os
import signal
import subprocess

import files
import needs
import snapshot
import swap_area
from tool_test import ToolTest, main

MIB = 1 << 20
# Slow on any machine: seconds for what the test needs to last a moment.
SLOW = ("--compress=zstd:19", "--threads", "1", "--progress", "plain", "--report", "json")


class Stopped(ToolTest):
    """The image is under way, some of it on the disk, when the signal comes."""

    def setUp(self):
        super().setUp()
        snapshot.write_text(self.snap, 32 * MIB)
        self.header = self.make_area(pages=9000)

    def send_in_the_middle(self, number, words):
        """Starts `words`, sends the signal after the first line of progress; returns code, stdout, stderr."""
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as tool:
            first = tool.stderr.readline()
            self.assertRegex(first, r"(write|read): +\d+ %")
            tool.send_signal(number)
            stdout, stderr = tool.communicate(timeout=120)
        self.assertNotIn("100 %", stderr, "it was over before the signal came")
        return tool.returncode, stdout, stderr

    def check_plain(self):
        """The area is plain swap with its own header, some of an image in it, and usable."""
        self.assertEqual(swap_area.header_page(self.area), self.header)
        self.assertGreater(files.disk_bytes(self.area), 64 * 1024, "nothing had been written yet")
        self.resume("--status", expect=7)
        self.make_snapshot(pages=100)
        self.round_trip("--compress=lz4")

    def test_by_request(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            with self.subTest(signal=number.name):
                code, stdout, stderr = self.send_in_the_middle(number, self.s2disk_command(*SLOW))
                self.assertEqual(code, 4, stderr)
                self.assertIn("stopped by the user", stderr)
                self.assertIn('"result": "stopped"', stdout)
                self.assertIn('"exit_code": 4', stdout)
                self.assertEqual(swap_area.header_page(self.area), self.header)
        self.check_plain()

    def test_killed(self):
        code, _, _ = self.send_in_the_middle(signal.SIGKILL, self.s2disk_command(*SLOW))
        self.assertEqual(code, -signal.SIGKILL)
        self.check_plain()

    def test_a_lost_terminal_does_not_stop_it(self):
        code, _, stderr = self.hang_up()
        self.assertEqual(code, 0, stderr)
        self.recover()

    def hang_up(self):
        """SIGHUP in the middle of a shorter image."""
        snapshot.write_text(self.snap, 4 * MIB)
        slow = ("--compress=zstd:12", *SLOW[1:])
        with subprocess.Popen(self.s2disk_command(*slow), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as tool:
            tool.stderr.readline()
            tool.send_signal(signal.SIGHUP)
            stdout, stderr = tool.communicate(timeout=120)
        return tool.returncode, stdout, stderr


class StoppedLate(ToolTest):
    """All pages are written and the last flush is under way: there still is no mark, and there will be none."""

    def test_during_the_last_flush(self):
        strace = needs.tracer()
        self.make_snapshot(pages=100)
        header = self.make_area(pages=200)
        # Early writeout off: the first flush there is is the one behind the last page.
        slow_flush = [strace, "-f", "-qq", "-o", self.directory / "trace", "-e", "trace=fdatasync",
                      "-e", "inject=fdatasync:delay_exit=1500000:when=1"]
        words = [str(word) for word in slow_flush] + self.s2disk_command("--early-writeout", "off", "--progress", "plain")
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as tracer:
            while "100 %" not in tracer.stderr.readline():
                pass
            for child in self.children(tracer.pid):
                os.kill(child, signal.SIGTERM)
            _, stderr = tracer.communicate(timeout=120)
        self.assertEqual(tracer.returncode, 4, stderr)
        self.assertEqual(swap_area.header_page(self.area), header)

    @staticmethod
    def children(pid):
        """Processes that `pid` has started."""
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]


class ReadingStopped(ToolTest):
    """resume --to stopped by SIGTERM leaves neither OUT nor a part of it, and the image as it was."""

    def test_no_output_is_left(self):
        strace = needs.tracer()
        self.make_snapshot(pages=4000)
        self.make_area(pages=5000)
        self.s2disk("--compress=none")
        before = files.digest(self.area)
        # Every write of the output takes 100 ms: five seconds in all.
        slow = [strace, "-f", "-qq", "-o", self.directory / "trace", "-e", "trace=pwrite64",
                "-e", "inject=pwrite64:delay_exit=100000"]
        words = [str(word) for word in slow] + self.resume_command("--to", self.out, "--progress", "plain")
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as tracer:
            tracer.stderr.readline()
            for child in StoppedLate.children(tracer.pid):
                os.kill(child, signal.SIGTERM)
            _, stderr = tracer.communicate(timeout=120)
        self.assertEqual(tracer.returncode, 4, stderr)
        self.assertEqual(list(self.directory.glob("out*")), [])
        self.assertEqual(files.digest(self.area), before)


if __name__ == "__main__":
    main()
