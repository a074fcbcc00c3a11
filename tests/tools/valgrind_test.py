"""memcheck has nothing to say about a round trip, whatever the codec."""

import files
import needs
from tool_test import ToolTest, main


class Valgrind(ToolTest):
    """Small images: memcheck slows the tools down some thirtyfold."""

    def setUp(self):
        super().setUp()
        self.memcheck = [needs.command("valgrind"), "--quiet", "--error-exitcode=99", "--leak-check=full",
                         "--errors-for-leak-kinds=definite,indirect", "--child-silent-after-fork=yes"]
        self.make_snapshot(pages=130)
        self.make_area(pages=200, bad_pages=[9, 10, 11])

    def check(self, words):
        """Runs `words` under memcheck, which must not print a word."""
        run = self.run_words([*self.memcheck, *words])
        self.assertNotIn("==", run.stderr)
        return run

    def check_round_trip(self, *options):
        """Stores and recovers, both under memcheck."""
        quiet = "--progress", "none"
        self.check(self.s2disk_command(*options, "--early-writeout", "1", "--report", "json", *quiet))
        self.check(self.resume_command("--to", self.out, *quiet))
        self.assertTrue(files.same(self.snap, self.out))
        self.resume("--discard")

    def test_none(self):
        self.check_round_trip("--compress=none")

    def test_lzf(self):
        self.check_round_trip("--compress=lzf")

    def test_lz4(self):
        self.check_round_trip("--compress=lz4", "--verify")

    def test_zstd(self):
        self.check_round_trip("--compress=zstd", "--io", "buffered")

    def test_sealed(self):
        key = self.directory / "raw.key"
        key.write_bytes(bytes(range(1, 33)))
        for cipher in ("aes-256-gcm", "aes-256-ocb", "chacha20-poly1305"):
            with self.subTest(cipher=cipher):
                quiet = "--key-file", key, "--progress", "none"
                self.check(self.s2disk_command(f"--encrypt={cipher}", "--compress=lz4", "--verify", *quiet))
                self.check(self.resume_command("--to", self.out, *quiet))
                self.assertTrue(files.same(self.snap, self.out))
                self.resume("--discard")

    def test_status_and_failures(self):
        self.s2disk("--compress=none")
        self.check(self.resume_command("--status", "--report", "json"))
        files.flip_byte(self.area, 4096 * 20)
        self.check_fails(self.resume_command("--verify"), 3)
        self.check(self.resume_command("--discard"))
        self.check_fails(self.s2disk_command("--encrypt"), 2)

    def check_fails(self, words, code):
        """A run that fails with `code`, with nobody to answer it, and memcheck silent."""
        run = self.run_words([*self.memcheck, *words], expect=code, typed=b"")
        self.assertNotIn("==", run.stderr)


if __name__ == "__main__":
    main()
