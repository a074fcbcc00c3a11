"""Tests of what the rig knows of swap areas and planted faults; they need no guest. See rig_test.py."""

import base64
import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import cases
from rig import area_checks, planted, scenario, xts
from rig.area import LABEL, Area
from rig.disk import Disk
from rig.errors import RigError
from rig.planted import Planted
from rig.qemu import Boot
from rig.swap_header import MARK_DORMOUSE, PLAIN
from rig.transcript import Transcript


def _said(values=None, documents=None):
    said = Transcript("")
    said.values.update(values or {})
    said.documents.update(documents or {})
    return said


def _boot(console="", values=None, documents=None):
    return Boot(transcript=_said(values, documents), console=console, seconds=1.0)


class XtsTest(unittest.TestCase):
    """The cipher is the one of the standard, and each sector has a tweak of its own."""

    def test_a_vector_of_ieee_1619(self):
        # Vector 4: AES-128, sector 0, 512 bytes that count up.
        key = bytes.fromhex("27182818284590452353602874713526" "31415926535897932384626433832795")
        data = bytes(range(256)) * 2
        packed = xts.encrypt(key, data, 0)
        self.assertEqual(packed[:16].hex(), "27a7479befa1d476489f308cd4cfa6e2")
        self.assertEqual(xts.decrypt(key, packed, 0), data)

    def test_sectors_differ(self):
        key = bytes(range(64))
        packed = xts.encrypt(key, bytes(1024), 7)
        self.assertNotEqual(packed[:512], packed[512:])
        self.assertEqual(xts.encrypt(key, bytes(512), 8), packed[512:])


