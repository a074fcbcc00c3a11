"""Tests of what makes figures into results: nothing here measures."""

import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from results import markdown, sections, snapshots, targets
from results.context import rotated
from results.disk import Area, room_for
from results.efficiency import HEAD, Measured, Mixture, seconds_at
from results.errors import BenchError
from results.figures import Samples, Spread
from results.model import best_mix, bound, find_tie
from results.pipeline_runs import Pipeline, chosen_text
from results.programs import Programs, dd_summary, needed, shell, timed
from results.section import Section
from results.snapshots import Snapshot
from results.svg import line_plot, ticks
from results.tables import sealing
from results.tables.rates import best_fixed
from results.tables.scaling import thread_counts
from results.targets import Target


class SpreadTest(unittest.TestCase):
    """Medians and pairs."""

    def test_the_median_is_the_middle_whatever_the_order(self):
        self.assertEqual(Spread((9, 1, 5)).median, 5)
        self.assertEqual(Spread((9, 1, 5, 3)).median, 4)

    def test_ratios_are_of_pairs_not_of_medians(self):
        ratios = Spread((10, 30, 20)).over(Spread((5, 10, 20)))
        self.assertEqual(ratios.values, (2, 3, 1))
        self.assertEqual(ratios.median, 2)

    def test_what_makes_no_pairs_is_refused(self):
        with self.assertRaises(ValueError):
            Spread((1, 2)).over(Spread((1,)))

    def test_text_gives_the_range_where_there_is_one(self):
        self.assertEqual(Spread((3, 1, 2)).text(), "2 (1-3)")
        self.assertEqual(Spread((2.1, 2.2, 1.9)).text(), "2")
        self.assertEqual(Spread((0.5,)).text(".2f"), "0.50")

    def test_samples_are_kept_by_key_in_the_order_of_the_rounds(self):
        samples = Samples()
        samples.add(1, "lz4", "write")
        samples.add(2, "lz4", "write")
        samples.add(7, "source")
        self.assertEqual(samples["lz4", "write"].values, (1, 2))
        self.assertEqual(samples["source"].values, (7,))
        self.assertNotIn(("lz4", "read"), samples)
        with self.assertRaises(KeyError):
            _ = samples["lz4", "read"]


class TargetTest(unittest.TestCase):
    """A verdict follows from the median alone."""

    def test_at_least(self):
        self.assertTrue(Target("a", Spread((0.9,)), 0.9).met())
        self.assertFalse(Target("a", Spread((0.8, 0.89, 1.5)), 0.9).met())

    def test_at_most(self):
        self.assertTrue(Target("a", Spread((63.9,)), 64, at_most=True).met())
        self.assertFalse(Target("a", Spread((64.1,)), 64, at_most=True).met())

    def test_a_line_says_what_was_wanted_and_what_came_out(self):
        line = Target("peak", Spread((41.25,)), 64, at_most=True, form=".1f", unit=" MiB").line()
        self.assertEqual(line, "* met: peak: 41.2 MiB, at most 64.0 MiB wanted")

    def test_a_miss_within_the_spread_is_told_apart(self):
        self.assertIn("**not met**, within the spread:", Target("a", Spread((0.8, 0.85, 0.95)), 0.9).line())
        self.assertIn("**not met**:", Target("a", Spread((0.8, 0.85, 0.89)), 0.9).line())
        self.assertIn("**not met**, within the spread:", Target("a", Spread((1, 3, 4)), 2, at_most=True).line())

    def test_no_targets_no_title(self):
        self.assertEqual(targets.text([]), "")
        self.assertTrue(targets.text([Target("a", Spread((1,)), 1)]).startswith("Targets:\n\n* met: a"))


class ModelTest(unittest.TestCase):
    """Bounds, mixtures and ties."""

    def test_the_longest_term_bounds(self):
        self.assertEqual(bound({"source": 1.0, "processor": 3.0, "device": 2.0}), ("processor", 3.0))
        self.assertEqual(bound({"source": 1.0, "processor": None, "device": None}), ("source", 1.0))

    def test_a_mixture_keeps_both_busy(self):
        # LZ4 to 0.46 at 900 MB/s on all cores, a disk of 1100 MB/s: 43 % of the chunks stored.
        stored, lz4 = (0.0, 1 / 1100), (1 / 900, 0.46 / 1100)
        self.assertAlmostEqual(1 / best_mix([stored, lz4]), 1586, delta=1)

    def test_a_mixture_is_never_worse_than_the_best_alone(self):
        self.assertEqual(best_mix([(1.0, 5.0), (2.0, 3.0)]), 3.0)  # the device limits both
        self.assertEqual(best_mix([(5.0, 1.0)]), 5.0)
        self.assertEqual(best_mix([(2.0, 2.0), (9.0, 1.0), (1.0, 9.0)]), 2.0)

    def test_a_tie_is_found(self):
        self.assertAlmostEqual(find_tie(lambda rate: rate - 700, 100, 10000, steps=20), 700, delta=1)

    def test_without_a_change_of_sign_there_is_no_tie(self):
        self.assertIsNone(find_tie(lambda rate: -1, 100, 10000))
        self.assertIsNone(find_tie(lambda rate: 1, 100, 10000))

    def test_no_rate_no_term(self):
        self.assertEqual(seconds_at(2e6, 4), 0.5)
        self.assertIsNone(seconds_at(2e6, None))
        self.assertIsNone(seconds_at(2e6, 0))


