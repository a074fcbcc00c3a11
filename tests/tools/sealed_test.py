"""Sealed images from end to end: every cipher, every way to open them, and what they look like from outside."""

import socket
import subprocess

import files
import image
import swap_area
from sealing import CIPHERS, PAIR_PASSPHRASE, PASSPHRASE, TRIES, WRONG, SealedTest, key_files, line, primitives
from tool_test import main, program

CODECS = ("none", "lzf", "lz4", "zstd", "auto")


class RoundTrip(SealedTest):
    """The same bytes come out, whatever they were sealed with."""

    def test_every_cipher_way_and_codec(self):
        for way in self.ways():
            for cipher in CIPHERS:
                for codec in CODECS:
                    with self.subTest(way=way.name, cipher=cipher, codec=codec):
                        words = f"--compress={codec}", "--early-writeout", "1", "--report", "json", "--progress", "none"
                        report = self.s2disk(f"--encrypt={cipher}", *way.seal, *words, typed=way.seal_typed).json()
                        self.assertEqual(report["settings"]["cipher"], cipher)
                        self.assertEqual(report["settings"]["codec"], codec)
                        self.recover(*way.open, typed=way.open_typed)
                        self.resume("--discard")
                        self.assertEqual(swap_area.header_page(self.area), self.header)

    def test_bare_encrypt_takes_one_of_the_ciphers(self):
        report = self.s2disk("--encrypt", "--key-file", self.raw_file, "--report", "json").json()
        self.assertIn(report["settings"]["cipher"], CIPHERS)
        self.open()

    def test_settings_of_the_transfer(self):
        for options in (("--io", "buffered"), ("--early-writeout", "off"), ("--early-writeout", "20"), ("--threads", "1"),
                        ("--threads", "7"), ("--threads", "64")):
            with self.subTest(options=options):
                self.seal("--compress=lz4", *options)
                self.open("--threads", "1")
                self.open("--threads", "5")
                self.resume("--discard")

    def test_page_sizes_and_bad_pages(self):
        for page_bytes in (16384, 65536):
            with self.subTest(page_bytes=page_bytes):
                self.make_snapshot(pages=50, page_bytes=page_bytes)
                self.make_area(pages=80, page_bytes=page_bytes, bad_pages=[3, 4, 79])
                self.seal("--compress=zstd", cipher="aes-256-ocb")
                self.open()

    def test_around_a_chunk_and_a_map_page(self):
        for pages in (1, 63, 64, 65, 70 * 64, 71 * 64, 72 * 64 + 1):
            with self.subTest(pages=pages):
                self.make_snapshot(pages)
                self.make_area(pages + 200)
                self.seal("--compress=lz4", cipher="chacha20-poly1305")
                self.open()

    def test_it_takes_no_more_room_than_a_plain_one(self):
        plain = self.s2disk("--compress=none", "--report", "json").json()["image"]
        self.make_area(image.pages_needed(self.pages) + 1)
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                self.assertEqual(self.seal("--compress=none", cipher=cipher)["image"], plain)
                self.open()
                self.resume("--discard")

    def test_verified_before_it_is_marked(self):
        for way in self.ways():
            with self.subTest(way=way.name):
                words = "--encrypt", "--verify", "--report", "json", *way.seal
                report = self.s2disk(*words, typed=way.seal_typed).json()
                self.assertIn("verify", [phase["name"] for phase in report["phases"]])
                self.recover(*way.open, typed=way.open_typed)
                self.resume("--discard")

    def test_reading_changes_nothing(self):
        self.seal("--compress=lz4")
        before = files.digest(self.area)
        for _ in range(2):
            self.open()
            run = self.resume("--verify", "--key-file", self.raw_file, "--report", "json")
            self.assertEqual(run.json()["settings"]["cipher"], "aes-256-gcm")
            self.resume("--verify", "--key-file", self.write_key("other.key", b"\x5a" * 32), expect=3)
            self.resume("--status")
        self.assertEqual(files.digest(self.area), before)

    def test_the_same_snapshot_twice_has_nothing_in_common(self):
        """Key and image id are drawn anew each time, though snapshot and key file are the same."""
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                seen = set()
                for _ in range(2):
                    self.make_area(self.pages + 100)
                    self.seal("--compress=none", cipher=cipher)
                    header = self.sealed_header()
                    stored = b"".join(self.stored_bytes_of(chunk) for chunk in image.read(self.area).chunks)
                    self.assertEqual(len(stored), self.pages * 4096)
                    blocks = {stored[at:at + 16] for at in range(0, len(stored), 16)}
                    blocks |= {header.image_id, header.slots[0].salt, header.slots[0].data[48:64], header.map_digest}
                    self.assertEqual(seen & blocks, set())
                    seen |= blocks


