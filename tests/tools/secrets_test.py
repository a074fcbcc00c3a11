"""What is to be kept secret is nowhere: not on the swap area, not in what a tool leaves of its memory, and never where
another process, a core dump or the swap of this machine could show it."""

import os
import signal
import subprocess
import time

import files
import image
import needs
import snapshot
import swap_area
from process_memory import TracedTool, search
from sealing import CIPHERS, PAIR_PASSPHRASE, PASSPHRASE, TRIES, WRONG, SealedTest, key_files, line, primitives
from sealing import secret_patterns
from tool_test import main, program

MIB = 1 << 20
BLOCK = 16
# Seconds on any machine, for what needs a moment of it.
SLOW = ("--compress=zstd:19", "--threads", "1", "--progress", "plain")
SLOW_BYTES = 8 * MIB


class OnTheArea(SealedTest):
    """All of the swap area is searched: each block of 16 bytes is compared with all that could be there."""

    def blocks(self, data):
        """The blocks of `data` that say anything."""
        found = {data[at:at + BLOCK] for at in range(0, len(data), BLOCK)}
        return {block for block in found if len(set(block)) > 4}

    def secrets(self):
        return {"raw key": self.raw, "passphrase": PASSPHRASE, "passphrase of the pair": PAIR_PASSPHRASE,
                "private half": self.pair.private}

    def test_no_page_and_no_key(self):
        for codec in ("none", "lzf", "lz4", "zstd"):
            self.make_area(self.pages + 100)
            self.s2disk(f"--compress={codec}")
            plain = b"".join(self.stored_bytes_of(chunk) for chunk in image.read(self.area).chunks)
            known = self.blocks(plain) | self.blocks(self.snap.read_bytes())
            # The search finds them where they are in the clear.
            self.assertGreater(len(known & self.blocks(self.area.read_bytes())), self.pages)
            for cipher in CIPHERS:
                with self.subTest(codec=codec, cipher=cipher):
                    self.make_area(self.pages + 100)
                    keys = "--key-file", self.pair_file, "--key-file", self.raw_file
                    self.seal(f"--compress={codec}", *keys, "-P", "passphrase = y", cipher=cipher, typed=line(PASSPHRASE))
                    area = self.area.read_bytes()
                    self.assertEqual(known & self.blocks(area), set())
                    header = self.sealed_header()
                    slot_key, image_key = header.key_file_keys(self.raw)
                    secrets = self.secrets() | {"slot key": slot_key, "image key": image_key,
                                                "data key": header.data_key(image_key)}
                    for what, pattern in secret_patterns.with_halves(secrets).items():
                        self.assertNotIn(pattern, area, what)

    def test_what_was_given_up_in_the_middle(self):
        """An image that was stopped, too."""
        snapshot.write_text(self.snap, SLOW_BYTES)
        self.make_area(pages=3000)
        words = self.s2disk_command("--encrypt", "--key-file", self.raw_file, *SLOW)
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as tool:
            tool.stderr.readline()
            tool.send_signal(signal.SIGTERM)
            tool.communicate(timeout=300)
        self.assertEqual(tool.returncode, 4)
        area = self.area.read_bytes()
        self.assertEqual(area[:4096], swap_area.header_page(self.area))
        self.assertGreater(files.disk_bytes(self.area), 64 * 1024, "nothing had been written yet")
        self.assertEqual(self.blocks(self.snap.read_bytes()) & self.blocks(area[4096:]), set())
        self.assertNotIn(self.raw, area)


