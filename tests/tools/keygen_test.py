"""suspend-keygen from outside: what it makes, what it says, and what it refuses. The passphrase comes from a pipe."""

import os
import stat
import subprocess

from tool_test import Run, ToolTest, main, program

_PASSPHRASE = "correct horse battery staple"
_PAIR = (r"\Adormouse key 1\npublic [0-9a-f]{64}\nsalt [0-9a-f]{32}\nargon2id (\d+) (\d+) (\d+)\nnonce [0-9a-f]{24}\n"
         r"private [0-9a-f]{64} [0-9a-f]{32}\ncheck [0-9a-f]{16}\n\Z")


class Keygen(ToolTest):
    """Each test in a directory of its own."""

    def setUp(self):
        super().setUp()
        self.key = self.directory / "suspend.key"

    def keygen(self, *options, typed="", expect=0, stdout=subprocess.PIPE):
        """Runs suspend-keygen with `typed` in the pipe; the passphrase may be nowhere in what it says."""
        done = subprocess.run([program("keygen"), *map(str, options)], input=typed.encode(), stdout=stdout,
                              stderr=subprocess.PIPE, cwd=self.directory, timeout=120, check=False)
        run = Run(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())
        said = f"stdout: {run.stdout}\nstderr: {run.stderr}"
        self.assertEqual(run.returncode, expect, said)
        self.assertNotIn(_PASSPHRASE, said)
        self.assertNotIn("Success", said)
        self.assertNotIn("Sanitizer", run.stderr)
        self.assertEqual(run.stderr == "", expect == 0, said)
        return run

    def make_pair(self):
        """A key pair at `self.key`; returns what was said."""
        return self.keygen(self.key, typed=_PASSPHRASE + "\n")

    def assert_private_file(self, path):
        """Only its owner may read it."""
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_a_key_pair(self):
        run = self.make_pair()
        text = self.key.read_text()
        self.assertRegex(text, _PAIR)
        self.assert_private_file(self.key)
        self.assertNotIn(_PASSPHRASE, text)
        public = text.splitlines()[1].split()[1]
        self.assertIn(f"public half: {public}\n", run.stdout)
        self.assertIn(f"\n    encrypt = y\n    key file = {self.key}\n", run.stdout)
        show = self.keygen("--show", self.key)
        self.assertIn("key pair", show.stdout)
        self.assertIn(public, show.stdout)

    def test_the_cost_can_be_paid_in_a_small_initramfs(self):
        self.make_pair()
        memory_kib, passes, lanes = map(int, self.key.read_text().splitlines()[3].split()[1:])
        self.assertTrue(8 <= memory_kib <= 64 * 1024, memory_kib)
        self.assertTrue(3 <= passes <= 64, passes)
        self.assertEqual(lanes, 1)

    def test_a_raw_key(self):
        other = self.directory / "other.key"
        run = self.keygen("--raw", self.key)
        self.keygen(f"--raw={other}")
        self.assertEqual(len(self.key.read_bytes()), 32)
        self.assertNotEqual(self.key.read_bytes(), other.read_bytes())
        self.assert_private_file(self.key)
        self.assertNotIn(self.key.read_bytes().hex(), run.stdout.lower())
        self.assertIn(f"key file = {self.key}\n", run.stdout)
        self.assertIn("raw key of 32 bytes", self.keygen("--show", self.key).stdout)

    def test_a_relative_name_stands_whole_in_the_configuration(self):
        self.assertIn(f"key file = {self.key}\n", self.keygen("--raw", "./suspend.key").stdout)

    def test_no_key_is_written_over(self):
        self.make_pair()
        before = self.key.read_bytes()
        # Nobody is asked before it is refused: the pipe is empty.
        for options in ((self.key,), ("--raw", self.key)):
            self.assertIn("it exists", self.keygen(*options, expect=2).stderr)
        self.assertEqual(self.key.read_bytes(), before)

    def test_a_place_where_no_file_can_be(self):
        for options in ((self.directory / "no" / "key",), ("--raw", self.directory / "no" / "key")):
            run = self.keygen(*options, expect=1)
            self.assertRegex(run.stderr, r"^suspend-keygen: create key file on .*/no/key: No such file or directory")

    def test_without_a_passphrase_there_is_no_key(self):
        for typed in ("", "\n", "x" * 513 + "\n"):
            run = self.keygen(self.key, typed=typed, expect=2)
            self.assertFalse(self.key.exists(), run.stderr)

    def test_what_is_no_key_is_named(self):
        self.make_pair()
        text = self.key.read_text()
        for content, words in ((text[:200], "cut short"), (text.replace("salt ", "salt 0", 1), "damaged"),
                               ("x" * 31, "31 bytes: it is cut short"), ("x" * 40, "too long"), ("\0" * 32, "all zero"),
                               ("x" * 2000, "uswsusp"), ("-----BEGIN PRIVATE KEY-----\n", "PEM"), ("", "empty")):
            self.key.write_text(content)
            self.assertIn(words, self.keygen("--show", self.key, expect=2).stderr)
        self.assertIn("No such file", self.keygen("--show", "missing", expect=1).stderr)

    def test_options(self):
        for options, words in ((("--frobnicate",), "unknown option --frobnicate"), (("-x",), "unknown option -x"),
                               (("--raw",), "--raw needs the name of a file"), (("a", "b"), "more than one file"),
                               (("--raw", "a", "b"), "more than one file"), (("--force", "a"), "unknown option --force"),
                               (("",), "empty"), (("--raw", "a", "--show", "b"), "more than one file")):
            self.assertIn(words, self.keygen(*options, expect=2).stderr)
        self.assertTrue(self.keygen("--help").stdout.startswith("Usage: suspend-keygen"))
        self.assertEqual(self.keygen("-h").stdout, self.keygen("--help").stdout)
        self.assertRegex(self.keygen("-V").stdout, r"^suspend-keygen \(dormouse\) \d+\.\d+\.\d+\n$")
        self.assertEqual(sorted(os.listdir(self.directory)), ["empty.conf"], "an option that is wrong left a file")

    def test_what_cannot_be_said_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            run = self.keygen("--raw", self.key, stdout=full, expect=1)
        self.assertIn("write on standard output: No space left on device", run.stderr)


if __name__ == "__main__":
    main()
