"""Tests of the rig that need no guest: above all, that its checks do fail when they should."""

import hashlib
import json
import lzma
import struct
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import cases
from rig import checks, fault_checks, kill_sweep, payload_pages, scenario, secrecy, snapshot_stream, stock_image
from rig.case import Attempt, FailedBoot, Secrets
from rig.cpio import CpioArchive
from rig.disk import Disk
from rig.errors import RigError
from rig.kernel import Kernel
from rig.qemu import Boot, Reaction
from rig.swap_header import MARK_DORMOUSE, MARK_STOCK, PLAIN, SwapHeader, mark_findings, restored_findings
from rig.transcript import Transcript

_CASE = cases.Case(name="test", proves="nothing", payload_mib=1, methods=("shutdown",))
_PROCESS = {"pid": "77", "start": "200", "nonce": "abcd"}
_SLEPT = {
    **{f"1.before.{key}": value for key, value in _PROCESS.items()},
    "1.before.counter": "1",
    "1.before.monotonic_ms": "3000",
    "1.before.boottime_ms": "3000",
    "1.before.digest": "d1",
    "1.before.boot_id": "first",
    "1.before.header": "h",
    "1.hibernating": "yes",
    "1.before.swap_used_kib": "0",
}
_WOKE = {
    "boot_id": "second",
    **{f"1.after.{key}": value for key, value in _PROCESS.items()},
    "1.after.counter": "2",
    "1.after.monotonic_ms": "4000",
    "1.after.boottime_ms": "9000",
    "1.after.digest": "d1",
    "1.after.damaged": "0",
    "1.after.pages": "256",
    "1.after.boot_id": "first",
    "1.after.header": "h",
    "1.exit": "0",
    "1.again.swap_used_kib": "1024",
    "1.again.damaged": "0",
    "1.after.swap_used_kib": "0",
}


def _boot(values, console=""):
    return Boot(Transcript("".join(f"@@ {key}={value}\r\n" for key, value in values.items())), console, 1.0)


def _failed(found):
    return [check.claim for check in found if not check.holds]


class RoundTest(unittest.TestCase):
    """A round passes on good evidence, and fails if any single piece of it is off."""

    def test_good_evidence_passes(self):
        self.assertEqual(_failed(checks.round_survived(_boot(_SLEPT), _boot(_WOKE), 1, _CASE)), [])

    def test_each_piece_of_evidence_is_needed(self):
        bad = {
            "boot_id": "first",
            "1.after.pid": "78",
            "1.after.start": "201",
            "1.after.nonce": "beef",
            "1.after.counter": "1",
            "1.after.monotonic_ms": "2999",
            "1.after.boottime_ms": "2999",
            "1.after.digest": "d2",
            "1.after.damaged": "1",
            "1.after.pages": "255",
            "1.after.boot_id": "second",
            "1.after.header": "g",
            "1.exit": "1",
            "1.again.swap_used_kib": "0",
            "1.again.damaged": "1",
        }
        for key, value in bad.items():
            for values in ({**_WOKE, key: value}, {k: v for k, v in _WOKE.items() if k != key}):
                with self.subTest(key=key, present=key in values):
                    self.assertNotEqual(
                        _failed(checks.round_survived(_boot(_SLEPT), _boot(values), 1, _CASE)), []
                    )

    def test_swap_that_cannot_be_switched_fails(self):
        for step in ("swapoff", "swapon"):
            values = {**_WOKE, f"1.again.{step}": "failed"}
            self.assertNotEqual(_failed(checks.round_survived(_boot(_SLEPT), _boot(values), 1, _CASE)), [])

    def test_a_measured_round_needs_no_swap_afterwards_but_all_else(self):
        measured = replace(_CASE, use_swap_again=False)
        woke = {key: value for key, value in _WOKE.items() if ".again." not in key}
        self.assertEqual(_failed(checks.round_survived(_boot(_SLEPT), _boot(woke), 1, measured)), [])
        woke["1.after.damaged"] = "1"
        self.assertNotEqual(_failed(checks.round_survived(_boot(_SLEPT), _boot(woke), 1, measured)), [])

    def test_a_hibernation_that_returned_in_the_first_boot_fails(self):
        slept = {**_SLEPT, "1.exit": "1"}
        self.assertNotEqual(_failed(checks.round_survived(_boot(slept), _boot(_WOKE), 1, _CASE)), [])

    def test_a_guest_that_said_nothing_fails(self):
        self.assertNotEqual(_failed(checks.round_survived(_boot({}), _boot({}), 1, _CASE)), [])
        self.assertFalse(checks.finished(_boot({})).holds)

    def test_a_rehearsal_that_keeps_swap_fails(self):
        said = {**_SLEPT, **_WOKE, "1.before.swapped_out_pages": "7", "1.after.swapped_out_pages": "7"}
        self.assertEqual(_failed(checks.gave_slots_back(_boot(said), "1", _CASE)), [])
        fuller = {**said, "1.after.swap_used_kib": "516"}
        self.assertNotEqual(_failed(checks.gave_slots_back(_boot(fuller), "1", _CASE)), [])
        self.assertEqual(
            _failed(checks.gave_slots_back(_boot({**fuller, "1.after.swapped_out_pages": "8"}), "1", _CASE)),
            [],
        )
        self.assertNotEqual(_failed(checks.gave_slots_back(_boot({}), "1", _CASE)), [])

    def test_a_kernel_warning_fails(self):
        self.assertTrue(checks.kernel_is_content(_boot({}, "[ 1.0] all is well")).holds)
        self.assertFalse(checks.kernel_is_content(_boot({}, "[ 1.0] WARNING: CPU: 0 PID: 1 at x")).holds)

    def test_only_the_warning_that_is_tolerated_passes(self):
        def warning(place):
            return (
                f"[1] ----[ cut here ]----\n[1] WARNING: CPU: 0 at {place}\n[1] Call Trace:\n"
                "[1] ---[ end trace 0000 ]---\n"
            )

        def content(console):
            return checks.kernel_is_content(_boot({}, console), "thaw_processes").holds

        self.assertTrue(content(warning("thaw_processes")))
        self.assertFalse(content(warning("freeze_processes")))
        self.assertFalse(content(warning("thaw_processes") + warning("freeze_processes")))
        self.assertFalse(content(warning("thaw_processes") + "[2] BUG: y"))
        self.assertFalse(checks.kernel_is_content(_boot({}, warning("thaw_processes"))).holds)


