"""swap-offset on real file systems: what it prints is compared with what stands at that page of the device."""

import fcntl
import json
import mmap
import os
import re
import struct
import subprocess
import sys
import unittest

import needs
import swap_area
from file_systems import PAGE, FileSystem, kernel_has, make_swap, page_of_device, run
from tool_test import ToolTest, main, program

_FICLONERANGE = 0x4020940D
_FAR = 2 << 40  # from there on a sector's number does not fit into 32 bits


def write_blocks(paths, count, block=16384):
    """The files grow in turn, a block each, past all that would gather what is written."""
    data = mmap.mmap(-1, block)
    fds = [os.open(path, os.O_WRONLY | os.O_DIRECT) for path in paths]
    for index in range(count):
        data[:8] = struct.pack("<Q", index)
        for fd in fds:
            os.pwrite(fd, data, index * block)
    for fd in fds:
        os.close(fd)


class SwapOffset(ToolTest):
    """Every run's words are checked for their kind by run_words()."""

    def offset(self, *options, expect=0):
        """Runs swap-offset; without an error it has nothing to say beside its answer."""
        found = self.run_words([program("swap_offset"), *map(str, options)], expect)
        if expect == 0:
            self.assertEqual(found.stderr, "")
        else:
            self.assertEqual(found.stdout, "")
            self.assertRegex(found.stderr, r"\Aswap-offset: [^\n]+\n\Z")
        return found

    def assert_found(self, path, device):
        """The page printed is where `path` begins on `device`; returns all that is known."""
        text = self.offset(path).stdout
        self.assertRegex(text, r"\A[0-9]+\n\Z")
        with open(path, "rb") as file:
            head = file.read(PAGE)
        self.assertEqual(page_of_device(device, int(text)), head, f"page {text.strip()} of {device} is another")
        known = json.loads(self.offset("--format=json", path).stdout)
        self.assertEqual(known["resume_offset"], int(text))
        self.assertEqual(known["device"], device)
        self.assertEqual(known["device_number"], device_number(device))
        self.assertEqual(known["page_bytes"], PAGE)
        self.assertEqual(known["file"], str(path))
        self.assertEqual(known["size_bytes"], os.path.getsize(path))
        return known

    def assert_refused(self, path, words, expect=6):
        """No number at all, and the reason."""
        said = self.offset(path, expect=expect).stderr
        self.assertIn(words, said)
        self.assertIn(str(path)[:90], said)
        return said


def device_number(device):
    """major:minor"""
    number = os.stat(device).st_rdev
    return f"{os.major(number)}:{os.minor(number)}"