class EfficiencyTest(unittest.TestCase):
    """Bound by time, round by round."""

    def test_each_time_is_held_against_the_bound_of_its_round(self):
        measured = Measured(2)
        measured.add("lz4", 100e6, 2.0, 0.5, {"source": 0.1, "processor": 1.0, "device": 0.5})
        measured.add("lz4", 100e6, 1.0, 0.7, {"source": 0.1, "processor": 0.8, "device": 0.9})
        measured.add("lz4", 100e6, 1.0, 0.6, {"source": 0.1, "processor": 0.5, "device": 0.7})
        self.assertEqual(measured.efficiency("lz4").values, (0.5, 0.9, 0.7))
        self.assertEqual(measured.rate("lz4").values, (50, 100, 100))
        self.assertEqual(measured.limit("lz4"), "device")
        self.assertEqual(measured.cells("lz4"), ["100 (50-100)", "0.70 (0.50-0.90)", "device", "60% (50%-70%)"])
        self.assertEqual(measured.cells("zstd"), ["-"] * len(HEAD))

    def test_a_choice_is_held_against_the_mixture(self):
        mixture = Mixture()
        mixture.add({"source": 0.2, "processor": 0.0, "device": 1.0})
        mixture.add({"source": 0.2, "processor": 1.0, "device": None})
        self.assertEqual(mixture.terms(), {"source": 0.2, "mixture": 0.5})


def _answer(rate, codec, seconds, stored, read=None, **bounds):
    one = {"rate_mb_per_s": rate, "codec": codec, "stored_bytes": stored, "chosen": {},
           "write": {"seconds": seconds, "processor_seconds": seconds}, "read": read}
    return {"image_bytes": 100_000_000, "threads": 2, "bounds": {"source_mb_per_s": 10000, **bounds}, "runs": [one]}


class PipelineTest(unittest.TestCase):
    """Which rates bound which run."""

    def test_a_limited_device_bounds_by_its_rate(self):
        pipeline = Pipeline(2)
        pipeline.add(_answer(100, "lz4", 1.0, 50_000_000, device_write_mb_per_s=1), {"lz4": (500, 900)})
        self.assertEqual(pipeline.written.efficiency((100, "lz4")).median, 0.5)
        self.assertEqual(pipeline.written.limit((100, "lz4")), "device")
        self.assertNotIn((100, "lz4"), pipeline.back)

    def test_memory_bounds_by_copying_on_all_cores(self):
        pipeline = Pipeline(2)
        read = {"seconds": 0.1, "processor_seconds": 0.1}
        answer = _answer(0, "none", 0.2, 100_000_000, read, device_write_mb_per_s=250, device_read_mb_per_s=1000)
        pipeline.add(answer, {"none": (12000, 12000)}, ("memory",))
        self.assertEqual(pipeline.written.efficiency(("memory", 0, "none")).median, 1.0)
        self.assertEqual(pipeline.back.efficiency(("memory", 0, "none")).median, 0.5)

    def test_threads_beyond_the_cores_do_not_raise_the_bound(self):
        pipeline = Pipeline(1)
        pipeline.add(_answer(0, "lz4", 1.0, 50_000_000), {"lz4": (200, 900)}, raw_rates=lambda one: (None, None))
        self.assertEqual(pipeline.written.efficiency((0, "lz4")).median, 0.5)

    def test_shares_of_what_was_chosen(self):
        self.assertEqual(chosen_text({"none:0": 1, "lz4:8": 3}), "none 25%, lz4:8 75%")
        self.assertEqual(chosen_text({}), "-")

    def test_the_best_fixed_codec_is_never_auto(self):
        rates = {"lz4": 5.0, "zstd:1": 7.0, "auto": 9.0}
        found = best_fixed(lambda key: Spread((rates.get(key[1], 1.0),)), 20)
        self.assertEqual(found, "zstd:1")

    def test_thread_counts_double_and_end_with_all(self):
        self.assertEqual(thread_counts(1), [1])
        self.assertEqual(thread_counts(2), [1, 2])
        self.assertEqual(thread_counts(6), [1, 2, 4, 6])

    def test_rounds_differ_in_order_and_leave_nobody_out(self):
        self.assertEqual([rotated("abc", number) for number in (1, 2, 3)], [list("bca"), list("cab"), list("abc")])