class AreaDiskTest(unittest.TestCase):
    """The host finds the area wherever it lies on the disk."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self._path = Path(scratch.name) / "disk"

    def test_behind_device_mapper(self):
        plain = Disk(self._path, 8, False, Area(mapping="lvm"))
        self.assertEqual(self._path.read_bytes()[(2 << 20) + 4086 : (2 << 20) + 4096], PLAIN)
        self.assertEqual(plain.area_on_device, (0, 7 << 20))
        sealed = Disk(self._path, 8, False, Area(mapping="luks", key=bytes(range(64))))
        self.assertEqual(sealed.original_header.signature, PLAIN)
        self.assertNotIn(PLAIN, self._path.read_bytes())

    def test_another_partition_beside(self):
        disk = Disk(self._path, 8, False, Area(beside_mib=2))
        self.assertEqual(disk.beside_device, "/dev/vda2")
        self.assertEqual(area_checks.area_alone_is_marked(disk)[0].holds, True)
        with self._path.open("r+b") as image:
            image.seek((9 << 20) + 4086)
            image.write(MARK_DORMOUSE)
        self.assertEqual(area_checks.area_alone_is_marked(disk)[0].holds, False)

    def test_an_area_that_the_guest_has_made(self):
        area = Area(made_by_guest=True)
        disk = Disk(self._path, 8, True, area)
        header = bytearray(disk.original_header.page)
        header[1052 : 1052 + len(LABEL)] = LABEL.encode()
        self.assertRaisesRegex(RigError, "0 marked", disk.adopt, bytes(header))
        marked = bytes(header[:-10]) + MARK_DORMOUSE
        self._write_page(disk, disk.stale_page + 3000, marked)
        boot = _boot(
            values={"made.offset": str(disk.stale_page + 3000)},
            documents={"made.header": base64.b64encode(bytes(header)).decode()},
        )
        self.assertTrue(all(check.holds for check in area_checks.made_by_guest(boot, disk)))
        self.assertEqual(disk.swap_header().page, marked)
        boot.transcript.values["made.offset"] = str(disk.stale_page)
        self.assertFalse(area_checks.made_by_guest(boot, disk)[0].holds)
        self._write_page(disk, disk.stale_page, marked)
        self.assertRaisesRegex(RigError, "2 marked", disk.adopt, bytes(header))

    def _write_page(self, disk, number, page):
        start = disk.path.stat().st_size - disk.area_on_device[1]
        with disk.path.open("r+b") as image:
            image.seek(start + number * 4096)
            image.write(page)


class NamesTest(unittest.TestCase):
    """The tools are told of the area as the case wants it."""

    class OnDisk:
        """As much of a disk as names need."""

        resume_device = "/dev/vda2"
        resume_offset_pages = 4711
        stale_page = 4711
        original_header = object()
        uuid = "1-2"

    def _line(self, **area):
        case = replace(cases.find("swap-file-anew"), area=Area(**area))
        return scenario.hibernate_command(case, self.OnDisk, 0), scenario.resume_names(case, self.OnDisk)

    def test_each_way(self):
        line, names = self._line()
        self.assertIn("--resume-device /dev/vda2 --resume-offset 4711 ", line)
        self.assertEqual(names, ["--resume-device", "/dev/vda2", "--resume-offset", "4711"])
        line, names = self._line(s2disk=("{file}", "{stale}"), resume=("UUID={uuid}",))
        self.assertIn(" /mnt/swapfile 4711 ", line)
        self.assertEqual(names, ["UUID=1-2"])
        line, names = self._line(s2disk=(), resume=())
        self.assertNotIn("resume", line)
        self.assertEqual(names, [])

    def test_an_area_that_is_not_made_yet_has_no_place(self):
        self.assertEqual(self._line(made_by_guest=True)[1], [])

    def test_a_disk_with_another_name(self):
        self.assertEqual(scenario.renamed("/dev/vda1"), "/dev/vdb1")
        self.assertEqual(scenario.renamed("/dev/mapper/vg-swap"), "/dev/mapper/vg-swap")

    def test_what_the_tools_say(self):
        area = Area(says=("is /dev/vda1",), wake_says=("is /dev/vdb1",))
        good = _boot("it is /dev/vda1"), _boot("it is /dev/vdb1")
        self.assertTrue(all(check.holds for check in area_checks.told_of_the_area(*good, area)))
        self.assertFalse(any(check.holds for check in area_checks.told_of_the_area(*reversed(good), area)))
        self.assertEqual(area_checks.told_of_the_area(*good, Area()), [])


class PlantedTest(unittest.TestCase):
    """Of each fault that one alone has to be found, and of none nothing."""

    _FAULTS = (
        Planted("small", "swap-too-small"),
        Planted("tight", "swap-tight", severity="warning"),
        Planted("large", "image-size-above-limit", severity="note"),
    )

    def setUp(self):
        self._looks = {
            "sound": ("0", [("note", "area")]),
            "f1": ("6", [("problem", "swap-too-small"), ("note", "area")]),
            "f2": ("0", [("warning", "swap-tight")]),
            "f3": ("0", [("note", "image-size-above-limit"), ("note", "area")]),
            "sound_3": ("0", [("note", "area")]),
            "sound_end": ("0", []),
        }

    def _failed(self, **changed):
        said = _said()
        for key, (code, found) in (self._looks | changed).items():
            said.values[f"{key}.exit"] = code
            findings = [{"severity": severity, "id": id, "what": "."} for severity, id in found]
            said.documents[f"{key}.report"] = json.dumps({"findings": findings})
        return [check.claim for check in planted.judge(said, self._FAULTS) if not check.holds]

    def test_good_evidence_passes(self):
        self.assertEqual(self._failed(), [])

    def test_what_is_missing_or_too_much_fails(self):
        for key, look in (
            ("sound", ("0", [("warning", "swap-tight")])),
            ("sound_3", ("6", [("problem", "not-root")])),
            ("sound_end", ("6", [])),
            ("f1", ("0", [("problem", "swap-too-small")])),
            ("f1", ("6", [])),
            ("f1", ("6", [("problem", "swap-too-small")] * 2)),
            ("f1", ("6", [("problem", "swap-too-small"), ("warning", "swap-tight")])),
            ("f1", ("6", [("problem", "area-not-found")])),
            ("f1", ("6", [("warning", "swap-too-small")])),
            ("f2", ("6", [("warning", "swap-tight")])),
            ("f3", ("0", [("note", "area")])),
            ("f3", ("0", [("note", "image-size-above-limit"), ("warning", "swap-tight")])),
        ):
            with self.subTest(key=key, look=look):
                self.assertEqual(len(self._failed(**{key: look})), 1)

    def test_a_note_of_the_sound_machine_is_no_finding(self):
        usual = [("note", "image-size-above-limit")]
        self.assertEqual(len(self._failed(sound=("0", usual))), 1)

    def test_no_report_fails(self):
        self.assertEqual(len([check for check in planted.judge(_said(), self._FAULTS) if check.holds]), 0)


class PlantedTableTest(unittest.TestCase):
    """The table plants what it promises to."""

    def test_thirty_faults_and_more_each_mended(self):
        faults = cases.find("check").planted
        self.assertGreaterEqual(len(faults), 30)
        self.assertEqual(len({fault.name for fault in faults}), len(faults))
        self.assertGreaterEqual(len({fault.id for fault in faults if fault.severity != "note"}), 30)
        for fault in faults:
            self.assertTrue(fault.mend or not fault.plant, fault.name)
            self.assertTrue(fault.plant or fault.options or fault.prefix, fault.name)


if __name__ == "__main__":
    unittest.main()