class AttemptTest(unittest.TestCase):
    """An attempt passes that failed as foretold and left no trace, and no other."""

    _HEADER = SwapHeader(bytes(4096 - 10) + PLAIN)
    _ATTEMPT = Attempt(
        "test",
        exit_code=1,
        says=("^write chunk", "Input/output"),
        error_between=(4096, 8192),
        values={"x": "y"},
    )
    _REPORT = {"error": "write chunk on /dev/x at byte 4096: Input/output error"}
    _VALUES = {
        **{key.replace("1.", "a1.", 1): value for key, value in {**_WOKE, **_SLEPT}.items() if key[0] == "1"},
        "a1.exit": "1",
        "a1.x": "y",
        "a1.left_running": "",
        "a1.before.settings": "1 2",
        "a1.after.settings": "1 2",
        "a1.before.header": hashlib.sha256(_HEADER.page).hexdigest(),
        "a1.after.header": hashlib.sha256(_HEADER.page).hexdigest(),
        "a1.before.swapped_out_pages": "0",
        "a1.after.swapped_out_pages": "0",
    }

    def _judge(self, values, report=None, attempt=_ATTEMPT):
        said = "".join(f"@@ {key}={value}\n" for key, value in values.items())
        if report is not None:
            said += f"@@begin a1.report\n{report}\n@@end a1.report\n"
        boot = Boot(Transcript(said), "", 1.0)
        return _failed(fault_checks.attempt_came_to_nothing(boot, "a1", attempt, _CASE, self._HEADER))

    def test_good_evidence_passes(self):
        self.assertEqual(self._judge(self._VALUES, json.dumps(self._REPORT)), [])

    def test_each_piece_of_evidence_is_needed(self):
        bad = {
            "exit": "0",
            "x": "z",
            "left_running": "44",
            "after.settings": "2 2",
            "after.header": "other",
            "after.pid": "78",
            "after.start": "201",
            "after.nonce": "beef",
            "after.counter": "1",
            "after.digest": "d2",
            "after.damaged": "1",
            "after.pages": "255",
            "after.swap_used_kib": "9999",
            "again.swap_used_kib": "0",
            "again.damaged": "1",
        }
        for name, value in bad.items():
            key = f"a1.{name}"
            for values in ({**self._VALUES, key: value}, {k: v for k, v in self._VALUES.items() if k != key}):
                with self.subTest(key=key, present=key in values):
                    self.assertNotEqual(self._judge(values, json.dumps(self._REPORT)), [])

    def test_other_words_or_another_place_fail(self):
        for old, new in (
            ("chunk", "map"),
            ("Input/output", "No space"),
            ("4096", "8192"),
            (" at byte 4096", ""),
        ):
            report = json.dumps(self._REPORT).replace(old, new)
            self.assertNotEqual(self._judge(self._VALUES, report), [], new)
        for report in ("", "{", "null", '{"error": null}', None):
            self.assertNotEqual(self._judge(self._VALUES, report), [], report)

    def test_one_that_was_killed_has_no_report_and_restores_no_settings(self):
        killed = Attempt("killed", exit_code=fault_checks.KILLED)
        values = {**self._VALUES, "a1.exit": "137", "a1.after.settings": "9"}
        self.assertEqual(self._judge(values, "", killed), [])
        self.assertNotEqual(self._judge(values, json.dumps(self._REPORT), killed), [])
        self.assertNotEqual(self._judge({**values, "a1.after.header": "x"}, "", killed), [])
        self.assertNotEqual(self._judge({**values, "a1.exit": "0"}, "", killed), [])