class InMemory(SealedTest):
    """The memory of a tool is read at its very end, after its last own instruction."""

    def check(self, words, secrets, typed=b"", code=0):
        """Runs `words`; at the end none of the secrets is left. `secrets` is called then, as some lie on the disk."""
        with TracedTool(words, typed, self.directory) as tool:
            regions = tool.memory_at_end(code)
            said = tool.stdout + tool.stderr
        self.assertTrue(search(regions, {"its own words": str(words[-1]).encode()}), "nothing is seen at all")
        patterns = secret_patterns.with_halves(secrets())
        self.assertEqual([str(hit) for hit in search(regions, patterns)], [])
        for what, pattern in patterns.items():
            self.assertNotIn(pattern.hex(), said, what)
            self.assertNotIn(pattern, said.encode(), what)

    def sealing(self, *options):
        progress = () if "--progress" in options else ("--progress", "none")
        return self.s2disk_command("--encrypt", *progress, *options)

    def opening(self, *options):
        progress = () if "--progress" in options else ("--progress", "none")
        return self.resume_command(*progress, *options)

    def image_keys(self):
        """With the raw key among the ways, all keys of the image on the area."""
        header = self.sealed_header()
        slot_key, image_key = header.key_file_keys(self.raw)
        return {"raw key": self.raw, "slot key": slot_key, "image key": image_key, "data key": header.data_key(image_key)}

    def pair_keys(self):
        """The same of a key pair, with what its passphrase makes."""
        header = self.sealed_header()
        shared, slot_key, image_key = header.private_half_keys(self.pair.private)
        salt = bytes.fromhex(self.pair.text.splitlines()[2].split()[1])
        return {"shared secret": shared, "slot key of the pair": slot_key, "image key": image_key,
                "data key": header.data_key(image_key), "private half": self.pair.private,
                "passphrase of the pair": PAIR_PASSPHRASE,
                "key of the private half": primitives.argon2id(PAIR_PASSPHRASE, salt, *key_files.CHEAP)}

    def test_sealing_with_a_key_file(self):
        for cipher in CIPHERS:
            for options in ((), ("--verify",), ("--threads", "3")):
                with self.subTest(cipher=cipher, options=options):
                    self.make_area(self.pages + 100)
                    words = self.s2disk_command("--progress", "none", "--key-file", self.raw_file, *options,
                                                f"--encrypt={cipher}")
                    self.check(words, self.image_keys)

    def test_sealing_with_a_key_pair(self):
        self.check(self.sealing("--verify", "--key-file", self.pair_file), self.pair_keys)

    def test_sealing_with_a_passphrase(self):
        words = self.sealing("-P", "passphrase = y", "--key-file", self.raw_file)
        self.check(words, lambda: self.image_keys() | {"passphrase": PASSPHRASE}, line(PASSPHRASE))

    def test_sealing_that_fails(self):
        known = {"raw key": self.raw, "passphrase": PASSPHRASE}
        words = self.sealing("-P", "passphrase = y", "--key-file", self.raw_file)
        with self.subTest("no room"):
            snapshot.write_random(self.snap, self.pages * 4096)
            self.make_area(self.pages)
            self.check(words, lambda: known, line(PASSPHRASE), code=5)
        with self.subTest("a second key is missing"):
            self.check(self.sealing("--key-file", self.raw_file, "--key-file", "nowhere.key"), lambda: known, code=1)
        with self.subTest("the passphrase is missing"):
            self.check(words, lambda: known, code=2)

    def test_sealing_that_is_stopped(self):
        snapshot.write_text(self.snap, SLOW_BYTES)
        self.make_area(pages=3000)
        words = self.sealing("-P", "passphrase = y", "--key-file", self.raw_file, *SLOW)
        with TracedTool(words, line(PASSPHRASE)) as tool:
            tool.memory_at(r"write: +\d+ %")
            tool.send(signal.SIGTERM)
            regions = tool.memory_at_end(4)
        patterns = secret_patterns.with_halves({"raw key": self.raw, "passphrase": PASSPHRASE})
        self.assertEqual([str(hit) for hit in search(regions, patterns)], [])

    def test_opening(self):
        keys = "--key-file", self.raw_file, "--key-file", self.pair_file
        self.seal(*keys, "-P", "passphrase = y", typed=line(PASSPHRASE))

        def known():
            return self.image_keys() | self.pair_keys() | {"passphrase": PASSPHRASE, "wrong passphrase": WRONG}

        for name, options, typed, code in (
            ("key file", ("--key-file", self.raw_file, "--verify"), b"", 0),
            ("key file, other threads", ("--key-file", self.raw_file, "--threads", "3", "--verify"), b"", 0),
            ("key pair", ("--verify",), line(PAIR_PASSPHRASE), 0),
            ("passphrase", ("--verify",), line(WRONG, PASSPHRASE), 0),
            ("to a file", ("--key-file", self.raw_file, "--to", self.out), b"", 0),
            ("wrong passphrases", ("--verify",), line(WRONG) * TRIES, 3),
        ):
            with self.subTest(name=name):
                self.check(self.opening(*options), known, typed, code)

    def test_opening_that_fails(self):
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                self.make_area(self.pages + 100)
                self.seal("--compress=none", cipher=cipher)
                files.flip_byte(self.area, image.read(self.area).chunks[2].extents[0][0] * 4096)
                self.check(self.opening("--key-file", self.raw_file, "--verify"), self.image_keys, code=3)

    def test_making_keys(self):
        for name, options, typed in (("pair", (), line(PASSPHRASE)), ("raw", ("--raw",), b"")):
            with self.subTest(name=name):
                path = self.directory / f"made-{name}"

                def known(path=path, name=name):
                    return {"passphrase": PASSPHRASE} | ({"raw key": path.read_bytes()} if name == "raw" else {})

                self.check([program("keygen"), *options, str(path)], known, typed)

    def test_no_page_is_left(self):
        """Neither of the snapshot that was sealed nor of the one that was recovered."""
        snapshot.write_random(self.snap, self.pages * 4096)
        pages = self.snap.read_bytes()
        samples = {f"page {number}": pages[number * 4096 + 256:number * 4096 + 288] for number in range(0, self.pages, 7)}
        with TracedTool(self.sealing("--key-file", self.raw_file)) as tool:
            self.assertEqual([str(hit) for hit in search(tool.memory_at_end(0), samples)], [])
        with TracedTool(self.opening("--key-file", self.raw_file, "--to", self.out)) as tool:
            self.assertEqual([str(hit) for hit in search(tool.memory_at_end(0), samples)], [])


