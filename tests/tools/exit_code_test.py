"""One case for each exit code, and the words that go with it."""

import fcntl

import files
import snapshot
import swap_area
from tool_test import ToolTest, main


class ExitCodes(ToolTest):
    """4, stopped by the user, has its cases in stop_test."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=100)
        self.make_area(pages=200)

    def test_0_done(self):
        self.s2disk(expect=0)
        for action in (("--status",), ("--verify",), ("--to", self.out), ("--discard",)):
            self.resume(*action, expect=0)

    def test_1_failed(self):
        run = self.s2disk(snap="nowhere", expect=1)
        self.assertRegex(run.stderr, r"^s2disk: .+ on nowhere: No such file or directory")
        self.s2disk()
        run = self.resume("--to", "no/such/directory", expect=1)
        self.assertIn("No such file or directory", run.stderr)

    def test_2_bad_option_or_configuration(self):
        self.s2disk("--threads", "many", expect=2)
        self.resume("--threads", "many", "--status", expect=2)

    def test_3_damaged(self):
        self.s2disk("--compress=none")
        files.flip_byte(self.area, 50 * 4096)
        self.resume("--verify", expect=3)
        self.resume("--to", self.out, expect=3)
        self.assertFalse(self.out.exists())

    def test_5_not_enough_room(self):
        snapshot.write_random(self.snap, 300 * 4096)
        self.s2disk(expect=5)
        self.s2disk("--compress=none", expect=5)

    def test_6_not_possible_here(self):
        self.s2disk()
        self.s2disk(expect=6)
        swap_area.create(self.area, 100, byte_order=">")
        self.s2disk(expect=6)

    def test_7_no_image(self):
        before = files.digest(self.area)
        for action in (("--status",), ("--verify",), ("--to", self.out), ("--discard",)):
            run = self.resume(*action, expect=7)
            # What --status was asked for is an answer; to the others it is a failure.
            self.assertIn("plain swap", run.stdout if action == ("--status",) else run.stderr)
        plain = self.resume("--status", "--report", "json", expect=7).json()
        self.assertEqual((plain["signature"], plain["image"]), ("plain swap", None))
        self.resume("--status", "--report", "prometheus", expect=2)
        self.assertFalse(self.out.exists())
        self.assertEqual(files.digest(self.area), before)

    def test_one_way_to_write_at_a_time(self):
        """A second s2disk on the same file does not get in while the first one works."""
        with open(self.area, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertIn("another program works on it", self.s2disk(expect=1).stderr)
        self.s2disk()


if __name__ == "__main__":
    main()