class AnyFileSystem:
    """What holds on each kind; `kind` comes from the class made of it."""

    kind = ""

    def setUp(self):
        super().setUp()
        self.system = FileSystem(self, self.kind)

    def test_a_file_in_one_piece(self):
        known = self.assert_found(self.system.swap_file(), self.system.device)
        self.assertEqual(known["file_system"], self.kind)
        self.assertEqual(known["extents"], 1)

    def test_all_formats_tell_the_same(self):
        path = self.system.swap_file()
        page = self.offset(path).stdout.strip()
        uuid = run(needs.command("blkid"), "-p", "-o", "value", "-s", "UUID", self.system.device).strip()
        self.assertEqual(self.offset("--format=text", path).stdout, f"{page}\n")
        self.assertEqual(self.offset("--format=conf", path).stdout,
                         f"resume device = UUID={uuid}\nresume offset = {page}\n")
        self.assertEqual(self.offset("--format=cmdline", path).stdout, f"resume=UUID={uuid} resume_offset={page}\n")
        self.assertEqual(json.loads(self.offset("--format", "json", path).stdout)["uuid"], uuid)

    def test_a_file_that_was_made_anew_has_its_new_place(self):
        old = self.system.swap_file("old")
        before = self.assert_found(old, self.system.device)["resume_offset"]
        new = self.system.swap_file("new")
        new.rename(old)
        self.assertNotEqual(self.assert_found(old, self.system.device)["resume_offset"], before)

    def test_a_file_that_a_link_leads_to(self):
        path = self.system.swap_file()
        link = self.directory / "link"
        link.symlink_to(path)
        self.assertEqual(self.offset(link).stdout, self.offset(path).stdout)

    def test_holes(self):
        path = self.system.swap_file()
        run("fallocate", "--punch-hole", "-o", 1 << 20, "-l", 1 << 20, path)
        said = self.assert_refused(path, "there is a hole")
        self.assertIn(f"at byte {1 << 20}:", said)
        sparse = self.system.new_file("sparse")
        os.truncate(sparse, 8 << 20)
        make_swap(sparse)
        self.assert_refused(sparse, "there is a hole")

    def test_no_swap_file_yet(self):
        path = self.system.new_file()
        run("fallocate", "-l", 8 << 20, path)
        said = self.assert_refused(path, "no swap signature was found")
        self.assertRegex(said, r"at byte [0-9]+: on /dev/")
        self.assertIn("run mkswap", said)

    def test_too_small(self):
        self.assert_refused(self.system.new_file(), f"smaller than a page of {PAGE} bytes")

    def test_a_directory_and_a_file_that_is_missing(self):
        self.assert_refused(self.system.root, "it is a directory", expect=2)
        self.assert_refused(self.system.root / "missing", "No such file or directory", expect=2)

    def test_with_an_image_in_it(self):
        path = self.system.swap_file()
        swap_area.put_foreign_mark(path, swap_area.MARK)
        run("sync")
        self.assert_found(path, self.system.device)


class Ext4(AnyFileSystem, SwapOffset):
    """Also for ext2 and ext3."""

    kind = "ext4"

    def test_blocks_smaller_than_a_page(self):
        """The file begins in the midst of a page: the kernel would round the place up, and find nothing."""
        small = FileSystem(self, "ext4", options=("-b", "1024"), name="small")
        refused = found = 0
        for number in range(8):
            single = small.new_file(f"single{number}")
            write_blocks([single], 1, block=1024)
            path = small.swap_file(f"swap{number}", size=1 << 20)
            if subprocess.run([program("swap_offset"), path], capture_output=True, check=False).returncode == 0:
                self.assert_found(path, small.device)
                found += 1
            else:
                self.assert_refused(path, "no page of")
                refused += 1
        print(f"blocks of 1024 bytes: {found} files found, {refused} refused")
        self.assertGreater(refused, 0)

    def test_five_tebibytes(self):
        """Beyond what 32 bits of sectors or of pages' bytes would hold."""
        large = FileSystem(self, "ext4", size=5 << 40, name="large",
                           options=("-O", "^resize_inode,bigalloc,^has_journal", "-C", "1048576", "-N", "4096",
                                    "-E", "lazy_itable_init=1,nodiscard", "-m", "0"))
        run("fallocate", "-l", 3 << 40, large.root / "filler")
        page = self.assert_found(large.swap_file(), large.device)["resume_offset"]
        self.assertGreater(page * PAGE, _FAR)


class Xfs(AnyFileSystem, SwapOffset):
    """With reflinks, which mkfs.xfs turns on."""

    kind = "xfs"

    def test_over_300_pieces(self):
        check_pieces(self)

    def test_five_tebibytes(self):
        large = FileSystem(self, "xfs", size=5 << 40, name="large", options=("-d", "agcount=20"))
        for number in range(40):  # directories are spread over the device
            directory = large.root / f"directory{number}"
            directory.mkdir()
            path = large.swap_file(f"{directory.name}/swap", size=1 << 20)
            page = self.assert_found(path, large.device)["resume_offset"]
            if page * PAGE > _FAR:
                return
        self.fail("no file came to lie far behind the start of the device")

    def test_a_copy_that_shares_the_data(self):
        path = self.system.swap_file()
        run("cp", "--reflink=always", path, self.system.root / "copy")
        self.assert_refused(path, "another file or a snapshot shares its data")