class Ways(SealedTest):
    """Keys of every kind, alone and together."""

    pages = 70

    def test_each_of_three_opens(self):
        keys = "--key-file", self.pair_file, "--key-file", self.raw_file
        self.seal(*keys, "-P", "passphrase = y", typed=line(PASSPHRASE))
        self.assertEqual(sorted(self.sealed_header().ways), ["key file", "key pair", "passphrase"])
        for way in self.ways():
            with self.subTest(way=way.name):
                self.recover(*way.open, typed=way.open_typed)
        self.resume("--verify", "--key-file", self.raw_file)

    def test_a_passphrase_is_wanted_unless_a_key_file_is_named(self):
        self.seal("-P", "passphrase = y", "--key-file", self.raw_file, typed=line(PASSPHRASE))
        self.assertEqual(sorted(self.sealed_header().ways), ["key file", "passphrase"])
        self.resume("--discard")
        self.seal("--key-file", self.raw_file, typed=line(PASSPHRASE))
        self.assertEqual(self.sealed_header().ways, ["key file"])
        self.resume("--discard")
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        self.assertEqual(self.sealed_header().ways, ["passphrase"])
        self.resume("--discard")
        run = self.s2disk("--encrypt", "-P", "passphrase = n", typed=line(PASSPHRASE), expect=2)
        self.assertIn("neither a passphrase nor a key file", run.stderr)

    def test_keys_of_the_configuration(self):
        other = self.write_key("other.key", b"\x33" * 32)
        config = self.config(f"encrypt = chacha20-poly1305\nkey file = {self.raw_file}\nkey file = {self.pair_file}\n")
        report = self.s2disk("--report", "json", config=config).json()
        self.assertEqual(report["settings"]["cipher"], "chacha20-poly1305")
        self.assertEqual(sorted(self.sealed_header().ways), ["key file", "key pair"])
        self.recover(config=config)  # the raw key, without a word
        self.recover(typed=line(PAIR_PASSPHRASE))
        self.resume("--discard")
        # A later source replaces.
        self.s2disk("--key-file", other, config=config)
        self.recover("--key-file", other, config=config)
        self.resume("--verify", config=config, expect=3)
        self.resume("--discard")
        report = self.s2disk("-P", "encrypt = n", "--report", "json", config=config).json()
        self.assertEqual(report["settings"]["cipher"], "none")
        self.recover()

    def test_eight_ways_and_a_ninth(self):
        raw = [self.write_key(f"{number}.key", bytes([number] * 32)) for number in range(1, 10)]
        named = [word for path in raw for word in ("--key-file", path)]
        self.seal(*named[:16])
        self.assertEqual(self.sealed_header().ways, ["key file"] * 8)
        for path in raw[:8]:
            self.recover("--key-file", path)
        self.resume("--verify", "--key-file", raw[8], expect=3)
        self.resume("--discard")
        before = files.digest(self.area)
        self.assertRegex(self.s2disk("--encrypt", *named, expect=2).stderr, r"\b(8|eight)\b")
        self.assertEqual(files.digest(self.area), before)

    def test_rsa_key_file_may_name_a_key_of_ours(self):
        config = self.config(f"encrypt = y\nRSA key file = {self.pair_file}\n")
        self.s2disk(config=config)
        self.assertEqual(self.sealed_header().ways, ["key pair"])
        self.recover(typed=line(PAIR_PASSPHRASE))

    def test_keys_with_leading_zero_bytes(self):
        for zeros in (1, 2, 31):
            with self.subTest(zeros=zeros):
                raw = bytes(zeros) + b"\x71" * (32 - zeros)
                key = self.write_key("zeros.key", raw)
                self.seal("--key-file", key)
                self.recover("--key-file", key)
                shifted = self.write_key("shifted.key", raw[zeros:] + bytes(zeros))
                self.resume("--verify", "--key-file", shifted, expect=3)
                self.resume("--discard")
        pair = key_files.key_pair(PAIR_PASSPHRASE, private=bytes(3) + b"\x71" * 29)
        self.seal("--key-file", self.write_key("zero-pair.key", pair.text.encode()))
        self.recover(typed=line(PAIR_PASSPHRASE))

    def test_a_public_half_with_leading_zero_bytes(self):
        private = next(private for private in (number.to_bytes(32, "little") for number in range(8, 1 << 20, 8))
                       if primitives.x25519(private)[0] == 0)
        pair = key_files.key_pair(PAIR_PASSPHRASE, private=private)
        self.assertEqual(pair.public[0], 0)
        self.seal("--key-file", self.write_key("zero-pair.key", pair.text.encode()))
        self.recover(typed=line(PAIR_PASSPHRASE))

    def test_a_pair_of_suspend_keygen(self):
        made = self.directory / "made.key"
        self.run_words([program("keygen"), str(made)], typed=line(PASSPHRASE))
        self.assertEqual(made.stat().st_mode & 0o777, 0o600)
        self.seal("--key-file", made)
        self.recover(typed=line(PASSPHRASE))
        self.resume("--verify", typed=line(WRONG) * TRIES, expect=3)
        raw = self.directory / "made-raw.key"
        self.run_words([program("keygen"), "--raw", str(raw)])
        self.assertEqual((raw.stat().st_size, raw.stat().st_mode & 0o777), (32, 0o600))
        self.resume("--discard")
        self.seal("--key-file", raw)
        self.recover("--key-file", raw)