class FailedBootTest(unittest.TestCase):
    """A boot that must not wake the machine."""

    def _judge(self, fault, said, console="", killed=False):
        return _failed(
            fault_checks.failed_to_wake(Boot(Transcript(said), console, 1.0, (), killed), fault, _CASE)
        )

    def test_words_and_exit_code(self):
        fault = FailedBoot("test", exit_code=3, says=("chunk",))

        def said(code, words):
            return f"@@ resume.exit={code}\n@@begin resume.output\n{words}\n@@end resume.output\n"

        self.assertEqual(self._judge(fault, said(3, "bad chunk")), [])
        self.assertNotEqual(self._judge(fault, said(3, "bad")), [])
        self.assertNotEqual(self._judge(fault, said(0, "bad chunk")), [])
        self.assertNotEqual(self._judge(fault, ""), [])
        self.assertNotEqual(self._judge(fault, "", "bad chunk"), [])

    def test_one_that_must_not_return(self):
        fault = FailedBoot("test", reactions=(Reaction("x", kill=True),))
        self.assertEqual(self._judge(fault, "", killed=True), [])
        self.assertNotEqual(self._judge(fault, ""), [])
        self.assertNotEqual(self._judge(fault, "@@ resume.exit=0\n", killed=True), [])
        restarts = FailedBoot("test", says=("chunk",))
        self.assertEqual(self._judge(restarts, "", "bad chunk"), [])
        self.assertNotEqual(self._judge(restarts, "", "bad"), [])

    def test_one_that_is_answered_speaks_on_the_console(self):
        fault = FailedBoot("test", exit_code=3, says=("none opens it",), reactions=(Reaction("x", send=b"y"),))
        self.assertEqual(self._judge(fault, "@@ resume.exit=3\n", "none opens it"), [])
        self.assertNotEqual(self._judge(fault, "@@ resume.exit=3\n", "another word"), [])
        self.assertNotEqual(self._judge(fault, "", "none opens it"), [])

    def test_the_tries_on_the_disk_are_those_foretold(self):
        def counted(attempts, page):
            return fault_checks.tries_counted(FailedBoot("test", attempts=attempts), page).holds

        blank = bytes(4096)
        noted = bytearray(blank)
        noted[3584 : 3584 + 28] = b"DMRESUME" + bytes(16) + struct.pack("<I", 1)
        self.assertTrue(counted(0, blank))
        self.assertFalse(counted(1, blank))
        self.assertTrue(counted(1, bytes(noted)))
        self.assertFalse(counted(0, bytes(noted)))

    def test_an_area_that_is_given_back_must_be_of_use(self):
        fault = FailedBoot("test", exit_code=3, keeps_image=False)
        good = {
            "resume.exit": "3",
            "again.pages": "256",
            "again.damaged": "0",
            "again.swap_used_kib": "900",
        }

        def text(values):
            return "".join(f"@@ {key}={value}\n" for key, value in values.items())

        self.assertEqual(self._judge(fault, text(good)), [])
        for key, value in (
            ("again.pages", "255"),
            ("again.damaged", "1"),
            ("again.swap_used_kib", "9"),
            ("again.swapoff", "failed"),
            ("again.swapon", "failed"),
        ):
            self.assertNotEqual(self._judge(fault, text({**good, key: value})), [], key)

    def test_a_kept_image_is_kept_to_the_byte(self):
        fault = FailedBoot("test", exit_code=1)
        marked = SwapHeader(bytes(4096 - 10) + MARK_DORMOUSE)
        self.assertTrue(fault_checks.image_kept(fault, marked, SwapHeader(marked.page)).holds)
        self.assertFalse(fault_checks.image_kept(fault, marked, SwapHeader(b"1" + marked.page[1:])).holds)


