"""Sealing fails closed: without a usable key nothing is written, and without the right one nothing comes out."""

import files
import needs
import swap_area
from sealing import PAIR_PASSPHRASE, PASSPHRASE, TRIES, WRONG, SealedTest, key_files, line
from tool_test import main

# As large as the key of uswsusp's suspend-keygen, and as openssl begins one.
_USWSUSP_RSA = b"RSA\0" + bytes(range(1, 250)) * 5
_PEM = (b"-----BEGIN RSA PRIVATE KEY-----\n" + b"MIIEowIBAAKCAQEAx3x1\n" * 20 + b"-----END RSA PRIVATE KEY-----\n")


class FailClosed(SealedTest):
    """s2disk that was to seal, and cannot: an error that says why, the area as it was to the byte."""

    pages = 70

    def setUp(self):
        super().setUp()
        self.before = files.digest(self.area)

    def check(self, *options, code, says=(), typed=b"", config=None):
        """One run that must not write."""
        return self.check_words(self.s2disk_command(*options, "--progress", "none", config=config), code, says, typed)

    def check_words(self, words, code, says, typed):
        """The same of any command that runs s2disk."""
        run = self.run_words(words, code, typed)
        self.assertEqual(files.digest(self.area), self.before, "something was written")
        self.assertRegex(run.stderr, r"(?m)^s2disk: ")
        for pattern in says:
            self.assertRegex(run.stderr, pattern)
        return run

    def test_a_pipe_that_holds_no_line(self):
        says = "passphrase", "standard input"
        self.check("--encrypt", code=2, says=says)
        self.check("--encrypt", "--key-file", self.raw_file, "-P", "passphrase = y", code=2, says=says)
        self.check("-P", "encrypt = y", code=2, says=says)
        self.check(config=self.config("encrypt = aes-256-gcm\n"), code=2, says=says)

    def test_nobody_to_ask(self):
        words = needs.without_systemd(self.s2disk_command("--encrypt", "--progress", "none"))
        self.check_words(words, code=2, typed=None, says=("passphrase", "nobody can be asked", "--key-file"))

    def test_no_way_wanted(self):
        self.check("--encrypt", "-P", "passphrase = n", code=2, says=("(?i)passphrase", "(?i)key.file"))

    def test_passphrases_that_are_none(self):
        self.check("--encrypt", code=2, typed=b"\n", says=("(?i)passphrase",))
        self.check("--encrypt", code=2, typed=b"y" * 513 + b"\n", says=("512",))
        self.check("--encrypt", code=2, typed=b"y" * 100_000, says=("512",))

    def test_a_key_file_that_is_missing(self):
        for options in (("--encrypt", "--key-file", "nowhere.key"),
                        ("--encrypt", "--key-file", self.raw_file, "--key-file", "nowhere.key"),
                        ("-P", "encrypt = y", "-P", "key file = nowhere.key")):
            with self.subTest(options=options):
                # A passphrase that could be had is no stand-in.
                self.check(*options, code=1, typed=line(PASSPHRASE), says=("nowhere.key", "No such file or directory"))

    def test_a_key_file_that_cannot_be_read(self):
        """root reads what it likes, but no directory."""
        self.check("--encrypt", "--key-file", self.directory, code=1, typed=line(PASSPHRASE),
                   says=(str(self.directory), "directory"))

    def test_key_files_that_are_none(self):
        for name, data, says in (
            ("empty", b"", ("empty",)),
            ("short", b"\x71" * 31, ("31 bytes", "cut short")),
            ("one-byte", b"\x71", ("1 bytes", "cut short")),
            ("long", b"\x71" * 33, ("33 bytes", "too long")),
            ("line-feed", b"0123456789abcdef0123456789abcdef\n", ("33 bytes", "end of a line")),
            ("hexadecimal", b"ab" * 32, ("hexadecimal",)),
            ("twice", b"\x71" * 64, ("64 bytes", "too long")),
            ("never-written", bytes(32), ("all zero",)),
            ("huge", b"\x71" * 100_000, ("too long",)),
            ("uswsusp", _USWSUSP_RSA, ("uswsusp", "RSA", "suspend-keygen")),
            ("pem", _PEM, ("PEM", "suspend-keygen")),
        ):
            with self.subTest(name=name):
                key = self.write_key(f"{name}.key", data)
                self.check("--encrypt", "--key-file", key, code=2, typed=line(PASSPHRASE), says=(f"{name}.key", *says))

    def test_the_rsa_key_of_uswsusp(self):
        key = self.write_key("rsa.key", _USWSUSP_RSA)
        self.check(config=self.config(f"encrypt = y\nRSA key file = {key}\n"), code=2, typed=line(PASSPHRASE),
                   says=("rsa.key", "RSA", "suspend-keygen"))
        run = self.s2disk(config=self.config("encrypt = y\nRSA key file = /nonexistent\n"), expect=1, typed=line(PASSPHRASE))
        self.assertIn("/nonexistent", run.stderr)
        self.assertEqual(files.digest(self.area), self.before)

    def test_a_key_file_without_encrypt(self):
        """Who names a key thinks that the image is sealed."""
        says = "raw.key|--key-file|key file", "encrypt"
        self.check("--key-file", self.raw_file, code=2, says=says)
        self.check("-P", f"key file = {self.raw_file}", code=2, says=says)
        self.check(config=self.config(f"key file = {self.raw_file}\n"), code=2, says=says)
        self.s2disk(config=self.config(f"key file = {self.raw_file}\nencrypt = n\n"))
        self.recover()

    def test_ciphers_that_are_none(self):
        for name in ("aes", "aes-128-gcm", "blowfish"):
            with self.subTest(name=name):
                self.check(f"--encrypt={name}", "--key-file", self.raw_file, code=2, says=("encrypt", name, "aes-256-gcm"))
        self.check("--encrypt=", "--key-file", self.raw_file, code=2, says=("encrypt",))

    def test_a_word_behind_encrypt_is_no_cipher(self):
        run = self.check("--encrypt", "aes-256-gcm", "--key-file", self.raw_file, code=2)
        self.assertIn("aes-256-gcm", run.stderr)