class Passphrases(SealedTest):
    """What a passphrase may hold, and where it may come from."""

    pages = 70

    def test_every_byte_counts(self):
        for passphrase, near in (
            (b"x", (b"X", b"xx", b"x ")),
            (b" blanks at both ends ", (b"blanks at both ends", b" blanks at both ends", b"blanks at both ends ")),
            ("Gr\u00fc\u00dfe".encode(), ("Gru\u0308\u00dfe".encode(), "Gr\u00fc\u00dfe".encode("latin-1"), b"Gr")),
            (bytes(range(128, 256)), (bytes(range(128, 255)), bytes(range(129, 256)), bytes(range(127, 256)))),
            (b"y" * 512, (b"y" * 511, b"y" * 511 + b"z", b"y")),
        ):
            with self.subTest(passphrase=passphrase[:20]):
                self.s2disk("--encrypt", typed=line(passphrase))
                self.recover(typed=line(passphrase))
                self.resume("--verify", typed=line(*near), expect=3)
                self.resume("--discard")

    def test_without_a_line_feed_at_the_end(self):
        self.s2disk("--encrypt", typed=PASSPHRASE)
        self.recover(typed=PASSPHRASE)
        self.recover(typed=line(PASSPHRASE))

    def test_three_lines_are_tried(self):
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        self.recover(typed=line(WRONG, PASSPHRASE))
        self.recover(typed=line(WRONG, b"other", PASSPHRASE))
        self.resume("--verify", typed=line(WRONG, b"other", b"third", PASSPHRASE), expect=3)
        self.resume("--verify", typed=line(PASSPHRASE, WRONG))

    def test_s2disk_reads_one_line(self):
        self.s2disk("--encrypt", typed=line(PASSPHRASE, b"other"))
        self.resume("--verify", typed=line(b"other") * TRIES, expect=3)
        self.recover(typed=line(PASSPHRASE))

    def test_from_a_file_and_from_a_socket(self):
        words = self.directory / "words"
        words.write_bytes(line(PASSPHRASE))
        with open(words, "rb") as source:
            subprocess.run(self.s2disk_command("--encrypt"), stdin=source, capture_output=True, check=True, timeout=300)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(line(PASSPHRASE))
            subprocess.run(self.resume_command("--verify"), stdin=theirs, capture_output=True, check=True, timeout=300)

    def test_a_pair_and_a_passphrase_are_both_tried(self):
        """One passphrase may be that of a slot or that of a private half: nobody is asked which."""
        self.s2disk("--encrypt", "-P", "passphrase = y", "--key-file", self.pair_file, typed=line(PASSPHRASE))
        for passphrase in (PASSPHRASE, PAIR_PASSPHRASE):
            self.recover(typed=line(passphrase))


class Seen(SealedTest):
    """What can be had without a key."""

    pages = 70

    def test_status(self):
        keys = "--key-file", self.pair_file, "--key-file", self.raw_file
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                self.seal(*keys, "-P", "passphrase = y", cipher=cipher, typed=line(PASSPHRASE))
                text = self.resume("--status").stdout
                for pattern in (rf"(?m)^ +sealed +{cipher}", "passphrase", "key-pair", "key-file"):
                    self.assertRegex(text, pattern)
                found = self.resume("--status", "--report", "json").json()["image"]
                self.assertEqual(found["cipher"], cipher)
                self.assertEqual(sorted(found["ways"]), ["key-file", "key-pair", "passphrase"])
                self.resume("--discard")

    def test_status_of_a_plain_image(self):
        self.s2disk("--compress=lz4")
        found = self.resume("--status", "--report", "json").json()["image"]
        self.assertEqual((found["cipher"], found["ways"]), (None, []))
        self.assertRegex(self.resume("--status").stdout, r"(?m)^ +sealed +no$")

    def test_the_report(self):
        run = self.s2disk("--encrypt=aes-256-ocb", "--key-file", self.raw_file, "--progress", "none")
        self.assertEqual(run.stderr, "")
        self.assertRegex(run.stdout, r"cipher aes-256-ocb")
        text = self.resume("--verify", "--key-file", self.raw_file, "--report", "prometheus").stdout
        self.assertRegex(text, r'dormouse_\w+\{[^}]*cipher="aes-256-ocb"[^}]*\} ')

    def test_discard_needs_no_key(self):
        for way in self.ways():
            with self.subTest(way=way.name):
                self.s2disk("--encrypt", *way.seal, typed=way.seal_typed)
                self.resume("--discard")
                self.assertEqual(swap_area.header_page(self.area), self.header)


if __name__ == "__main__":
    main()
