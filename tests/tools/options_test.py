"""Options and the configuration file, as far as they can be seen from outside."""

import os

from tool_test import ToolTest, main, program


class Options(ToolTest):
    """What is given where, and which of two counts."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=100)
        self.make_area(pages=200)

    def settings(self, *options, **where):
        """The settings that a run with these options reports."""
        report = self.s2disk("--report", "json", "--progress", "none", *options, **where).json()
        self.resume("--discard")
        return report["settings"]

    def test_the_device_as_positional_argument(self):
        self.assertEqual(self.settings(self.area, area=False)["codec"], "auto")
        self.s2disk(self.area, area=False)
        self.resume("--to", self.out, self.area, area=False)
        self.resume("--discard", self.area, area=False)

    def test_compress_does_not_take_the_next_word(self):
        for bare in ("--compress", "-c"):
            with self.subTest(bare=bare):
                self.assertEqual(self.settings(bare, self.area, area=False)["codec"], "auto")
                self.assertEqual(self.settings(bare, "--early-writeout", "1", self.area, area=False)["codec"], "auto")

    def test_a_codec_that_was_meant_as_value_is_explained(self):
        run = self.s2disk("--compress", "zstd", area=False, expect=2)
        self.assertIn("--compress=zstd", run.stderr)

    def test_short_options(self):
        settings = self.settings("-r", self.area, "-czstd:2", "-e", "20", "-t", "1", area=False)
        self.assertEqual((settings["codec"], settings["level"]), ("zstd", 2))
        self.assertEqual((settings["early_writeout_percent"], settings["threads"]), (20, 1))

    def test_spellings_with_an_underscore(self):
        settings = self.settings("--resume_device", self.area, "--early_writeout", "20", "--image_size", "100M", area=False)
        self.assertEqual(settings["early_writeout_percent"], 20)
        self.make_area(pages=200, offset_pages=3)
        self.s2disk("--resume_offset", "3")
        self.resume("--resume_offset", "3", "--verify")
        self.resume("-o", "3", "--discard")

    def test_offset_without_an_area(self):
        self.s2disk("--resume-offset", "3", expect=6)
        self.assertIn("offset", self.s2disk("--resume-offset", "100000", expect=6).stderr)

    def test_the_configuration_file(self):
        config = self.config(f"resume device = {self.area}\ncompress = zstd:4\nearly writeout = n\nthreads = n\n# a remark\n")
        settings = self.settings(area=False, config=config)
        self.assertEqual((settings["codec"], settings["level"]), ("zstd", 4))
        self.assertEqual((settings["early_writeout_percent"], settings["threads"]), (0, 1))

    def test_the_later_one_wins(self):
        config = self.config("compress = zstd\n")
        self.assertEqual(self.settings("--compress=none", config=config)["codec"], "none")
        self.assertEqual(self.settings("-P", "compress = lzf", config=config)["codec"], "lzf")
        self.assertEqual(self.settings("-P", "compress=lzf", "--compress=none", config=config)["codec"], "none")
        self.assertEqual(self.settings("--compress=none", "-P", "compress=lzf", config=config)["codec"], "lzf")
        self.assertEqual(self.settings("--compress=none", "--compress=zstd")["codec"], "zstd")

    def test_an_unknown_key_is_a_warning_with_the_nearest(self):
        run = self.s2disk(config=self.config("compres = zstd\n"))
        self.assertRegex(run.stderr, r"suspend\.conf:1: unknown key 'compres'.*'compress'")
        self.resume("--discard")
        self.assertIn("'compress'", self.s2disk("-P", "compres=zstd", expect=2).stderr)

    def test_the_settings_can_be_printed_without_any_right(self):
        config = self.config("resume device = '/dev/a #b'\nxyzzy = 1\nimage size = 2G\n")
        for tool in ("s2disk", "resume"):
            words = [program(tool), "--print-config", "-f", str(config), "-t", "3"]
            if os.geteuid() == 0:
                words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]
                for path in (self.directory, config):
                    path.chmod(0o755)
            run = self.run_words(words)
            self.assertIn("unknown key 'xyzzy'", run.stderr)
            self.assertIn(f"\nimage size = 2147483648  # {config}:3\n", run.stdout)
            self.assertIn(f"\nresume device = '/dev/a #b'  # {config}:1\n".replace("'", '"'), run.stdout)
            self.assertIn("\nthreads = 3  # --threads\n", run.stdout)
            self.assertIn("\n# resume offset =  # default: ", run.stdout)
            printed = self.directory / "printed.conf"
            printed.write_text(run.stdout)
            again = self.run_words([program(tool), "--print-config", "-f", str(printed)])
            self.assertEqual(again.stderr, "")
            values = [[line.rpartition("  # ")[0] for line in text.splitlines()] for text in (run.stdout, again.stdout)]
            self.assertEqual(*values)

    def test_settings_that_cannot_be_written_are_an_error(self):
        run = self.run_words(["sh", "-c", f"exec {program('s2disk')} --print-config -f {self.empty_config} >/dev/full"], expect=1)
        self.assertIn("No space left on device", run.stderr)

    def test_help_and_version(self):
        for tool in ("s2disk", "resume"):
            text = self.run_words([program(tool), "--help"])
            self.assertEqual(text.stderr, "")
            self.assertIn("--resume-device", text.stdout)
            self.assertRegex(self.run_words([program(tool), "-V"]).stdout, r"\d+\.\d+")


class Refused(ToolTest):
    """Exit 2, the option named, nothing done."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=1)
        self.header = self.make_area(pages=100)

    def tearDown(self):
        self.assertEqual(self.area.read_bytes()[:4096], self.header)

    def test_what_is_not_built_yet(self):
        for option, words in {"--format=kernel": "kernel"}.items():
            with self.subTest(option=option):
                run = self.s2disk(option, expect=2)
                self.assertIn(words, run.stderr)
                self.assertEqual(run.stdout, "")

    def test_tag_names(self):
        for tag in ("UUID", "LABEL", "PARTUUID", "PARTLABEL"):
            with self.subTest(tag=tag):
                run = self.s2disk(f"--resume-device={tag}=abc", area=False, expect=2)
                self.assertIn(f"find swap area on {tag}=abc: nothing of that name is there", run.stderr)
                self.assertIn("--resume-device", run.stderr)

    def test_values(self):
        for option in ("--compress=gzip", "--compress=zstd:99", "--compress=", "--early-writeout=0", "--early-writeout=101",
                       "--early-writeout=x", "--io=mmap", "--threads=0", "--threads=65", "--image-size=2Gx", "--report=xml",
                       "--progress=loud", "--shutdown-method=halt", "--encrypt=blowfish", "--resume-offset=1.5",
                       "--no-such-option", "-x"):
            with self.subTest(option=option):
                run = self.s2disk(option, expect=2)
                self.assertEqual(run.stdout, "")
                self.assertRegex(run.stderr, rf"s2disk: .*{option[:option.find('=')] if '=' in option else option}")

    def test_warnings_where_it_is_to_be_strict(self):
        config = self.config("xyzzy = 1\ncompress = y\ncompress = n\n")
        for run in (self.s2disk("--strict", "-t", "1", "-t", "2", config=config, expect=2),
                    self.s2disk("--strict", "--print-config", "-t", "1", "-t", "2", config=config, expect=2),
                    self.resume("--status", "-t", "1", "-t", "2", "--strict", config=config, expect=2)):
            self.assertEqual(run.stdout, "")
            self.assertIn("suspend.conf:1: unknown key 'xyzzy'", run.stderr)
            self.assertIn("suspend.conf:3: 'compress' again: this line counts, line 2 does not", run.stderr)
            self.assertIn("--threads 2: 'threads' again: this counts, --threads 1 before it does not", run.stderr)
            self.assertIn("there were 3", run.stderr)
        self.s2disk("--strict", "--print-config")

    def test_the_nearest_option_is_named(self):
        self.assertIn("--early-writeout", self.s2disk("--early-writout=1", expect=2).stderr)

    def test_actions_exclude_each_other(self):
        self.assertIn("exclude", self.resume("--status", "--discard", expect=2).stderr)

    def test_a_configuration_that_was_named_must_exist(self):
        for run in (self.s2disk(config="nowhere.conf", expect=2), self.resume("--status", config="nowhere.conf", expect=2)):
            self.assertIn("nowhere.conf", run.stderr)
            self.assertIn("No such file", run.stderr)

    def test_a_broken_configuration(self):
        config = self.directory / "broken.conf"
        for text, place in {"compress\n": ":1", "\n\nimage size = 2Gx\n": ":3", "compress = 'zstd\n": ":1"}.items():
            config.write_text(text)
            self.assertIn(f"broken.conf{place}", self.s2disk(config=config, expect=2).stderr)

    def test_devices_that_are_none(self):
        self.assertIn("nothing of that name is there", self.s2disk(area="nowhere", expect=2).stderr)
        self.s2disk(area=self.directory, expect=2)
        self.s2disk(area="/dev/null", expect=2)

    def test_snapshots_that_are_none(self):
        self.snap.write_bytes(b"")
        self.assertIn("0 bytes", self.s2disk(expect=2).stderr)
        self.snap.write_bytes(bytes(5000))
        self.assertIn("5000 bytes", self.s2disk(expect=2).stderr)
        self.s2disk(snap=self.directory, expect=2)
        self.s2disk(snap="/dev/zero", expect=2)
        self.assertIn("No such file", self.s2disk(snap="nowhere", expect=1).stderr)


if __name__ == "__main__":
    main()