class KeyPairs(SealedTest):
    """Every damage of a key pair's file is seen before anything is written."""

    pages = 70

    def check(self, text, *says):
        before = files.digest(self.area)
        key = self.write_key("bad.key", text.encode() if isinstance(text, str) else text)
        run = self.s2disk("--encrypt", "--key-file", key, typed=line(PASSPHRASE), expect=2)
        for pattern in ("bad.key", *says):
            self.assertRegex(run.stderr, pattern)
        self.assertEqual(files.digest(self.area), before)

    def test_cut_short(self):
        for count in (1, 13, 14, 15, 32, 33, 80, 200, len(self.pair.text) - 18, len(self.pair.text) - 2):
            with self.subTest(count=count):
                self.check(self.pair.text[:count])

    def test_too_long(self):
        self.check(self.pair.text + "more\n")
        self.check(self.pair.text + " ")
        self.check(self.pair.text + self.pair.text)
        self.check(self.pair.text.encode() + b"\0")

    def test_a_digit_changed(self):
        for at, old in enumerate(self.pair.text):
            if old in "0123456789abcdef" and at % 17 == 0:
                with self.subTest(at=at):
                    self.check(self.pair.text[:at] + ("0" if old != "0" else "1") + self.pair.text[at + 1:])

    def test_changed_with_a_check_line_that_fits(self):
        lines = self.pair.text.splitlines(keepends=True)[:-1]
        for number, other in (
            (0, "dormouse key 2\n"),
            (0, ""),
            (1, "public " + "00" * 32 + "\n"),          # of small order: every shared secret would be zero
            (1, "public " + "01" + "00" * 31 + "\n"),
            (1, "public " + "zz" * 32 + "\n"),
            (1, lines[1][:-3] + "\n"),
            (2, ""),
            (3, "argon2id 7 1 1\n"),                   # beyond what a reader accepts
            (3, "argon2id 262145 1 1\n"),
            (3, "argon2id 8 0 1\n"),
            (3, "argon2id 8 65 1\n"),
            (3, "argon2id 8 1 0\n"),
            (3, "argon2id 32 1 5\n"),
            (3, "argon2id 262144 64 1\n"),
            (3, "argon2id -8 1 1\n"),
            (3, "argon2id 8 1\n"),
            (4, lines[4][:-3] + "\n"),
            (5, lines[5].rsplit(" ", 1)[0] + "\n"),
        ):
            with self.subTest(line=number, text=other):
                self.check(key_files.with_check("".join((*lines[:number], other, *lines[number + 1:]))))

    def test_a_public_half_that_is_not_that_of_the_private_one(self):
        """It is well-formed, so s2disk seals with it; but the private half is bound to its own public one."""
        other = key_files.key_pair(PAIR_PASSPHRASE)
        lines = self.pair.text.splitlines(keepends=True)[:-1]
        lines[1] = f"public {other.public.hex()}\n"
        mixed = self.write_key("mixed.key", key_files.with_check("".join(lines)).encode())
        self.seal("--key-file", mixed)
        self.resume("--verify", typed=line(PAIR_PASSPHRASE) * TRIES, expect=3)