class Btrfs(AnyFileSystem, SwapOffset):
    """Addresses of its own, and a device number that is none."""

    kind = "btrfs"

    def test_over_300_pieces(self):
        check_pieces(self)

    def test_in_a_subvolume(self):
        volume = self.system.root / "volume"
        run(needs.command("btrfs"), "subvolume", "create", volume)
        known = self.assert_found(self.system.swap_file("volume/swap"), self.system.device)
        self.assertEqual(known["file_system"], "btrfs")

    def test_a_file_that_begins_inside_of_its_extent(self):
        """Its first extent is the rest of one that another file had: the inner offset counts."""
        whole = self.system.swap_file("whole", size=16 << 20)
        path = self.system.new_file()
        with open(whole, "rb") as source, open(path, "r+b") as target:
            fcntl.ioctl(target, _FICLONERANGE, struct.pack("qQQQ", source.fileno(), 4 << 20, 12 << 20, 0))
        whole.unlink()
        run("sync")  # before that the data counts as shared, and what is written goes elsewhere
        make_swap(path)
        inner = first_extent_item(self.system.device, path)
        self.assertEqual(inner, 4 << 20, "the file was to begin at that inner offset")
        self.assert_found(path, self.system.device)

    def test_copy_on_write(self):
        path = self.system.root / "swap"
        with open(path, "wb") as file:
            file.write(bytes(8 << 20))
        make_swap(path)
        self.assert_refused(path, "copies it on each write")

    def test_compressed(self):
        path = self.system.root / "swap"
        path.touch()
        run(needs.command("btrfs"), "property", "set", path, "compression", "zstd")
        with open(path, "wb") as file:
            file.write(bytes(8 << 20))
        make_swap(path)
        self.assert_refused(path, "btrfs compresses it")

    def test_a_snapshot_that_shares_the_data(self):
        btrfs = needs.command("btrfs")
        volume = self.system.root / "volume"
        run(btrfs, "subvolume", "create", volume)
        path = self.system.swap_file("volume/swap")
        run(btrfs, "subvolume", "snapshot", volume, self.system.root / "snapshot")
        self.assert_refused(path, "another file or a snapshot shares its data")

    def test_on_several_devices(self):
        """In one profile they can be found, on the device that holds them; in the others not at all."""
        for profile, words in (("single", None), ("raid0", "copies or stripes"), ("raid1", "copies or stripes"),
                               ("dup", "copies or stripes")):
            with self.subTest(profile=profile):
                system = FileSystem(self, "btrfs", devices=2, name=profile, options=("-d", profile, "-m", "raid1"))
                path = system.swap_file(size=16 << 20)
                if words:
                    self.assertIn("-dconvert=single", self.assert_refused(path, words))
                    continue
                known = json.loads(self.offset("--format=json", path).stdout)
                self.assertIn(known["device"], system.devices)
                self.assert_found(path, known["device"])
                # The UUID is that of both.
                self.assertNotIn("UUID", self.offset("--format=conf", path).stdout)
                self.assertIn(f"resume={known['device']} ", self.offset("--format=cmdline", path).stdout)

    def test_over_the_end_of_a_device(self):
        system = FileSystem(self, "btrfs", devices=2, name="two", options=("-d", "single", "-m", "raid1"))
        path = system.new_file()
        run("fallocate", "-l", 900 << 20, path)
        make_swap(path)
        self.assert_refused(path, "it goes on from device")


def first_extent_item(device, path):
    """The inner offset of a file's first extent, written or not, as btrfs's own tool dumps it."""
    dump = run(needs.command("btrfs"), "inspect-internal", "dump-tree", "-t", "5", device)
    items = dump.split(f"key ({os.stat(path).st_ino} EXTENT_DATA 0)")[1]
    return int(re.search(r"(?:extent|prealloc) data offset (\d+) ", items).group(1))


def check_pieces(test):
    """Two files that grow in turn come to lie in pieces."""
    path, other = test.system.new_file(), test.system.new_file("other")
    write_blocks([path, other], 400)
    known = test.assert_found(make_swap(path), test.system.device)
    test.assertGreater(known["extents"], 300)