class WhileItRuns(SealedTest):
    """There is a key in memory while an image is written. It lies in pages that are neither swapped out nor dumped."""

    def test_keys_lie_in_locked_memory(self):
        snapshot.write_text(self.snap, SLOW_BYTES)
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                self.make_area(pages=3000)
                words = self.s2disk_command(f"--encrypt={cipher}", "--key-file", self.raw_file, "-P", "passphrase = y", *SLOW)
                with TracedTool(words, line(PASSPHRASE)) as tool:
                    regions = tool.memory_at(r"write: +\d+ %")
                    tool.memory_at_end(0)
                header = self.sealed_header()
                slot_key, image_key = header.key_file_keys(self.raw)
                data_key = header.data_key(image_key)
                self.assertTrue(search(regions, {"data key": data_key}), "the search does not see what is there")
                patterns = {"data key": data_key, "image key": image_key, "slot key": slot_key, "raw key": self.raw,
                            "passphrase": PASSPHRASE}
                exposed = [str(hit) for hit in search(regions, patterns) if not {"lo", "dd"} <= hit.region.flags]
                self.assertEqual(exposed, [])


class Protected(SealedTest):
    """As soon as a key or a passphrase is asked for, nobody of the same user can look, and no core is dumped."""

    pages = 70

    def unprivileged(self, words):
        """root may look at everything, unless it has put away its privileges."""
        if os.geteuid() != 0:
            return words
        return [needs.command("setpriv"), "--bounding-set=-all", "--inh-caps=-all", *words]

    def can_be_looked_at(self, pid):
        look = subprocess.run(self.unprivileged(["cat", f"/proc/{pid}/environ"]), capture_output=True, check=False)
        return look.returncode == 0

    def core_limit(self, pid):
        with open(f"/proc/{pid}/limits", encoding="ascii") as limits:
            return next(text.split()[4:6] for text in limits if text.startswith("Max core file size"))

    def await_asking(self, tool):
        """Until it reads from its empty pipe there is nothing secret. It forbids core dumps before that."""
        end = time.monotonic() + 120
        while self.core_limit(tool.pid) != ["0", "0"]:
            self.assertIsNone(tool.poll(), "it ended before it asked")
            self.assertLess(time.monotonic(), end, "core dumps are not forbidden")
            time.sleep(0.01)

    def test_while_it_asks(self):
        with subprocess.Popen(self.unprivileged(["cat"]), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as other:
            if not self.can_be_looked_at(other.pid):
                needs.missing("no process can be looked at here, protected or not")
            other.stdin.close()
        commands = {"s2disk": self.s2disk_command("--encrypt"), "resume": self.resume_command("--verify"),
                    "suspend-keygen": [program("keygen"), str(self.directory / "new.key")]}
        for name, words in commands.items():
            with self.subTest(tool=name):
                if name == "resume":
                    self.s2disk("--encrypt", typed=line(PASSPHRASE))
                with subprocess.Popen(self.unprivileged(words), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, cwd=self.directory) as tool:
                    self.await_asking(tool)
                    self.assertFalse(self.can_be_looked_at(tool.pid))
                    tool.stdin.close()
                self.assertEqual(tool.returncode, 2)

    def test_before_a_key_file_is_read(self):
        strace = needs.tracer()
        trace = self.directory / "trace"
        for words in (self.s2disk_command("--encrypt", "--key-file", self.raw_file),
                      self.resume_command("--key-file", self.raw_file, "--verify")):
            with self.subTest(tool=os.path.basename(words[0])):
                self.run_words([strace, "-f", "-qq", "-o", str(trace), "-e", "trace=openat,prctl,prlimit64,setrlimit",
                                *words])
                lines = trace.read_text().splitlines()
                opened = next(number for number, text in enumerate(lines) if "raw.key" in text)
                before = "\n".join(lines[:opened])
                self.assertRegex(before, r"PR_SET_DUMPABLE, (SUID_DUMP_DISABLE|0)")
                self.assertRegex(before, r"RLIMIT_CORE, \{rlim_cur=0, rlim_max=0\}")


if __name__ == "__main__":
    main()