class SealingTest(unittest.TestCase):
    """Sealed by plain, in pairs."""

    @staticmethod
    def _samples():
        samples = Samples()
        for cipher, rate in zip(sealing.CIPHERS, (4000, 9000, 2500)):
            samples.add(rate, "cipher", cipher, 1, "write")
        for plain, sealed in ((1.0, 1.05), (2.0, 2.5)):
            runs = [{"codec": codec, "seal": seal, "write": {"seconds": seconds}, "read": {"seconds": seconds / 2}}
                    for codec in sealing.CODECS
                    for seal, seconds in ((sealing.PLAIN, plain), *((cipher, sealed) for cipher in sealing.CIPHERS))]
            sealing.note(samples, "file", {"image_bytes": 100_000_000, "runs": runs})
        return samples

    def test_rates_are_kept_by_way(self):
        samples = self._samples()
        self.assertEqual(samples["file", "lz4", sealing.PLAIN, "write"].values, (100, 50))
        self.assertEqual(samples["file", "lz4", sealing.PLAIN, "read"].values, (200, 100))

    def test_the_quickest_cipher_is_held_to_the_target_in_pairs(self):
        samples = self._samples()
        self.assertEqual(sealing.quickest(samples), "aes-256-ocb")
        found = sealing.targets(samples)
        self.assertEqual(len(found), 2 * len(sealing.CODECS))
        self.assertTrue(all("aes-256-ocb" in target.claim for target in found))
        for target in found:
            self.assertAlmostEqual(target.value.values[0], 1.05)
            self.assertAlmostEqual(target.value.values[1], 1.25)
            self.assertFalse(target.met())


class MarkdownTest(unittest.TestCase):
    """Tables and sections."""

    def test_a_table(self):
        self.assertEqual(markdown.table(["a", "b"], [[1, "x"]]), "| a | b |\n| --- | --- |\n| 1 | x |\n")

    def test_a_row_of_another_length_is_refused(self):
        with self.assertRaises(ValueError):
            markdown.table(["a", "b"], [[1]])

    def test_a_section_ends_with_its_targets(self):
        section = Section()
        section.add("Text.", "| a |\n| --- |\n")
        section.targets.append(Target("claim", Spread((2,)), 1))
        self.assertEqual(section.body("Title", "`command`"), "## Title\n\n`command`\n\nText.\n\n| a |\n| --- |\n\n"
                                                             "Targets:\n\n* met: claim: 2.00, at least 1.00 wanted\n")

    def test_a_section_takes_the_place_of_the_one_before(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "RESULTS.md"
            sections.replace_section(path, "rates", "old")
            sections.replace_section(path, "peers", "other")
            sections.replace_section(path, "rates", "new \\1 body")
            text = path.read_text(encoding="utf-8")
            self.assertIn("<!-- rates: begin -->\nnew \\1 body\n<!-- rates: end -->", text)
            self.assertIn("<!-- peers: begin -->\nother\n<!-- peers: end -->", text)
            self.assertNotIn("old", text)
            self.assertLess(text.index("rates"), text.index("peers"))

    def test_the_machine_is_told(self):
        self.assertRegex(sections.machine_text(), r"(?s)Linux.*\d{4}-\d\d-\d\d")


class PlotTest(unittest.TestCase):
    """Plots are documents that show every point."""

    def test_every_point_and_name_is_there(self):
        svg = line_plot("a & b", "x", "y", {"lz4": [(100, 50), (20, 20)], "<auto>": [(20, 30)]})
        root = ElementTree.fromstring(svg)
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(name + "circle")), 3)
        self.assertEqual(len(root.findall(name + "polyline")), 2)
        texts = [text.text for text in root.findall(name + "text")]
        for expected in ("a & b", "lz4", "<auto>", "20", "100"):
            self.assertIn(expected, texts)
        xs = [float(circle.get("cx")) for circle in root.findall(name + "circle")]
        self.assertLess(xs[0], xs[1], "points are joined from left to right")
        self.assertEqual(xs[0], xs[2], "the same place for the same value")

    def test_what_has_no_logarithm_is_refused(self):
        for lines in ({}, {"a": []}, {"a": [(0, 1)]}):
            with self.assertRaises(ValueError):
                line_plot("title", "x", "y", lines)

    def test_ticks_enclose_the_range(self):
        self.assertEqual(ticks(20, 500), [20, 50, 100, 200, 500])
        self.assertEqual(ticks(3, 11), [2, 5, 10, 20])
        self.assertEqual(ticks(5, 5), [5])

    def test_plots_are_written_beside_the_results(self):
        section = Section()
        section.plot("a.svg", "caption", "<svg/>")
        with tempfile.TemporaryDirectory() as directory:
            section.write_plots(directory)
            self.assertEqual((Path(directory) / "plots" / "a.svg").read_text(encoding="utf-8"), "<svg/>")
        self.assertIn("![caption](plots/a.svg)", section.body("t", "p"))