class ReactionTest(unittest.TestCase):
    """The host reacts to what it sees in the right part of the console."""

    def test_the_part_that_counts(self):
        reaction = Reaction("50 %", after="begins", until="is over")
        self.assertIsNone(reaction.span("50 %"))
        self.assertEqual(reaction.span("50 % begins 40 %"), " 40 %")
        self.assertEqual(reaction.span("begins 40 % is over 50 %"), " 40 % ")
        self.assertFalse(reaction.is_over("is over begins"))
        self.assertTrue(reaction.is_over("begins is over"))
        self.assertEqual(Reaction("x").span("all of it"), "all of it")

    def test_a_moment_that_never_came_fails(self):
        reaction, other = Reaction("50 %"), Reaction("60 %")
        boot = Boot(Transcript(""), "", 1.0, (reaction,))
        self.assertTrue(fault_checks.moments_came(boot, (reaction,)).holds)
        self.assertFalse(fault_checks.moments_came(boot, (reaction, other)).holds)

    def test_each_attempt_has_its_part(self):
        case = cases.find("stopped")
        reactions = scenario.attempt_reactions(case)
        self.assertEqual(len(reactions), len(case.attempts))
        self.assertEqual(len({reaction.after for reaction in reactions}), len(reactions))


    def test_each_round_has_its_part(self):
        case = replace(_CASE, typed=(Reaction("asks", send=b"x"),), methods=("none", "shutdown", "shutdown"))

        def spans(first):
            return [reaction.after for reaction in scenario.round_reactions(case, first)]

        self.assertEqual(spans(1), ["== 1 begins", "== 2 begins"])
        self.assertEqual(spans(3), ["== 3 begins"])
        self.assertEqual(spans(4), [])


class SecrecyTest(unittest.TestCase):
    """The search of a disk, or of memory, finds what is there and nothing else."""

    _SECRETS = Secrets(passphrase=b"nineteen wet badgers", raw_key=bytes(range(0x41, 0x61)))
    _SEALED = replace(_CASE, secrets=_SECRETS, payload_mib=1)
    _KEYS = {"image key": bytes(range(0x80, 0xA0))}

    def _pages(self):
        for number in range(256):
            yield payload_pages.beginning(_CASE.seed, number).ljust(4096, b"\x55")

    def _judge(self, data, judge):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "disk"
            with path.open("wb") as file:
                for at, piece in data:
                    file.seek(at)
                    file.write(piece)
                file.truncate(3 << 20)
            with mock.patch.object(secrecy, "_PIECE", 1 << 16):
                return judge(path)

    def _on_disk(self, *data):
        return _failed(
            self._judge(data, lambda path: secrecy.nothing_on_disk(self._SEALED, path, self._KEYS))
        )

    def test_the_pages_are_those_of_the_payload(self):
        """As payload.cc has made them."""
        text = b"".join(payload_pages.beginning(2006, number) for number in range(256))
        self.assertEqual(
            hashlib.sha256(text).hexdigest(), "c966f3412dcffb6aa24c409c1e0445a49d4904042fdc87274524c0dc6419df87"
        )

    def test_a_clean_disk_passes(self):
        self.assertEqual(self._on_disk((1 << 16, b"\x55" * 70000)), [])
        self.assertEqual(self._on_disk(), [])

    def test_each_trace_is_found_wherever_it_lies(self):
        page = next(page for page in self._pages() if page[:32] in payload_pages.beginnings(_CASE.seed, 1))
        self.assertEqual(len(self._on_disk((17 << 16, page))), 1)
        for at in (5, (1 << 16) + 4095, (4 << 16) - 7, (17 << 16) + 11):
            for secret in (
                self._SECRETS.passphrase,
                self._SECRETS.raw_key,
                self._SECRETS.raw_key[:16],
                self._KEYS["image key"][16:],
            ):
                self.assertEqual(len(self._on_disk((0, b"\x55" * (5 << 16)), (at, secret))), 1, (at, secret))

    def test_the_search_has_to_find_what_is_known_to_be_there(self):
        pages = b"".join(self._pages())

        def swapped_out(data):
            return self._judge(
                data, lambda path: secrecy.search_sees_what_was_swapped_out(self._SEALED, path)
            ).holds

        self.assertTrue(swapped_out([(8192, pages)]))
        self.assertFalse(swapped_out([(8192, pages[: 64 * 4096])]))
        self.assertFalse(swapped_out([(8193, pages)]))

        def in_memory(data, keys):
            return _failed(
                self._judge(data, lambda path: secrecy.no_key_in_memory(self._SEALED, path, keys))
            )

        self.assertEqual(in_memory([(8192, pages)], self._KEYS), [])
        self.assertEqual(len(in_memory([(8192, pages), (2 << 20, self._KEYS["image key"])], self._KEYS)), 1)
        self.assertEqual(len(in_memory([], self._KEYS)), 1)
        self.assertEqual(len(in_memory([(8192, pages)], {})), 1)

    def test_a_plain_image_is_not_sealed(self):
        for page in (bytes(4096), b"DORMOUSE".ljust(4096, b"\0")):
            self.assertFalse(secrecy.is_sealed(page).holds)
            self.assertEqual(secrecy.keys_of(self._SECRETS, page), {})


