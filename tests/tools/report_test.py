"""The report: one form on stdout and nothing beside it, the same in the file, figures that agree with each other."""

import re

import image
from tool_test import ToolTest, main

# design of the report: additive only
TOP = {"schema", "tool", "result", "exit_code", "error", "kernel", "page_bytes", "ram_bytes", "image", "settings", "phases",
       "write", "read", "device"}
IMAGE = {"pages", "bytes", "size_cap_bytes", "stored_bytes", "ratio"}
SETTINGS = {"format", "codec", "level", "early_writeout_percent", "io", "threads", "cipher"}
TRANSFER = {"seconds", "flush_seconds", "image_bytes_per_second", "stored_bytes_per_second"}
SAMPLE = re.compile(r'dormouse_[a-z_]+\{[a-z_]+="(?:[^"\\]|\\.)*"(?:,[a-z_]+="(?:[^"\\]|\\.)*")*\} -?[0-9.e+-]+')


class JsonReport(ToolTest):
    """--report json."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=500)
        self.make_area(pages=700)

    def check_form(self, report, tool):
        """Every key that was promised, each of its type."""
        self.assertLessEqual(TOP, set(report))
        self.assertEqual(report["schema"], "dormouse-report/1")
        self.assertEqual(report["tool"], tool)
        self.assertLessEqual(IMAGE, set(report["image"]))
        self.assertLessEqual(SETTINGS, set(report["settings"]))
        self.assertLessEqual({"path", "offset_pages"}, set(report["device"]))
        for half in ("write", "read"):
            if report[half] is not None:
                self.assertLessEqual(TRANSFER, set(report[half]))
        for phase in report["phases"]:
            self.assertLessEqual({"name", "seconds"}, set(phase))
            self.assertGreaterEqual(phase["seconds"], 0)
        self.assertGreater(report["ram_bytes"], 0)
        self.assertEqual(report["page_bytes"], 4096)

    def check_figures(self, report, half):
        """Figures of a whole image that agree with each other."""
        figures, transfer = report["image"], report[half]
        self.assertEqual((report["result"], report["exit_code"], report["error"]), ("done", 0, None))
        self.assertEqual(figures["pages"], 500)
        self.assertEqual(figures["bytes"], 500 * 4096)
        self.assertEqual(figures["stored_bytes"] % 4096, 0)
        self.assertAlmostEqual(figures["ratio"], figures["stored_bytes"] / figures["bytes"])
        self.assertGreater(transfer["seconds"], 0)
        self.assertLessEqual(transfer["flush_seconds"], transfer["seconds"])
        self.assertAlmostEqual(transfer["image_bytes_per_second"] * transfer["seconds"], figures["bytes"], places=0)
        self.assertAlmostEqual(transfer["stored_bytes_per_second"] * transfer["seconds"], figures["stored_bytes"], places=0)

    def test_s2disk(self):
        run = self.s2disk("--compress=zstd:5", "--early-writeout", "0.5", "--threads", "2", "--report", "json",
                          "--progress", "none")
        self.assertEqual(run.stderr, "")
        report = run.json()
        self.check_form(report, "s2disk")
        self.check_figures(report, "write")
        self.assertIsNone(report["read"])
        self.assertEqual(report["settings"], {"format": "dormouse", "codec": "zstd", "level": 5, "cipher": "none",
                                              "early_writeout_percent": 0.5, "io": "direct", "threads": 2})
        self.assertEqual(report["device"], {"path": str(self.area), "offset_pages": 0})
        self.assertEqual(report["image"]["stored_bytes"], 4096 * len(image.read(self.area).used_pages()))

    def test_resume(self):
        written = self.s2disk("--compress=lz4", "--early-writeout", "20", "--report", "json").json()
        for action in (("--verify",), ("--to", self.out)):
            with self.subTest(action=action[0]):
                run = self.resume(*action, "--report", "json", "--progress", "none")
                self.assertEqual(run.stderr, "")
                report = run.json()
                self.check_form(report, "resume")
                self.check_figures(report, "read")
                self.assertEqual(report["write"], written["write"], "the header tells how the image was written")
                self.assertEqual(report["image"], written["image"])
                self.assertEqual(report["settings"]["early_writeout_percent"], 20)

    def test_failures(self):
        """Whatever fails after the options were read still has its report, with the message of stderr in it."""
        other = self.directory / "other"
        other.write_bytes(bytes(1 << 20))
        small = self.directory / "small"
        small.write_bytes(self.make_area(pages=2) + bytes(4096))
        cases = {
            "no snapshot": (self.s2disk_command(snap=self.directory / "nowhere"), 1, "failed", "s2disk"),
            "no swap area": (self.s2disk_command(area=other), 6, "impossible", "s2disk"),
            "no room": (self.s2disk_command("--compress=none", area=small), 5, "no-room", "s2disk"),
            "no image": (self.resume_command("--verify"), 7, "no-image", "resume"),
            "no image to store": (self.resume_command("--to", self.out), 7, "no-image", "resume"),
        }
        for name, (words, code, result, tool) in cases.items():
            with self.subTest(case=name):
                run = self.run_words([*words, "--report", "json"], expect=code)
                report = run.json()
                self.check_form(report, tool)
                self.assertEqual((report["exit_code"], report["result"]), (code, result))
                self.assertEqual(run.stderr, f"{tool}: {report['error']}\n")


class OtherForms(ToolTest):
    """Text, Prometheus, the copy in a file."""

    def setUp(self):
        super().setUp()
        self.make_snapshot(pages=500)
        self.make_area(pages=700)

    def test_text(self):
        run = self.s2disk("--compress=lz4", "--progress", "none")
        self.assertEqual(run.stderr, "")
        for pattern in (r"(?m)^pages +500 of 4096 bytes", r"(?m)^image size +2\.0 MB", r"(?m)^stored size .*ratio 0\.\d+",
                        r"(?m)^codec +lz4", r"early writeout 1 %", r"(?m)^write +\d+\.\d+ +\d+\.\d",
                        r"(?m)^write time +\d+\.\d+ s, \d+\.\d MB/s", re.escape(str(self.area))):
            self.assertRegex(run.stdout, pattern)
        self.assertNotIn("read time", run.stdout)
        text = self.resume("--verify", "--progress", "none").stdout
        self.assertRegex(text, r"(?m)^write time ")
        self.assertRegex(text, r"(?m)^read time +\d+\.\d+ s, \d+\.\d MB/s")

    def test_prometheus(self):
        for run in (self.s2disk("--report", "prometheus"), self.resume("--verify", "--report", "prometheus")):
            families = {}
            for line in run.stdout.splitlines():
                if line.startswith("# "):
                    _, kind, name, *_ = line.split(" ", 3)
                    families.setdefault(name, []).append(kind)
                    continue
                self.assertRegex(line, SAMPLE)
                self.assertEqual(families[line.split("{")[0]], ["HELP", "TYPE"])
            self.assertTrue(run.stdout.endswith("\n"))
            self.assertRegex(run.stdout, r"dormouse_image_pages\{.*\} 500\n")
            self.assertRegex(run.stdout, r"dormouse_exit_code\{.*\} 0\n")

    def test_the_copy_in_a_file(self):
        copy = self.directory / "report"
        for form in ("text", "json", "prometheus"):
            with self.subTest(form=form):
                run = self.s2disk("--report", form, "--report-file", copy)
                self.assertEqual(copy.read_text(), run.stdout)
                run = self.resume("--verify", "--report", form, "--report-file", copy)
                self.assertEqual(copy.read_text(), run.stdout)
                self.resume("--discard")
                run = self.resume("--verify", "--report", form, "--report-file", copy, expect=7)
                self.assertEqual(copy.read_text(), run.stdout)

    def test_a_report_file_that_cannot_be_written(self):
        run = self.s2disk("--report-file", self.directory / "nowhere" / "report", expect=1)
        self.assertIn("nowhere", run.stderr)
        self.assertIn("write time", run.stdout)

    def test_progress_goes_to_stderr(self):
        run = self.s2disk("--progress", "plain", "--report", "json")
        self.assertRegex(run.stderr, r"100 %")
        self.assertEqual(run.json()["exit_code"], 0)
        self.assertRegex(self.resume("--verify", "--progress", "plain").stderr, r"100 %")

    def test_status(self):
        written = self.s2disk("--compress=zstd:3", "--early-writeout", "20", "--report", "json").json()
        text = self.resume("--status").stdout
        for pattern in ("a dormouse hibernation image", r"image +500 pages, 2\.0 MB", r"codec +zstd:3", "seconds ago",
                        r"early writeout +20 %", r"written by +dormouse \d"):
            self.assertRegex(text, pattern)
        status = self.resume("--status", "--report", "json").json()
        self.assertEqual(status["schema"], "dormouse-status/1")
        self.assertEqual(status["image"]["pages"], 500)
        self.assertEqual(status["image"]["stored_bytes"], written["image"]["stored_bytes"])
        self.assertEqual(status["image"]["settings"]["early_writeout_percent"], 20)


if __name__ == "__main__":
    main()