class ProgramsTest(unittest.TestCase):
    """What is run, and what it answers."""

    def test_dd_is_understood(self):
        self.assertEqual(dd_summary("512+0 records in\n512+0 records out\n536870912 bytes (537 MB, 512 MiB) copied, "
                                    "0.694217 s, 773 MB/s\n"), (536870912, 0.694217))
        self.assertEqual(dd_summary("4096 bytes (4.1 kB, 4.0 KiB) copied, 8.1e-05 s, 51 MB/s"), (4096, 8.1e-05))
        with self.assertRaisesRegex(BenchError, "dd does not say"):
            dd_summary("dd: failed to open 'x'")

    def test_a_failure_names_the_command_and_what_it_said(self):
        with self.assertRaisesRegex(BenchError, "exit status 3 of: /bin/sh -c 'echo why >&2; exit 3'\nwhy"):
            shell("echo why >&2; exit 3")

    def test_what_is_missing_is_named_with_its_package(self):
        with self.assertRaisesRegex(BenchError, "apt-get install the-package"):
            needed("no-such-program-anywhere", "the-package")
        with self.assertRaisesRegex(BenchError, "s2disk is not there; build it"):
            Programs("/nonexistent").path("s2disk")

    def test_processor_time_of_children_is_counted(self):
        timing = timed(["/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done"])
        self.assertEqual(timing.stdout, "done\n")
        self.assertGreater(timing.processor_seconds, 0)
        self.assertGreater(timing.busy(1), timing.busy(2))


class SnapshotTest(unittest.TestCase):
    """Snapshots that are given, and longer and shorter ones."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.directory = Path(holder.name)

    def _snapshot(self, pages):
        path = self.directory / "snapshot"
        path.write_bytes(b"".join(bytes([number]) * snapshots.PAGE for number in range(pages)))
        return snapshots.opened(path)

    def test_half_a_page_is_refused(self):
        path = self.directory / "torn"
        for size in (0, 4095, 4097):
            path.write_bytes(bytes(size))
            with self.assertRaisesRegex(BenchError, "whole pages"):
                snapshots.opened(path)

    def test_a_missing_one_is_named(self):
        with self.assertRaisesRegex(BenchError, "missing cannot be used: No such file"):
            snapshots.opened(self.directory / "missing")

    def test_longer_ones_repeat_and_shorter_ones_end(self):
        three = self._snapshot(3)
        longer = snapshots.of_length(three, 7 * snapshots.PAGE, self.directory / "longer")
        content = longer.path.read_bytes()
        self.assertEqual([content[at] for at in range(0, len(content), snapshots.PAGE)], [0, 1, 2, 0, 1, 2, 0])
        shorter = snapshots.of_length(three, snapshots.PAGE + 1, self.directory / "shorter")
        self.assertEqual((shorter.size, shorter.path.stat().st_size), (snapshots.PAGE, snapshots.PAGE))

    def test_one_that_does_not_fit_on_the_disk_is_refused(self):
        with self.assertRaisesRegex(BenchError, "has no room"):
            snapshots.of_length(Snapshot(self.directory, 0, ""), 1 << 60, self.directory / "huge")


class AreaTest(unittest.TestCase):
    """The place on the disk."""

    def test_there_is_room_for_an_image_stored_as_it_is(self):
        self.assertGreater(room_for(1 << 30), (1 << 30) + (1 << 20))

    def test_raw_copies_go_behind_the_header_page_and_come_back(self):
        with tempfile.TemporaryDirectory() as directory:
            path, source = Path(directory) / "an area", Path(directory) / "source"
            path.write_bytes(b"h" * 4096 + bytes((4 << 20) - 4096))
            source.write_bytes(bytes(range(256)) * 4096)
            area = Area(path, 4 << 20)
            # Not every file system has direct I/O; where things go is the same.
            buffered = area.write_command(source).replace("oflag=direct,", "oflag=")
            self.assertEqual(dd_summary(shell(buffered).stderr)[0], 1 << 20)
            self.assertEqual(path.read_bytes()[:4096], b"h" * 4096)
            back = area.read_command(1 << 20).replace("iflag=direct,", "iflag=")
            shell(f"{back} | cmp - '{source}'")


if __name__ == "__main__":
    unittest.main()
