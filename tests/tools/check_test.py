"""s2disk --check on this machine, whatever it is: what it says can be read, and it changes nothing."""

import json
import os
import re
import subprocess

import needs
import swap_area
from tool_test import Run, ToolTest, main, program

_KEYS = ["schema", "tool", "result", "exit_code", "kernel", "page_bytes", "ram_bytes", "area", "memory", "prediction",
         "findings"]


def _without_leak_check():
    """The environment of a run that is traced: sanitizers cannot look for leaks then."""
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "ASAN_OPTIONS": f"{options}:detect_leaks=0".lstrip(":")}


class Check(ToolTest):
    """Needs no hibernation: most machines that build this have none, which is then the finding."""

    def command(self, *options, config=None):
        """The words of `s2disk --check`."""
        return [str(word) for word in (program("s2disk"), "--check", "-f", config or self.empty_config, *options)]

    def check(self, *options, config=None):
        """Runs it; 0 and 6 are both fine. Returns the run."""
        done = subprocess.run(self.command(*options, config=config), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, cwd=self.directory, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 6), done.stdout + done.stderr)
        self.assertNotIn("Success", done.stdout + done.stderr)
        return Run(done.returncode, done.stdout, done.stderr)

    def findings(self, *options, config=None):
        """The findings by id, from the JSON object, whose frame is looked at on the way."""
        run = self.check("--report", "json", *options, config=config)
        report = json.loads(run.stdout)
        self.assertEqual(list(report), _KEYS)
        self.assertEqual(report["schema"], "dormouse-check/1")
        problems = [one for one in report["findings"] if one["severity"] == "problem"]
        self.assertEqual(report["exit_code"], run.returncode)
        self.assertEqual(run.returncode, 6 if problems else 0)
        self.assertEqual(report["result"], "problems" if problems else "ok")
        for one in report["findings"]:
            self.assertRegex(one["id"], r"^[a-z0-9-]+$")
            self.assertTrue(one["what"])
            self.assertEqual(one["remedy"] == "", one["severity"] == "note", one)
        return {one["id"]: one for one in report["findings"]}, report

    def test_text_and_json_find_the_same(self):
        run = self.check()
        _, report = self.findings()
        said = re.findall(r"^(problem|warning|note): ", run.stdout, re.M)
        self.assertEqual(said, [one["severity"] for one in report["findings"]])
        self.assertRegex(run.stdout.splitlines()[-1], r"this machine can(not)? hibernate")
        self.assertGreater(report["memory"]["needed_bytes"], 0)

    def test_bad_options_and_configurations_are_exit_2_as_ever(self):
        self.run_words(self.command("--threads=0"), expect=2)
        self.run_words(self.command("--from", "snap"), expect=2)
        self.run_words(self.command(config="nowhere.conf"), expect=2)

    def test_a_named_device_that_is_not_there(self):
        found, report = self.findings("-r", "/dev/no-such-disk")
        self.assertIn("/dev/no-such-disk", found["area-not-found"]["what"])
        self.assertIsNone(report["area"])

    def test_what_it_itself_needs_grows_with_the_threads(self):
        one, many = (self.findings(f"--threads={threads}")[1]["memory"]["needed_bytes"] for threads in (1, 8))
        self.assertGreater(many, one)

    def test_the_settings_are_looked_at(self):
        found, _ = self.findings("--encrypt", "--key-file", "no.key", "--report-file", "no/such/report")
        self.assertIn("no.key", found["key-file-unusable"]["what"])
        self.assertIn("no/such/report", found["report-file-unwritable"]["what"])

    def test_an_area_on_a_block_device(self):
        self.make_area(pages=25600)
        device = needs.loop_device(self, self.area)
        found, report = self.findings("-r", device)
        self.assertEqual(report["area"]["path"], device)
        self.assertEqual(report["area"]["size_bytes"], 25599 * 4096)
        self.assertFalse(report["area"]["active"])
        self.assertIn("area", found)
        # Of this machine's memory, since the test runs as root here.
        self.assertGreater(report["prediction"]["image_bytes"], 0)
        self.assertGreater(report["prediction"]["ratio"], 0)

    def test_an_area_that_holds_an_image(self):
        self.make_area(pages=1000)
        swap_area.put_foreign_mark(self.area, b"S1SUSPEND")
        device = needs.loop_device(self, self.area)
        found, _ = self.findings("-r", device)
        self.assertIn("resume --discard", found["area-holds-image"]["remedy"])

    def test_it_changes_nothing(self):
        self.make_area(pages=1000)
        before = self.area.read_bytes()
        device = needs.loop_device(self, self.area)
        log = self.directory / "calls"
        report_file = self.directory / "report"
        strace = needs.tracer()
        done = subprocess.run([strace, "-f", "-y", "-o", str(log), "-e",
                               "trace=openat,open,creat,rename,unlink,write,pwrite64,writev,ioctl,ftruncate,swapon,reboot",
                               *self.command("-r", device, "--report-file", report_file)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.directory, timeout=300,
                              check=False, env=_without_leak_check())
        self.assertIn(done.returncode, (0, 6), done.stderr)
        calls = log.read_text()
        self.assertIn(device, calls)  # it did look
        self.assertNotIn("/dev/snapshot", calls)
        self.assertNotRegex(calls, r"O_(WRONLY|RDWR|CREAT|TRUNC)")
        self.assertNotRegex(calls, r"(creat|rename|unlink|pwrite64|ftruncate|swapon|reboot)\(")
        # To stdout and stderr, which are pipes here; sanitizers have pipes of their own.
        written = re.findall(r"\bwritev?\(\d+<([^>]*)>", calls)
        self.assertTrue(written)
        self.assertEqual([name for name in written if not name.startswith("pipe:")], [])
        self.assertFalse(report_file.exists())
        self.assertEqual(self.area.read_bytes(), before)


if __name__ == "__main__":
    main()
