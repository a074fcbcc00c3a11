"""The boot script for initramfs-tools, run beside files instead of in an initramfs: what it makes of exit codes,
of an area that still holds an image, and of noresume. Only the load itself is played; the rest is the real tool."""

import os
import subprocess
from pathlib import Path

import files
import swap_area
from tool_test import Run, ToolTest, main, program

# What initramfs-tools brings. Its panic() restarts the machine or gives a shell, and does not come back.
_FUNCTIONS = """
log_warning_msg() { echo "W: $*"; }
panic() { echo "PANIC after $panic s: $*"; exit 99; }
"""
_LOCAL = 'local_device_setup() { DEV=$1; [ -e "$1" ]; }\n'

# Writes down what it was called for.
_TOOL = """#!/bin/sh
echo "$*" >>{place}/calls
case "$*" in
*--status*) [ -e {place}/status_fails ] && exit 1
  [ -e {place}/status ] && cat {place}/status && exit 0 ;;
*--discard*) [ -e {place}/discard_fails ] && echo "resume: clear mark: Input/output error" >&2 && exit 1 ;;
*) exit "$(cat {place}/load_exit)" ;;
esac
exec {resume} --config {config} "$@"
"""


class BootScript(ToolTest):
    """One boot each."""

    def setUp(self):
        super().setUp()
        self.calls = self.directory / "calls"
        for name, text in (("scripts/functions", _FUNCTIONS), ("scripts/local", _LOCAL), ("cmdline", "quiet\n")):
            path = self.directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        tool = self.directory / "resume"
        tool.write_text(_TOOL.format(place=self.directory, resume=program("resume"), config=self.empty_config))
        tool.chmod(0o755)
        script = Path(os.environ["DORMOUSE_BOOT_SCRIPT"]).read_text()
        for there, here in (
            ("/lib/dormouse/resume", tool),
            ("/scripts/", f"{self.directory}/scripts/"),
            ("/conf/", f"{self.directory}/conf/"),
            ("/proc/cmdline", self.directory / "cmdline"),
        ):
            self.assertIn(there, script)
            script = script.replace(there, str(here))
        self.script = self.directory / "local-premount"
        self.script.write_text(script)
        self.make_area(pages=300)

    def save(self):
        self.make_snapshot(pages=100)
        self.s2disk("--compress=lz4")

    def boot(self, load_exit=0, expect=0, **variables):
        """Runs the script with what initramfs-tools exports, and checks its exit code."""
        (self.directory / "load_exit").write_text(str(load_exit))
        environment = {"PATH": os.environ["PATH"], **variables}
        done = subprocess.run(
            ["sh", str(self.script)], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return Run(done.returncode, done.stdout, done.stderr)

    def boot_noresume(self, **variables):
        """The same with noresume on the kernel's command line, from which initramfs-tools makes its variable."""
        (self.directory / "cmdline").write_text("quiet noresume\n")
        run = self.boot(noresume="y", **variables)
        (self.directory / "cmdline").write_text("quiet\n")
        return run

    def called_for(self, option):
        return self.calls.exists() and option in self.calls.read_text()

    def test_without_a_device_nothing_is_looked_at(self):
        self.boot()
        self.boot(resume="none")
        self.assertFalse(self.calls.exists())
        self.assertIn("did not appear", self.boot(resume=str(self.directory / "gone")).stdout)
        self.assertFalse(self.calls.exists())

    def test_the_device_and_its_offset_are_passed_on(self):
        run = self.boot(resume=str(self.area), resume_offset="34816")
        self.assertEqual(run.stdout + run.stderr, "")
        self.assertEqual(self.calls.read_text(), f"--resume-device {self.area} --resume-offset 34816\n")

    def test_a_device_of_the_configuration_is_left_to_it(self):
        (self.directory / "conf").mkdir()
        (self.directory / "conf/dormouse-device").write_text(f"{self.area}\n")
        self.boot(resume="/dev/other", resume_offset="1")
        self.assertEqual(self.calls.read_text(), "\n")

    def test_bad_options_are_told_and_nothing_is_discarded(self):
        self.save()
        before = files.digest(self.area)
        self.assertIn("without having looked", self.boot(load_exit=2, resume=str(self.area)).stdout)
        self.assertEqual(files.digest(self.area), before)

    def test_an_area_that_was_given_back_is_not_touched(self):
        for code in (1, 3, 4, 5, 6):
            run = self.boot(load_exit=code, resume=str(self.area))
            self.assertEqual(run.stdout, "")
        self.assertFalse(self.called_for("--discard"))

    def test_an_image_that_is_still_there_is_discarded(self):
        self.save()
        self.boot(load_exit=1, resume=str(self.area))
        self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)

    def test_a_damaged_one_too(self):
        self.save()
        files.write_at(self.area, 4096 + 100, b"\xff\xff")
        self.boot(load_exit=1, resume=str(self.area))
        self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)

    def test_what_cannot_be_discarded_ends_the_boot_before_anything_is_mounted(self):
        self.save()
        (self.directory / "discard_fails").touch()
        run = self.boot(load_exit=1, expect=99, resume=str(self.area))
        self.assertIn("PANIC after 120 s", run.stdout)
        self.assertIn("noresume", run.stdout)
        run = self.boot(load_exit=1, expect=99, resume=str(self.area), panic="5")
        self.assertIn("PANIC after 5 s", run.stdout)

    def test_unless_its_header_says_that_it_was_given_up(self):
        self.save()
        (self.directory / "discard_fails").touch()
        (self.directory / "status").write_text('{"image": {"id": "00", "state": "given-up"}}')
        self.boot(load_exit=1, resume=str(self.area))
        self.assertTrue(self.called_for("--discard"))

    def test_the_image_of_somebody_else_is_left_alone(self):
        self.make_area(pages=100)
        files.write_at(self.area, 4096, b"somebody else's image header".ljust(4096, b"\x77"))
        for mark in (b"S1SUSPEND", b"ULSUSPEND"):
            swap_area.put_foreign_mark(self.area, mark)
            before = files.digest(self.area)
            self.boot(load_exit=1, resume=str(self.area))
            self.boot_noresume(resume=str(self.area))
            self.assertEqual(files.digest(self.area), before)
            self.make_area(pages=100)
            files.write_at(self.area, 4096, b"somebody else's image header".ljust(4096, b"\x77"))
        self.assertFalse(self.called_for("--discard"))

    def test_noresume_discards_ours_and_loads_nothing(self):
        for where in ("command line", "resume", "zz-resume-auto"):
            with self.subTest(where):
                self.make_area(pages=300)
                self.save()
                if where == "command line":
                    (self.directory / "cmdline").write_text(f"quiet resume={self.area} noresume\n")
                else:
                    (self.directory / "cmdline").write_text("quiet noresume\n")
                    (self.directory / "conf/conf.d").mkdir(parents=True, exist_ok=True)
                    for file in (self.directory / "conf/conf.d").iterdir():
                        file.unlink()
                    (self.directory / "conf/conf.d" / where).write_text(f"RESUME={self.area}\n")
                run = self.boot(load_exit=77, noresume="y")
                self.assertIn("discarded, not loaded", run.stdout)
                self.assertEqual(swap_area.signature(self.area), swap_area.PLAIN)

    def test_resume_none_of_initramfs_tools_is_no_noresume(self):
        self.save()
        before = files.digest(self.area)
        (self.directory / "conf").mkdir()
        (self.directory / "conf/dormouse-device").write_text(f"{self.area}\n")
        self.boot(noresume="y", resume="none")
        self.assertEqual(self.calls.read_text(), "\n", "it was loaded")
        self.assertEqual(files.digest(self.area), before)

    def test_an_area_that_cannot_be_read_does_not_keep_the_machine_from_booting(self):
        (self.directory / "status_fails").touch()
        (self.directory / "discard_fails").touch()
        self.assertIn("can be neither read nor written", self.boot(load_exit=1, resume=str(self.area)).stdout)
        self.assertIn("could NOT be discarded", self.boot_noresume(resume=str(self.area)).stdout)

    def test_noresume_says_nothing_of_plain_swap(self):
        before = files.digest(self.area)
        run = self.boot_noresume(resume=str(self.area))
        self.assertEqual(run.stdout + run.stderr, "")
        self.assertEqual(files.digest(self.area), before)

    def test_noresume_boots_even_where_the_image_cannot_be_discarded(self):
        self.save()
        (self.directory / "discard_fails").touch()
        run = self.boot_noresume(resume=str(self.area))
        self.assertIn("Input/output error", run.stdout)
        self.assertIn("could NOT be discarded", run.stdout)


if __name__ == "__main__":
    main()