class TranscriptTest(unittest.TestCase):
    """What a guest says is put together."""

    def test_a_guest_that_goes_on_has_said_what_it_said_before(self):
        earlier, later = Transcript("@@ a=1\n@@ b=1\n"), Transcript("@@ b=2\n")
        later.goes_on_from(earlier)
        self.assertEqual(later.values, {"a": "1", "b": "2"})


class KillSweepTest(unittest.TestCase):
    """The moments at which a guest is killed."""

    def test_as_many_as_asked_for_spread_over_all_and_the_same_each_time(self):
        found = kill_sweep.moments(20, 0.5, seed=1)
        self.assertEqual(len(found), 20)
        self.assertEqual(found, kill_sweep.moments(20, 0.5, seed=1))
        self.assertNotEqual(found, kill_sweep.moments(20, 0.5, seed=2))
        writing = [moment.written for moment in found if moment.written]
        self.assertEqual((len(writing), writing), (10, sorted(writing)))
        self.assertTrue(min(writing) < 0.1 and 0.9 < max(writing) < 1.0)
        self.assertEqual(len({moment.after for moment in found}), 3)
        self.assertTrue(all(moment.seconds < 0.5 for moment in found))


class SnapshotStreamTest(unittest.TestCase):
    """Where a snapshot ends is read from the stream itself."""

    def _measure(self, frames, data, metadata_pages=1):
        header = bytearray(4096)
        pages = 1 + metadata_pages + len(data)
        struct.pack_into("<QQQ", header, 416, len(data), pages, pages * 4096)
        entries = struct.pack(f"<{len(frames)}Q", *frames)
        metadata = entries + b"\xff" * 8 + bytes(metadata_pages * 4096 - len(entries) - 8)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "stream"
            path.write_bytes(bytes(header) + metadata + b"".join(data))
            return snapshot_stream.measure(path)

    def test_a_header_that_begins_no_stream_is_refused(self):
        def parse(*counts):
            page = bytearray(4096)
            struct.pack_into("<3Q", page, 416, *counts)
            return snapshot_stream.StreamHeader.parse(bytes(page))

        header = parse(5, 8, 8 * 4096)
        self.assertEqual((header.data_pages, header.pages, header.metadata_pages), (5, 8, 2))
        for counts in ((0, 8, 8 * 4096), (7, 8, 8 * 4096), (5, 8, 8 * 4096 - 1), (0, 0, 0)):
            with self.subTest(counts=counts), self.assertRaisesRegex(RigError, "no snapshot stream"):
                parse(*counts)
        with self.assertRaisesRegex(RigError, "this has 100"):
            snapshot_stream.StreamHeader.parse(bytes(100))

    def test_zero_pages_in_the_stream_and_out_of_it(self):
        full, zero = b"x" * 4096, bytes(4096)
        tail = self._measure([1, 2, 3], [full, zero, zero])
        self.assertEqual((tail.pages, tail.last_frame, tail.left_out), (2, 3, 0))
        left_out = 1 << 63
        tail = self._measure([1, 2 | left_out, 3, 4 | left_out], [full, zero])
        self.assertEqual((tail.pages, tail.last_frame, tail.left_out), (3, 4, 2))
        self.assertEqual(self._measure([1 | left_out, 2], [full]).pages, 0)
        self.assertFalse(fault_checks.ends_in_zero_pages(self._measure([1], [full])).holds)
        self.assertTrue(fault_checks.ends_in_zero_pages(self._measure([1], [zero])).holds)