class WrongKeys(SealedTest):
    """What does not open an image leaves it as it is, and says so with exit code 3."""

    pages = 70

    def check(self, *options, code=3, typed=None, says=()):
        before = files.digest(self.area)
        for action in (("--to", self.out), ("--verify",)):
            run = self.resume(*action, *options, "--progress", "none", expect=code, typed=typed)
            self.assertEqual(list(self.directory.glob("out*")), [], "a part of OUT was left")
            for pattern in says:
                self.assertRegex(run.stderr, pattern)
        run = self.resume("--verify", *options, "--report", "json", expect=code, typed=typed)
        report = run.json()
        self.assertEqual(report["exit_code"], code)
        self.assertIn(report["error"], run.stderr)
        self.assertEqual(files.digest(self.area), before)
        self.assertEqual(swap_area.signature(self.area), swap_area.MARK)

    def test_a_wrong_passphrase(self):
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        self.check(typed=line(WRONG, b"other", b"third"), says=(r"(?m)^resume: ",))
        self.recover(typed=line(PASSPHRASE))

    def test_a_wrong_passphrase_and_no_other(self):
        """The pipe has fewer lines than there are tries: it is the passphrase that is wrong, not an option."""
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        self.check(typed=line(WRONG))
        self.check(typed=line(WRONG, b"other"))

    def test_a_wrong_passphrase_of_a_pair(self):
        self.seal("--key-file", self.pair_file)
        self.check(typed=line(WRONG, PASSPHRASE, b"third"))
        self.recover(typed=line(PAIR_PASSPHRASE))

    def test_a_wrong_key_file(self):
        self.seal()
        for name, key in (("one bit", bytes([self.raw[0] ^ 1]) + self.raw[1:]), ("reversed", self.raw[::-1]),
                          ("last bit", self.raw[:31] + bytes([self.raw[31] ^ 0x80]))):
            with self.subTest(name=name):
                self.check("--key-file", self.write_key("wrong.key", key))
        self.open()

    def test_a_key_file_that_is_missing_or_none(self):
        """Named on the command line it has to be of use, though there is a passphrase."""
        self.seal("--key-file", self.raw_file, "-P", "passphrase = y", typed=line(PASSPHRASE))
        typed = line(PASSPHRASE)
        self.check("--key-file", "nowhere.key", code=1, typed=typed, says=("nowhere.key", "No such file"))
        self.check("--key-file", self.write_key("cut.key", self.raw[:31]), code=2, typed=typed, says=("cut.key", "31 bytes"))
        self.recover(typed=typed)

    def test_no_key_at_all(self):
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        self.check(code=2, typed=b"", says=("(?i)passphrase",))

    def test_an_image_that_takes_only_key_files(self):
        self.seal()
        self.check(typed=line(PASSPHRASE) * TRIES, says=("(?i)key.file", "--key-file"))

    def test_a_pair_is_opened_by_its_passphrase_alone(self):
        """Its private half lies in the image, so that resume needs no file; and another key is none of its business."""
        self.seal("--key-file", self.pair_file)
        self.pair_file.unlink()
        self.recover(typed=line(PAIR_PASSPHRASE))
        self.check("--key-file", self.raw_file)

    def test_a_key_for_a_plain_image_is_no_harm(self):
        self.s2disk("--compress=lz4")
        self.recover("--key-file", self.raw_file)


if __name__ == "__main__":
    main()
