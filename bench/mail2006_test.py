"""Tests of what makes a report of the 2006 test's figures; no guest is run, its words were recorded."""

import contextlib
import io
import json
import re
import runpy
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

_HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(_HERE.parent / "tests" / "vm"))

from mail2006 import grid, kernel_log, past, plot, report, station, summary, svg, table  # noqa: E402
from mail2006.runner import Runner  # noqa: E402
from mail2006.store import NAME, Store  # noqa: E402
from results import sections  # noqa: E402
from rig.errors import RigError  # noqa: E402

_SAMPLE = _HERE / "mail2006" / "sample.jsonl"

_SLEPT = """\
[   12.310358] PM: hibernation: hibernation entry
[   12.554031] PM: hibernation: Allocated 62527 pages for snapshot
[   12.554529] PM: hibernation: Allocated 250108 kbytes in 0.21 seconds (1190.99 MB/s)
[   12.639575] PM: hibernation: Need to copy 62178 pages
[   18.622069] PM: Image saving done
[   18.622787] PM: hibernation: Wrote 249200 kbytes in 5.93 seconds (42.02 MB/s)
"""
_WOKE = """\
[    8.148710] PM: hibernation: Read 249200 kbytes in 5.38 seconds (46.31 MB/s)
[   12.639575] PM: hibernation: Need to copy 62178 pages
"""


def _figures(pages=1000, write=2.0, read=1.0, stored=0.5):
    size = pages * 4096
    return {
        "pages": pages,
        "copied_pages": pages,
        "image_bytes": size,
        "stored_bytes": size * stored,
        "write_seconds": write,
        "read_seconds": read,
    }


def _rows(*figures):
    return summary.rows([{"cell": cell, "run": run, **values} for cell, run, values in figures])


class KernelLogTest(unittest.TestCase):
    """The stock kernel's figures are found in its log."""

    def test_figures(self):
        self.assertEqual(kernel_log.written(_SLEPT), kernel_log.Transfer(249200 * 1024, 5.93))
        self.assertEqual(kernel_log.read_back(_WOKE), kernel_log.Transfer(249200 * 1024, 5.38))
        self.assertEqual(kernel_log.copied_pages(_SLEPT), 62178)
        self.assertEqual(kernel_log.prepared_seconds(_SLEPT), 0.21)

    def test_the_last_of_several_counts(self):
        twice = _SLEPT + _SLEPT.replace("5.93", "6.00").replace("62178", "62000")
        self.assertEqual(kernel_log.written(twice).seconds, 6.0)
        self.assertEqual(kernel_log.copied_pages(twice), 62000)

    def test_what_is_not_there_is_none(self):
        self.assertIsNone(kernel_log.written(_WOKE))
        self.assertIsNone(kernel_log.read_back(_SLEPT))
        self.assertIsNone(kernel_log.copied_pages(""))
        self.assertIsNone(kernel_log.prepared_seconds(""))