class FreshBootTest(unittest.TestCase):
    """resume without an image is silent and content."""

    def test_silence_passes_and_a_word_or_an_error_fails(self):
        for exit_code, output, passes in (("0", "", True), ("1", "", False), ("0", "no image", False)):
            text = f"@@ resume.exit={exit_code}\n@@begin resume.output\n{output}\n@@end resume.output\n"
            found = checks.fresh_boot(Boot(Transcript(text), "", 1.0))
            self.assertEqual(_failed(found) == [], passes, text)


class ReportTest(unittest.TestCase):
    """The report is read as documented, and a wrong one is noticed."""

    _GOOD = (
        '{"schema": "dormouse-report/1", "tool": "s2disk", "exit_code": 0, "error": null, "kernel": "6.1",'
        ' "page_bytes": 4096, "ram_bytes": 1000, "image":'
        ' {"pages": 9, "stored_bytes": 5, "size_cap_bytes": 450}, "write": {"seconds": 1.5},'
        ' "read": {"seconds": 0.5}, "settings": {"codec": "lz4"}}'
    )

    def _judge(self, text, **attributes):
        case = cases.Case(
            name="test", proves="", settings={"codec": "lz4"}, image_size_percent=45, **attributes
        )
        said = f"@@ release=6.1\n@@begin 1.report\n{text}\n@@end 1.report\n"
        return _failed(checks.report(Boot(Transcript(said), "", 1.0), 1, case)[0])

    def test_a_good_report_passes(self):
        self.assertEqual(self._judge(self._GOOD), [])

    def test_wrong_reports_fail(self):
        for old, new in (
            ('"lz4"', '"zstd"'),
            ("0.5", "0"),
            ("450", "400"),
            ("report/1", "report/2"),
            ("{", ""),
        ):
            self.assertNotEqual(self._judge(self._GOOD.replace(old, new, 1)), [], new)

    def test_a_rehearsal_has_no_read_half(self):
        text = self._GOOD.replace('{"seconds": 0.5}', "null")
        self.assertEqual(self._judge(text, methods=("none",)), [])
        self.assertNotEqual(self._judge(text), [])


class SwapHeaderTest(unittest.TestCase):
    """The header page, byte by byte."""

    def setUp(self):
        self.original = SwapHeader(bytes(range(256)) * 15 + bytes(246) + PLAIN)
        self.marked = self._with(self.original.page[:-28] + struct.pack("<q", 8192) + PLAIN + MARK_DORMOUSE)

    @staticmethod
    def _with(page):
        return SwapHeader(page)

    def _findings(self, page, end=1 << 20):
        return mark_findings(self.original, SwapHeader(page), MARK_DORMOUSE, 0, end)

    def test_a_proper_mark_passes(self):
        self.assertEqual(self._findings(self.marked.page), [])

    def test_improper_marks_fail(self):
        page = self.marked.page
        self.assertNotEqual(self._findings(self.original.page), [])
        self.assertNotEqual(self._findings(page[:-20] + bytes(10) + page[-10:]), [])
        self.assertNotEqual(self._findings(b"x" + page[1:]), [])
        self.assertNotEqual(self._findings(page, end=8192), [])
        self.assertNotEqual(self._findings(page[:-28] + struct.pack("<q", 8193) + page[-20:]), [])

    def test_restored_means_every_byte(self):
        self.assertEqual(restored_findings(self.original, self.original, by_stock_kernel=False), [])
        leftover = SwapHeader(self.marked.page[:-10] + PLAIN)
        self.assertNotEqual(restored_findings(self.original, leftover, by_stock_kernel=False), [])
        self.assertEqual(restored_findings(self.original, leftover, by_stock_kernel=True), [])
        self.assertNotEqual(restored_findings(self.original, self.marked, by_stock_kernel=True), [])