class Elsewhere(SwapOffset):
    """What is no file on a disk."""

    def test_other_file_systems(self):
        mounted = self.directory / "tmpfs"
        mounted.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "none", mounted], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            needs.missing(f"nothing can be mounted (root needed): {done.stderr}")
        self.addCleanup(run, "umount", mounted)
        path = mounted / "swap"
        path.write_bytes(bytes(1 << 20))
        self.assert_refused(path, "it is on tmpfs, where the place of a file cannot be told")
        self.assert_refused("/proc/version", "it is on proc")

    def test_an_overlay_is_named(self):
        layers = [self.directory / name for name in ("tmpfs", "merged")]
        for layer in layers:
            layer.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "none", layers[0]], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            needs.missing(f"nothing can be mounted (root needed): {done.stderr}")
        self.addCleanup(run, "umount", layers[0])
        for name in ("lower", "upper", "scratch"):
            (layers[0] / name).mkdir()
        where = f"lowerdir={layers[0]}/lower,upperdir={layers[0]}/upper,workdir={layers[0]}/scratch"
        run("mount", "-t", "overlay", "none", "-o", where, layers[1])
        self.addCleanup(run, "umount", layers[1])
        path = layers[1] / "swap"
        path.write_bytes(bytes(1 << 20))
        self.assert_refused(path, "it is on overlayfs")

    def test_a_block_device_is_its_own_area(self):
        self.make_area(pages=100)
        device = needs.loop_device(self, self.area)
        self.assertEqual(self.offset(device).stdout, "0\n")
        known = json.loads(self.offset("--format=json", device).stdout)
        uuid = run(needs.command("blkid"), "-p", "-o", "value", "-s", "UUID", device).strip()
        self.assertEqual(known, {"file": None, "device": device, "device_number": device_number(device), "uuid": uuid,
                                 "partuuid": None, "resume_offset": 0, "page_bytes": PAGE, "size_bytes": 100 * 4096,
                                 "extents": 1, "file_system": None})
        self.assertEqual(self.offset("--format=cmdline", device).stdout, f"resume=UUID={uuid} resume_offset=0\n")

    def test_a_block_device_without_a_signature_gets_a_warning(self):
        with open(self.area, "wb") as file:
            file.truncate(1 << 20)
        device = needs.loop_device(self, self.area)
        said = self.run_words([program("swap_offset"), device])
        self.assertEqual(said.stdout, "0\n")
        self.assertRegex(said.stderr, rf"\Aswap-offset: warning: read swap header on {device} at byte 0: no swap signature")

    def test_what_is_no_file(self):
        self.assert_refused("/dev/null", "it is a character device", expect=2)
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        self.assert_refused(fifo, "it is a pipe", expect=2)

    def test_options(self):
        for options, words in (((), "no files were named"), (("a", "b"), "2 files were named"),
                               (("--format=xml", "a"), "--format=xml is not known: use text, conf, cmdline or json"),
                               (("--frobnicate",), "unknown option --frobnicate"), (("-x", "a"), "unknown option -x"),
                               (("--format",), "--format needs a value"), (("",), "is empty")):
            self.assertIn(words, self.offset(*options, expect=2).stderr)
        self.assertTrue(self.offset("--help").stdout.startswith("Usage: swap-offset"))
        self.assertEqual(self.offset("-h").stdout, self.offset("--help").stdout)
        self.assertRegex(self.offset("-V").stdout, r"^swap-offset \(dormouse\) \d+\.\d+\.\d+\n$")

    def test_what_cannot_be_said_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program("swap_offset"), "--help"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"write on standard output: No space left on device", done.stderr)


def load_tests(loader, _standard, _pattern):
    """All but those of file systems that this kernel lacks, which are named."""
    suite = unittest.TestSuite([loader.loadTestsFromTestCase(Elsewhere)])
    for case in (Ext4, Xfs, Btrfs):
        if kernel_has(case.kind):
            suite.addTest(loader.loadTestsFromTestCase(case))
        else:
            print(f"this kernel lacks {case.kind}: left out", file=sys.stderr)
    return suite


if __name__ == "__main__":
    main()
