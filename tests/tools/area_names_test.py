"""Real devices by every name that they have."""

import os
import subprocess
import uuid

import files
import needs
from tool_test import ToolTest, main

_AREA_BYTES = 4 << 20


class Names(ToolTest):
    """A swap area that mkswap has made, on a loop device."""

    def setUp(self):
        super().setUp()
        self.uuid = str(uuid.uuid4())
        self.label = f"my {self.uuid[:8]}"  # with a blank, and nobody else's
        self.make_snapshot(pages=100)

    def make_device(self, name="area"):
        """Makes an area with the same tags each time; returns its device."""
        path = self.directory / name
        with open(path, "wb") as file:
            file.truncate(_AREA_BYTES)
        path.chmod(0o600)
        made = [needs.command("mkswap"), "-q", "-U", self.uuid, "-L", self.label, path]
        subprocess.run(made, check=True, capture_output=True)
        return needs.loop_device(self, path)

    def number(self, device):
        status = os.stat(device)
        return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"

    def test_tags_and_numbers(self):
        device = self.make_device()
        names = (f"UUID={self.uuid}", f"uuid='{self.uuid.upper()}'", f"LABEL={self.label}",
                 "LABEL=" + self.label.replace(" ", "\\x20"), self.number(device), os.path.basename(device))
        for name in names:
            with self.subTest(name=name):
                run = self.s2disk("--compress=lz4", "--report", "json", area=name)
                self.assertEqual(run.json()["device"]["path"], device)
                self.assertIn(f"s2disk: {name} is {device}\n", run.stderr)
                self.recover(area=name)
                run = self.resume("--status", area=name)
                self.assertIn(f"resume: {name} is {device}\n", run.stderr)
                self.resume("--discard", area=name)

    def test_links(self):
        device = self.make_device()
        link = self.directory / "a link"
        link.symlink_to(device)
        for name in (str(link), str(link).replace(" ", "\\x20"), str(link).replace(" ", "\\040")):
            with self.subTest(name=name):
                run = self.resume("--status", expect=7, area=name)
                self.assertIn(f"{name} is {device}\n", run.stderr)

    def test_two_devices_of_one_tag_are_listed_and_left_alone(self):
        devices = [self.make_device(name) for name in ("one", "other")]
        before = [files.digest(self.directory / name) for name in ("one", "other")]
        for tag in (f"UUID={self.uuid}", f"LABEL={self.label}"):
            for run in (self.s2disk(area=tag, expect=2), self.resume("--discard", area=tag, expect=2)):
                self.assertIn("2 devices have it", run.stderr)
                for device in devices:
                    self.assertIn(device, run.stderr)
        self.assertEqual([files.digest(self.directory / name) for name in ("one", "other")], before)

    def test_partitions(self):
        """PARTUUID= and PARTLABEL=, the latter with a blank."""
        disk = self.directory / "disk"
        with open(disk, "wb") as file:
            file.truncate(16 << 20)
        table = f'label: gpt\nsize=8MiB, uuid={self.uuid}, name="{self.label}"\n'
        subprocess.run([needs.command("sfdisk"), "-q", disk], input=table.encode(), check=True, capture_output=True)
        whole = needs.loop_device(self, disk, partitions=True)
        device = whole + "p1"
        if not os.path.exists(device):  # a kernel that knows no partition tables has to be told
            subprocess.run([needs.command("partx"), "--add", whole], check=True, capture_output=True)
        subprocess.run([needs.command("mkswap"), "-q", device], check=True, capture_output=True)
        for name in (f"PARTUUID={self.uuid.upper()}", f"PARTLABEL={self.label}"):
            with self.subTest(name=name):
                run = self.resume("--status", expect=7, area=name)
                self.assertIn(f"{name} is {device}\n", run.stderr)

    def test_what_is_not_there(self):
        """The areas that there are instead are named; a tool that only looks does not wait."""
        self.make_device()
        for name in (f"UUID={uuid.uuid4()}", "LABEL=no such label", "/dev/no-such-device"):
            with self.subTest(name=name):
                run = self.resume("--status", expect=2, area=name)
                self.assertIn(f"find swap area on {name}: nothing of that name is there (see --resume-device)", run.stderr)
                self.assertIn("swap areas are on ", run.stderr)
                self.assertNotIn("waiting", run.stderr)

    def test_plain_resume_waits_and_says_so(self):
        config = self.config(f"resume device = UUID={uuid.uuid4()}\n")
        run = self.resume(config=config, area=False, expect=2)
        self.assertIn("(10 s left)", run.stderr)
        self.assertIn("(3 s left)", run.stderr)
        self.assertIn(f"(see {config}:1), and nothing came in 10 s", run.stderr)


if __name__ == "__main__":
    main()
