"""The parts for initramfs-tools, run beside files instead of in an initramfs. The boot script: what it makes of exit codes,
of an area that still holds an image, and of noresume; only the load itself is played, the rest is the real tool. The hook:
which device and keys it takes along."""

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

# Of its own functions the hook sees what they were called for.
_HOOK_FUNCTIONS = """
copy_exec() { echo "exec $*" >>{place}/taken; }
copy_file() { echo "$*" >>{place}/taken; }
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

    def test_without_a_device_resume_searches_by_itself(self):
        for named in ({}, {"resume": "none"}, {"resume": "none", "resume_offset": "5"}):
            self.calls.unlink(missing_ok=True)
            run = self.boot(**named)
            self.assertEqual(run.stdout + run.stderr, "")
            self.assertEqual(self.calls.read_text(), "\n")

    def test_without_a_device_noresume_discards_what_the_search_finds(self):
        (self.directory / "status").write_text('{"image": {"id": "00", "state": "whole"}}')
        (self.directory / "discard_fails").touch()
        run = self.boot_noresume()
        self.assertIn("the saved session on the swap area could NOT be discarded", run.stdout)
        self.assertEqual(self.calls.read_text(), "--status --report json\n--discard\n")

    def test_what_does_not_appear_is_left_to_resume(self):
        gone = self.directory / "gone"
        self.assertIn("without having looked", self.boot(load_exit=2, resume=str(gone)).stdout)
        self.assertEqual(self.calls.read_text(), f"--resume-device {gone}\n")
        self.calls.unlink()
        self.assertIn("did not appear", self.boot_noresume(resume=str(gone)).stdout)
        self.assertFalse(self.calls.exists())

    def test_a_number_or_a_bare_name_is_not_waited_for_as_a_path(self):
        for name in ("254:2", "vg-swap", "uuid=1-2"):
            self.calls.unlink(missing_ok=True)
            self.assertEqual(self.boot(resume=name).stdout, "")
            self.assertEqual(self.calls.read_text(), f"--resume-device {name}\n\n")

    def test_the_place_of_a_swap_file_was_looked_up_by_the_hook(self):
        (self.directory / "conf").mkdir()
        (self.directory / "conf/dormouse-device").write_text(f"{self.area}\n")
        (self.directory / "conf/dormouse-offset").write_text("34816\n")
        self.boot(resume="/dev/other", resume_offset="1")
        self.assertEqual(self.calls.read_text(), f"--resume-device {self.area} --resume-offset 34816\n")

    def test_the_device_and_its_offset_are_passed_on(self):
        run = self.boot(resume=str(self.area), resume_offset="34816")
        self.assertEqual(run.stdout + run.stderr, "")
        self.assertEqual(self.calls.read_text(), f"--resume-device {self.area} --resume-offset 34816\n\n", "then it searches")

    def test_after_a_failure_nothing_else_is_searched(self):
        self.boot(load_exit=1, resume=str(self.area))
        self.assertNotIn("\n\n", self.calls.read_text())

    def test_noresume_searches_after_plain_swap(self):
        self.boot_noresume(resume=str(self.area))
        looks = [f"--resume-device {self.area} --status --report json", "--status --report json"]
        self.assertEqual(self.calls.read_text().splitlines(), looks)

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


class Hook(ToolTest):
    """Keys come into the initramfs if nobody but root can read it there."""

    def setUp(self):
        super().setUp()
        self.tool = self.directory / "resume"
        self.tool.write_text(f'#!/bin/sh\nexec {program("resume")} "$@"\n')
        self.tool.chmod(0o755)
        self.config = self.directory / "suspend.conf"
        self.taken = self.directory / "taken"
        self.area.touch()
        self.raw = self.directory / "raw.key"
        self.raw.write_bytes(b"\x71" * 32)
        functions = self.directory / "hook-functions"
        functions.write_text(_HOOK_FUNCTIONS.replace("{place}", str(self.directory)))
        script = (Path(os.environ["DORMOUSE_BOOT_SCRIPT"]).with_name("hook.in")).read_text()
        self.swap_offset = self.directory / "swap-offset"
        for there, here in (
            ("@CMAKE_INSTALL_FULL_SBINDIR@/swap-offset", self.swap_offset),
            ("@CMAKE_INSTALL_FULL_SBINDIR@/resume", self.tool),
            ("config=/etc/suspend.conf", f"config={self.config}"),
            ("/usr/share/initramfs-tools/hook-functions", functions),
        ):
            self.assertIn(there, script)
            script = script.replace(there, str(here))
        self.script = self.directory / "hook"
        self.script.write_text(script)

    def run_hook(self, config, umask="0077"):
        """Returns what was taken along as keys, and what was said."""
        self.config.write_bytes(config if isinstance(config, bytes) else config.encode())
        self.taken.unlink(missing_ok=True)
        words = ["sh", "-c", f"umask {umask}; exec sh {self.script}"]
        environment = {"PATH": os.environ["PATH"], "DESTDIR": str(self.directory / "root")}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        taken = self.taken.read_text().splitlines()
        self.assertIn(f"exec {self.tool} /lib/dormouse/resume", taken)
        self.assertIn(f"config {self.config}", taken)
        return [line.split(" ", 1)[1] for line in taken if line.startswith("key ")], done.stderr

    def test_raw_keys_are_taken_along(self):
        other = self.directory / "other.key"
        other.write_bytes(b"\x72" * 32)
        for config in (f"key file = {self.raw}\n", f'  Key File : "{self.raw}"  # mine\n', f"RSA key file = {self.raw}\n"):
            with self.subTest(config=config):
                self.assertEqual(self.run_hook(config), ([str(self.raw)], ""))
        both = f"encrypt = y\nkey file = {self.raw}\nresume device = /dev/vda1\nkey file = {other}\n"
        self.assertEqual(self.run_hook(both), ([str(self.raw), str(other)], ""))

    def device_of(self, config):
        """What the boot script is told to wait for; None if nothing. And what was said."""
        told = self.directory / "root/conf/dormouse-device"
        told.unlink(missing_ok=True)
        _, said = self.run_hook(config)
        return (told.read_text() if told.exists() else None), said

    def test_the_device_is_the_one_that_resume_reads(self):
        for config, device in (
            ("resume device = /dev/sda2 # swap\n", "/dev/sda2"),
            (b"\xef\xbb\xbfResume_Device: /dev/sda2\r\nresume offset = 5\r\n", "/dev/sda2"),
            (b"image size = 0\r\nRESUME-DEVICE\t=\t/dev/sda2", "/dev/sda2"),
            ('resume device = "/dev/mapper/a #1"  # mine\n', "/dev/mapper/a #1"),
            ("resume device = '/dev/it''s \"x\" #1'\n", "/dev/it's \"x\" #1"),
            ('resume device = "/dev/""x"" #\'1"\n', '/dev/"x" #\'1'),
            ("resume device = /dev/x\\\\x20y\n", "/dev/x\\\\x20y"),
        ):
            with self.subTest(config=config):
                self.assertEqual(self.device_of(config), (device + "\n", ""))
        self.assertEqual(self.device_of("# resume device = /dev/sda2\n"), (None, ""))
        told, said = self.device_of("resume device = /dev/a\nresume device = /dev/b\n")
        self.assertEqual(told, "/dev/b\n")
        self.assertIn("W: dormouse: resume: ", said)
        self.assertIn("line 1 does not", said)

    def test_a_configuration_that_resume_would_refuse_is_told_now(self):
        told, said = self.device_of("resume device = /dev/sda2\nimage size = 2Gx\n")
        self.assertIsNone(told)
        self.assertIn(f"{self.config}:2: image size = 2Gx: not a size", said)
        self.assertIn("NOT be loaded", said)

    def test_the_place_of_a_swap_file_is_looked_up(self):
        told = [self.directory / "root/conf" / name for name in ("dormouse-device", "dormouse-offset")]
        self.swap_offset.write_text("#!/bin/sh\nprintf 'resume device = UUID=1-2\\nresume offset = 34816\\n'\n")
        self.swap_offset.chmod(0o755)
        self.run_hook("resume device = /dev/vda2\n")
        self.assertEqual(told[0].read_text(), "/dev/vda2\n")
        self.assertFalse(told[1].exists())
        _, said = self.run_hook(f"resume device = {self.area}\n")
        self.assertEqual([file.read_text() for file in told], ["UUID=1-2\n", "34816\n"])
        self.assertEqual(said, "")
        self.swap_offset.write_text("#!/bin/sh\necho 'swap-offset: it has holes' >&2\nexit 6\n")
        _, said = self.run_hook(f"resume device = {self.area}\n")
        self.assertIn("it has holes", said)
        self.assertIn(f"the place of the swap file {self.area} is not known", said)

    def test_not_where_everybody_could_read_them(self):
        for umask in ("0022", "0027", "0000", "0007", "0033"):
            with self.subTest(umask=umask):
                keys, said = self.run_hook(f"key file = {self.raw}\n", umask)
                self.assertEqual(keys, [])
                self.assertIn(f"{self.raw} is NOT copied", said)
                self.assertIn("UMASK=0077", said)

    def test_a_key_pair_stays_where_it_is(self):
        pair = self.directory / "pair.key"
        pair.write_text("dormouse key 1\n" + "public 00\n" * 40)
        self.assertEqual(self.run_hook(f"key file = {pair}\n"), ([], ""))

    def test_a_key_that_is_missing_is_told(self):
        keys, said = self.run_hook("key file = /nonexistent.key\n")
        self.assertEqual(keys, [])
        self.assertIn("/nonexistent.key", said)

    def test_without_keys_nothing_is_said(self):
        self.assertEqual(self.run_hook("# key file = /nonexistent.key\nencrypt = y\n"), ([], ""))


if __name__ == "__main__":
    main()