class DiskTest(unittest.TestCase):
    """The disk image is found to be what was asked for."""

    def test_partition_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            partition = Disk(Path(directory) / "a", 8, with_swap_file=False)
            self.assertEqual((partition.resume_device, partition.resume_offset_pages), ("/dev/vda1", 0))
            self.assertEqual(partition.original_header.signature, PLAIN)
            self.assertRaises(RigError, partition.damage_image)
            self.assertLess(partition.bytes_on_host(), 4 << 20)
            partition.copy_area(Path(directory) / "area")
            area = (Path(directory) / "area").read_bytes()
            self.assertEqual((len(area), area[:4096]), (8 << 20, partition.original_header.page))
            file = Disk(Path(directory) / "b", 8, with_swap_file=True)
            self.assertEqual(file.resume_device, "/dev/vda2")
            self.assertGreater(file.resume_offset_pages, 0)
            self.assertEqual(file.check_file_system(), [])

    def test_what_is_appended_lies_behind_the_partition_and_leaves_it_alone(self):
        with tempfile.TemporaryDirectory() as directory:
            disk = Disk(Path(directory) / "a", 8, with_swap_file=False)
            self.assertEqual(disk.append(b"abc", 2), 9)
            disk.fill_holes()
            self.assertGreaterEqual(disk.bytes_on_host(), 11 << 20)
            data = disk.path.read_bytes()
            self.assertEqual((len(data), data[9 << 20 :]), (11 << 20, (b"abc" * (1 << 20))[: 2 << 20]))
            self.assertEqual(disk.swap_header(), disk.original_header)

    def test_a_marked_area_is_made_plain_again(self):
        with tempfile.TemporaryDirectory() as directory:
            for with_swap_file in (False, True):
                disk = Disk(Path(directory) / "a", 8, with_swap_file)
                _write_page(disk, disk.resume_offset_pages, bytes(4086) + MARK_DORMOUSE)
                self.assertEqual(disk.swap_header().signature, MARK_DORMOUSE)
                disk.make_plain()
                self.assertEqual(disk.swap_header(), disk.original_header)


def _write_page(disk, number, page):
    start = disk.path.read_bytes().index(disk.original_header.page) - disk.resume_offset_pages * 4096
    with disk.path.open("r+b") as image:
        image.seek(start + number * 4096)
        image.write(page)


class StockImageTest(unittest.TestCase):
    """The stock kernel's image is as large as its maps say, and maps that say nonsense are refused."""

    def _stored(self, maps, first=1):
        """`maps` is {place: (entries, place of the next)}."""
        with tempfile.TemporaryDirectory() as directory:
            disk = Disk(Path(directory) / "a", 8, with_swap_file=False)
            for place, (entries, following) in maps.items():
                filled = [*entries, *[0] * (511 - len(entries)), following]
                _write_page(disk, place, struct.pack("<512Q", *filled))
            mark = struct.pack("<QI", first, 4) + PLAIN + MARK_STOCK
            _write_page(disk, 0, disk.original_header.page[: 4096 - len(mark)] + mark)
            return stock_image.stored_pages(disk)

    def test_pages_and_maps_are_counted(self):
        self.assertEqual(self._stored({1: ([2, 3, 4], 0)}), 4)
        self.assertEqual(self._stored({1: (range(2, 513), 600), 600: ([700], 0)}), 514)
        self.assertEqual(self._stored({9: ([2], 0)}, first=9), 2)

    def test_a_loop_and_a_map_off_the_disk_are_refused(self):
        with self.assertRaisesRegex(RigError, "comes round again"):
            self._stored({1: ([2], 5), 5: ([3], 1)})
        with self.assertRaisesRegex(RigError, "past the end"):
            self._stored({1: ([2], 1 << 40)})

    def test_a_plain_area_holds_no_image(self):
        with tempfile.TemporaryDirectory() as directory:
            disk = Disk(Path(directory) / "a", 8, with_swap_file=False)
            with self.assertRaisesRegex(RigError, "no image"):
                stock_image.stored_pages(disk)