class GridTest(unittest.TestCase):
    """The grid is whole, and repeated cells are spread over the run."""

    def test_all_that_was_asked_for_is_in_it(self):
        names = [cell.name for cell in grid.cells()]
        self.assertEqual(len(names), len(set(names)))
        for size in ("max", "45%", "40%"):
            self.assertIn(f"stock/{size}", names)
            for early in ("off", "20", "1"):
                self.assertIn(f"none/buffered/{early}/{size}", names)
                for codec in ("none", "lzf", "lz4", "zstd", "auto"):
                    self.assertIn(f"{codec}/direct/{early}/{size}", names)

    def test_quick_is_part_of_it(self):
        self.assertLess(set(grid.cells(quick=True)), set(grid.cells()))

    def test_the_schedule_has_each_run_once(self):
        for runs in (1, 2, 5):
            order = grid.schedule(grid.cells(), runs)
            self.assertEqual(len(order), len(set(order)))
            for cell in grid.cells():
                expected = max(3, runs) if cell.is_repeated else runs
                self.assertEqual(sum(other == cell for other, _ in order), expected, cell.name)

    def test_repeated_cells_are_spread(self):
        order = [cell for cell, _ in grid.schedule(grid.cells(), 1)]
        places = [place for place, cell in enumerate(order) if cell == grid.stock("max")]
        self.assertEqual(places[0], 0)
        for earlier, later in zip(places, places[1:]):
            self.assertGreaterEqual(later - earlier, len(order) // 4)

    def test_patterns(self):
        found = grid.matching(grid.cells(), ["stock/*", "lz4/direct/1/45%"])
        self.assertEqual(len(found), 4)
        self.assertEqual(grid.matching(grid.cells(), []), grid.cells())
        self.assertEqual(grid.matching(grid.cells(), ["lz5/*"]), [])


class PastTest(unittest.TestCase):
    """The mail's rows belong to cells of ours."""

    def test_each_row_of_the_mail_has_its_cell(self):
        names = {cell.name for cell in grid.cells()}
        mail = [row for row in past.ROWS if row.source == past.MAIL]
        self.assertEqual(len(mail), 10)
        for row in mail:
            self.assertIn(f"{row.codec}/buffered/{row.early}/{row.size}", names)


class SummaryTest(unittest.TestCase):
    """Rows are medians, and are compared page by page."""

    def test_medians_and_ranges(self):
        row = _rows(
            ("stock/max", 1, _figures(write=3.0)),
            ("stock/max", 2, _figures(write=9.0)),
            ("stock/max", 3, _figures(write=4.0)),
        )["stock/max"]
        self.assertEqual((row.runs, row.write_seconds, row.write_range), (3, 4.0, (3.0, 9.0)))
        self.assertEqual(row.ratio, 0.5)

    def test_more_pages_may_take_more_time(self):
        rows = _rows(
            ("stock/max", 1, _figures(pages=1000, write=2.0, read=1.0)),
            ("lz4/direct/1/max", 1, _figures(pages=2000, write=2.0, read=4.0)),
        )
        ours, stock = rows["lz4/direct/1/max"], rows["stock/max"]
        self.assertAlmostEqual(ours.write_against(stock), 0.5)
        self.assertAlmostEqual(ours.read_against(stock), 2.0)

    def test_the_share_of_the_disk(self):
        row = _rows(("stock/max", 1, _figures(pages=1000, write=2.0, read=1.0)))["stock/max"]
        self.assertEqual(row.device_share(2048 * 1000, 4096 * 1000), (0.5, 0.5))

    def test_rows_keep_the_order_of_the_grid_and_unknown_cells_do_not_appear(self):
        rows = _rows(
            ("auto/direct/1/max", 1, _figures()), ("gone/max", 1, _figures()), ("stock/max", 1, _figures())
        )
        self.assertEqual(list(rows), ["stock/max", "auto/direct/1/max"])


class StoreTest(unittest.TestCase):
    """Results survive an interruption, and only those that belong together are joined."""

    _SETUP = {"kernel": "6.1", "tools": {"s2disk": "aa"}, "guest": "small", "machine": "m", "command": "c"}

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self._directory = Path(directory.name)

    def _begun(self):
        store = Store(self._directory)
        store.begin(self._SETUP)
        return store

    def test_what_was_written_is_there_again(self):
        self._begun().add("result", cell="stock/max", run=1, **_figures())
        again = Store(self._directory)
        again.begin({**self._SETUP, "machine": "the same, a day later"})
        self.assertEqual(again.done, {("stock/max", 1)})
        self.assertEqual(again.setup["machine"], "m")

    def test_a_torn_line_is_measured_again_and_harms_no_other(self):
        self._begun().add("result", cell="stock/max", run=1, **_figures())
        path = self._directory / NAME
        path.write_bytes(path.read_bytes() + b'{"type": "result", "cell": "stock')
        again = Store(self._directory)
        again.begin(self._SETUP)
        again.add("result", cell="stock/max", run=2, **_figures())
        self.assertEqual(Store(self._directory).done, {("stock/max", 1), ("stock/max", 2)})

    def test_damage_elsewhere_is_named(self):
        (self._directory / NAME).write_text('{"type": "setup"}\nnonsense\n{"type": "result"}\n')
        with self.assertRaisesRegex(RigError, ":2: not a line of results"):
            Store(self._directory)

    def test_another_set_up_is_refused(self):
        self._begun().add("result", cell="stock/max", run=1, **_figures())
        for key in ("kernel", "tools", "guest"):
            with self.assertRaisesRegex(RigError, f"its {key} was"):
                Store(self._directory).begin({**self._SETUP, key: "another"})

    def test_a_run_without_results_is_begun_anew(self):
        self._begun()
        other = Store(self._directory)
        other.begin({**self._SETUP, "kernel": "6.12"})
        self.assertEqual(Store(self._directory).setup["kernel"], "6.12")

    def test_a_failure_is_forgotten_once_it_went_well(self):
        store = self._begun()
        store.add("failure", cell="stock/max", run=1, error="x")
        store.add("failure", cell="stock/max", run=2, error="x")
        store.add("result", cell="stock/max", run=1, **_figures())
        self.assertEqual([failure["run"] for failure in store.failures], [2])


class RunnerTest(unittest.TestCase):
    """Every cell is measured once, and one that fails does not end the run."""

    class _Station:
        disk_rates = {"write": 1e6, "write_small": 2e6, "read": 3e6, "read_small": 4e6}
        ram_bytes = 5
        closed = 0

        def measure(self, cell):
            if cell.codec == "lz4":
                raise RigError("the guest never woke up")
            return _figures()

        def close(self):
            RunnerTest._Station.closed += 1

    def _run(self, jobs):
        said = []
        with tempfile.TemporaryDirectory() as directory:
            store = Store(directory)
            tasks = grid.schedule(grid.cells(quick=True), 1)
            Runner(store, directory, lambda _: self._Station(), said.append).run(tasks, jobs)
            self.assertEqual(list(Path(directory).iterdir()), [store.path])
        return store, tasks, said

    def test_all_is_measured(self):
        for jobs in (1, 3):
            self._Station.closed = 0
            store, tasks, said = self._run(jobs)
            self.assertEqual(self._Station.closed, jobs)
            failed = {(cell.name, run) for cell, run in tasks if cell.codec == "lz4"}
            self.assertEqual(store.done | failed, {(cell.name, run) for cell, run in tasks})
            self.assertEqual({(line["cell"], line["run"]) for line in store.failures}, failed)
            self.assertTrue(any("FAILED: the guest never woke up" in line for line in said))

    def test_a_guest_that_cannot_be_had_ends_the_run(self):
        def no_guest(_):
            raise RigError("no emulator")

        with tempfile.TemporaryDirectory() as directory, self.assertRaisesRegex(RigError, "no emulator"):
            Runner(Store(directory), directory, no_guest, print).run([(grid.stock("max"), 1)], 1)


class StationTest(unittest.TestCase):
    """What the guest says of its disk is a rate, or an error."""

    def test_rate(self):
        self.assertEqual(station._rate(4, "10.00 12.00"), 2 << 20)
        for said in ("", "10.00", "10.00 10.00", "x y"):
            with self.assertRaisesRegex(RigError, "how fast its disk is"):
                station._rate(4, said)


class ReportTest(unittest.TestCase):
    """A recorded run becomes a table and a plot."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self._directory = Path(directory.name)
        (self._directory / NAME).write_bytes(_SAMPLE.read_bytes())
        self._store = Store(self._directory)
        self._rows = summary.rows(self._store.results)

    def _table(self, rows):
        text = table.markdown(rows, station.WRITE_BYTES_PER_SECOND, station.READ_BYTES_PER_SECOND)
        return [
            [field.strip() for field in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line
        ]

    def test_the_table_has_the_mails_columns_and_one_width(self):
        lines = self._table(self._rows)
        for column in ("pages", "image size, MB", "write time, s", "read time, s"):
            self.assertIn(column, lines[0])
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})

    def test_figures_are_those_that_were_recorded(self):
        by_name = {tuple(line[:3]): line for line in self._table(self._rows)}
        stock = by_name[("**the stock kernel**", "none", "asynchronous")]
        recorded = sorted(r["write_seconds"] for r in self._store.results if r["cell"] == "stock/max")
        self.assertTrue(stock[5].startswith(f"{recorded[1]:.2f} ("), stock)
        self.assertEqual(stock[-2:], ["1.00", "1.00"])
        for row in self._rows.values():
            if not row.cell.is_stock:
                line = by_name[(row.cell.codec, table.early_text(row.cell.early), row.cell.io)]
                self.assertEqual(line[3], f"{row.pages:.0f}")
                self.assertEqual(line[-2], f"{row.write_against(self._rows['stock/max']):.2f}")

    def test_the_mails_rows_stand_beside(self):
        lines = self._table(self._rows)
        mail = [line for line in lines if line[0] == "*the mail, 2006: none*" and line[1] == "*off*"]
        self.assertEqual([line[3:7] for line in mail], [["*60080*", "*246*", "*25*", "–"]])

    def test_without_the_stock_kernel_nothing_is_compared(self):
        rows = {name: row for name, row in self._rows.items() if not row.cell.is_stock}
        ours = [line for line in self._table(rows) if line[0] == "auto"]
        self.assertEqual([line[-2:] for line in ours], [["–", "–"]])
        self.assertEqual(report.targets_text(rows), "")

    def test_targets_are_judged(self):
        def verdict(write, read):
            rows = _rows(
                ("stock/40%", 1, _figures(write=10.0, read=10.0)),
                ("auto/direct/1/40%", 1, _figures(write=write, read=read)),
            )
            return report.targets_text(rows).splitlines()[-1].split("|")[-2].strip()

        self.assertEqual(verdict(8.4, 8.4), "met")
        self.assertEqual(verdict(8.6, 8.0), "missed")
        self.assertEqual(verdict(8.0, 8.6), "missed")

    def test_the_section_tells_where_it_comes_from(self):
        text = report.markdown(self._store, "plots/a.svg")
        for words in (self._store.setup["command"], self._store.setup["machine"], "](plots/a.svg)"):
            self.assertIn(words, text)
        self.assertNotIn("as they failed", text)
        self._store.add("failure", cell="zstd/direct/1/max", run=9, error="x")
        self.assertIn("as they failed:** zstd/direct/1/max", report.markdown(self._store, "a.svg"))

    def test_the_plot_is_well_formed_and_to_scale(self):
        root = ElementTree.fromstring(plot.draw(self._rows))
        name = "{http://www.w3.org/2000/svg}"
        words = ["".join(text.itertext()) for text in root.iter(f"{name}text")]
        for label in ("stock kernel", "write time", "read time", "seconds", "the mail of 2006"):
            self.assertIn(label, words)
        widths = {}
        for bar in root.iter(f"{name}rect"):
            found = re.fullmatch(r"(.*): write ([\d.]+) s", "".join(bar.itertext()))
            if found:
                widths[found[1]] = float(bar.get("width")) / float(found[2])
        self.assertEqual(len(widths), len(self._rows))
        for scale in widths.values():
            self.assertAlmostEqual(scale, next(iter(widths.values())), delta=0.1)
        box = [float(number) for number in root.get("viewBox").split()]
        for shape in root.iter(f"{name}rect"):
            self.assertLessEqual(float(shape.get("x", 0)) + float(shape.get("width")), box[2])
            self.assertLessEqual(float(shape.get("y", 0)) + float(shape.get("height")), box[3])

    def test_the_command_makes_the_report_again_and_puts_it_in_its_section(self):
        results = self._directory / "RESULTS.md"
        results.write_text("# Results\n\n<!-- test-2006: begin -->\nold\n<!-- test-2006: end -->\n\nkept\n")
        words = ["test-2006", "--report-only", "--output", str(self._directory), "--write", str(results)]
        with mock.patch("sys.argv", words), contextlib.redirect_stdout(io.StringIO()):
            with self.assertRaises(SystemExit) as ended:
                runpy.run_path(str(_HERE / "test-2006"), run_name="__main__")
        self.assertEqual(ended.exception.code, 0)
        text = results.read_text()
        self.assertIn("**the stock kernel**", text)
        self.assertIn("kept", text)
        self.assertNotIn("old\n", text)
        ElementTree.parse(self._directory / "plots" / "test-2006.svg")


class SvgTest(unittest.TestCase):
    """Whatever the words are, the picture is XML, and each colour is there on light and on dark."""

    def test_words_are_escaped(self):
        picture = svg.Picture(10, 10, 'a "title" <of> & more')
        picture.text(1, 1, "<b> & 'c'", bold=True)
        picture.rectangle(0, 0, 1, 1, "write", tip="x < y")
        picture.line(0, 0, 1, 1, "rule", dashed=True)
        picture.diamond(5, 5, "ink", tip="&")
        root = ElementTree.fromstring(picture.xml())
        self.assertEqual(root.get("aria-label"), 'a "title" <of> & more')
        self.assertIn(
            "<b> & 'c'", ["".join(text.itertext()) for text in root.iter() if text.tag.endswith("text")]
        )

    def test_every_colour_has_two_shades(self):
        style = svg.Picture(1, 1, "t").xml().split("<style>")[1].split("</style>")[0]
        light, dark = style.split("@media (prefers-color-scheme:dark)")
        self.assertEqual(
            set(re.findall(r"\.[a-z]+-[a-z]+", light)), set(re.findall(r"\.[a-z]+-[a-z]+", dark))
        )
        self.assertRaises(AssertionError, svg.Picture(1, 1, "t").text, 0, 0, "x", "mauve")


class SectionsTest(unittest.TestCase):
    """A section of RESULTS.md is replaced, and nothing else is touched."""

    def test_sections(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "RESULTS.md"
            sections.replace_section(path, "a", "first\n")
            sections.replace_section(path, "b", "other")
            sections.replace_section(path, "a", r"second \1")
            text = path.read_text()
            self.assertEqual(list(Path(directory).iterdir()), [path])
        self.assertNotIn("first", text)
        self.assertIn("<!-- a: begin -->\nsecond \\1\n<!-- a: end -->\n\n<!-- b: begin -->\nother\n", text)

    def test_the_machine_is_told(self):
        self.assertRegex(sections.machine_text(), r"\d+ x .+GiB.+Linux .+\d{4}-\d\d-\d\d, commit ")


if __name__ == "__main__":
    unittest.main()