class KernelTest(unittest.TestCase):
    """Modules come in an order in which they can be loaded."""

    def test_dependencies_first_and_built_in_ones_left_out(self):
        with tempfile.TemporaryDirectory() as directory:
            modules = Path(directory) / "modules"
            modules.mkdir()
            for name in ("vmlinuz", "release"):
                (Path(directory) / name).write_text("6.1\n")
            (modules / "modules.dep").write_text(
                "k/c.ko.xz: k/b.ko.xz k/a.ko.xz\n" "k/b.ko.xz: k/a.ko.xz\n" "k/a.ko.xz:\n"
            )
            (modules / "modules.builtin").write_text("kernel/virtio-ring.ko\n")
            (modules / "k").mkdir()
            for name in "abc":
                (modules / f"k/{name}.ko.xz").write_bytes(lzma.compress(name.encode()))
            kernel = Kernel(directory)
            expected = [("a.ko", b"a"), ("b.ko", b"b"), ("c.ko", b"c")]
            self.assertEqual(kernel.modules(["virtio_ring", "c"]), expected)
            with self.assertRaises(RigError):
                kernel.modules(["missing"])

    def test_an_incomplete_kernel_is_named(self):
        with tempfile.TemporaryDirectory() as directory, self.assertRaisesRegex(RigError, "fetch_kernels"):
            Kernel(directory)


class ScenarioTest(unittest.TestCase):
    """The host's wishes reach the guest's shell unharmed."""

    def test_commands(self):
        class FileOnDisk:
            resume_device = "/dev/vda2"
            resume_offset_pages = 4711

        command = scenario.hibernate_command(cases.find("lz4-swap-file"), FileOnDisk, 0)
        self.assertIn(
            "--compress=lz4 --early-writeout 20 --image-size 95% --shutdown-method shutdown", command
        )
        self.assertIn("--resume-device /dev/vda2 --resume-offset 4711 --report json", command)
        command = scenario.hibernate_command(cases.find("used-by"), FileOnDisk, 0)
        self.assertEqual(command, "/usr/sbin/s2disk --compress --early-writeout 1 --report json")

    def test_archive_is_well_formed(self):
        archive = CpioArchive()
        archive.add_file("/a/b", b"12345")
        data = archive.finish()
        self.assertEqual(len(data) % 4, 0)
        self.assertTrue(data.startswith(b"070701"))
        self.assertIn(b"TRAILER!!!", data)


class CaseTableTest(unittest.TestCase):
    """The table covers what it promises to."""

    def test_names_are_unique(self):
        self.assertEqual(len({case.name for case in cases.CASES}), len(cases.CASES))

    def test_quick_on_some_kernels_is_full_on_the_others(self):
        case = cases.find("stopped")
        shares = {case.share_on(kernel) for kernel in cases.KERNELS}
        self.assertEqual(shares, {"quick", "full"})
        self.assertEqual(cases.find("used-by").share_on("6.12"), "quick")
        self.assertEqual(cases.find("demo").share_on("6.12"), "manual")

    def test_every_attempt_and_every_failed_boot_can_be_told_apart(self):
        for case in cases.CASES:
            names = [fault.name for fault in (*case.attempts, *case.failed_boots)]
            self.assertEqual(len(set(names)), len(names), case.name)

    def test_sealed_images_are_opened_in_every_way_and_searched(self):
        searched = [case for case in cases.CASES if case.searched and case.wakes]
        for word in ("passphrase", "key-pair", "key-file"):
            self.assertTrue(any(case.name.endswith(word) for case in searched), word)
        self.assertTrue(any(case.looked_into for case in searched))
        for case in searched:
            # Nothing may have been swapped out before the image is written.
            self.assertEqual(case.pageout_mib, 0, case.name)
            self.assertNotEqual(case.methods[0], "none", case.name)
            self.assertGreaterEqual(case.machine.memory_mib, 8 * case.payload_mib, case.name)

    def test_every_attribute_is_covered(self):
        ours = [case for case in cases.CASES if case.engine == "dormouse" and case.share != cases.MANUAL]
        for codec in ("none", "lzf", "lz4", "zstd"):
            self.assertTrue(any(case.settings.get("codec") == codec for case in ours), codec)
        for percent in (0, 1, 20):
            self.assertTrue(
                any(case.settings.get("early_writeout_percent") == percent for case in ours), percent
            )
        for io in ("direct", "buffered"):
            self.assertTrue(any(case.settings.get("io") == io for case in ours), io)
        for method in (None, "none", "platform", "shutdown", "reboot"):
            self.assertTrue(any(method in case.methods for case in ours), method)
        for processors in (1, 2):
            self.assertTrue(any(case.machine.processors == processors for case in ours), processors)
        self.assertTrue(any(case.swap_file for case in ours) and any(not case.swap_file for case in ours))
        self.assertTrue(any(case.pageout_mib for case in ours) and any(case.power_offs > 1 for case in ours))
        self.assertTrue(any(case.image_size_percent == 45 for case in ours))


if __name__ == "__main__":
    unittest.main()
