#!/usr/bin/env python3
"""Runs one case of the QEMU tests: hibernates a real Linux guest, wakes it up, and prints what that proved.

Exits 0 if every check holds, 1 if one does not, 2 if the command line is wrong.
"""

import argparse
import itertools
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import cases
from rig import guest_programs, initramfs, qemu, scenario
from rig.cycle import Cycle
from rig.errors import RigError
from rig.kernel import Kernel
from rig.kill_sweep import KillSweep
from rig.planted import PlantedRun


def main():
    """Parses the command line and runs what it asks for."""
    options = _parse_arguments()
    if options.list:
        _print_list(options.list)
        return 0
    case = cases.find(options.case)
    workdir = Path(options.workdir or tempfile.mkdtemp(prefix="dormouse-vm-"))
    workdir.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        passed = _run(case, options, workdir)
    except RigError as error:
        print(f"FAILED {case.name} on {options.kernel}: {error}", file=sys.stderr)
        passed = False
    seconds = time.monotonic() - started
    _tidy(workdir, options, passed)
    print(f"{'passed' if passed else 'FAILED'}: {case.name} on {options.kernel}, {seconds:.1f} s")
    return 0 if passed else 1


def _tidy(workdir, options, passed):
    """Removes what nobody will want to look at; the disk is large, and made anew each time."""
    if options.keep:
        print(f"all files are in {workdir}")
    elif passed and options.workdir is None:
        shutil.rmtree(workdir)
    else:
        for name in ("disk.raw", "initramfs.cpio", scenario.MEMORY, *guest_programs.names()):
            (workdir / name).unlink(missing_ok=True)
        print(f"consoles and results are in {workdir}")


def _run(case, options, workdir):
    kernel = Kernel(Path(options.kernels) / options.kernel)
    tools = {} if case.engine == "stock" else _tools(options)
    if not case.area.made_by_guest:
        tools.pop("swap-offset", None)  # all that lies in the initramfs takes memory
    programs = dict(_named_program(text) for text in options.program)
    programs = programs or guest_programs.compile_into(workdir, case.programs)
    programs = {name: path for name, path in programs.items() if name in case.programs}
    print(f"{case.name} on {kernel.release}: {case.proves}", flush=True)
    outcome = _runner(case)(case, kernel, tools, programs, workdir).run()
    human = case.report == "text"
    for check in outcome.checks:
        print(
            f"  {'ok    ' if check.holds else 'FAILED'} {check.claim}"
            + ("" if check.holds else f": {check.detail}")
        )
    if not outcome.passed:
        print(f"--- the last words of the last boot:\n{qemu.last_words(outcome.boots[-1])}")
    for number, report in outcome.reports:
        print(f"\n{report}\n" if human else f"  round {number}: {_summary(report)}")
    print("  boots took " + ", ".join(f"{boot.seconds:.1f} s" for boot in outcome.boots))
    return outcome.passed


def _tools(options):
    if options.tool:
        return {Path(tool).name: Path(tool) for tool in options.tool}
    return initramfs.find_tools(options.tools)


def _runner(case):
    if case.planted:
        return PlantedRun
    return KillSweep if case.kills else Cycle


def _named_program(text):
    name, path = text.split("=", 1)
    return name, Path(path)


def _summary(report):
    if report is None:
        return "no report"
    image, write, read = (report.get(key) or {} for key in ("image", "write", "read"))
    return json.dumps(
        {
            "pages": image.get("pages"),
            "image_bytes": image.get("bytes"),
            "stored_bytes": image.get("stored_bytes"),
            "write_seconds": write.get("seconds"),
            "read_seconds": read.get("seconds"),
            "settings": report.get("settings"),
        }
    )


def _print_list(style):
    if style == "text":
        for case in cases.CASES:
            print(f"{case.name:<20} {case.share:<7} {case.proves}")
        return
    for kernel, case in itertools.product(cases.KERNELS, cases.CASES):
        if case.share != cases.MANUAL:
            timeout = case.boots * qemu.BOOT_TIMEOUT_SECONDS * qemu.timeout_scale() + 60
            print(f"{kernel}:{case.name}:{case.share_on(kernel)}:{case.machine.processors}:{timeout:.0f}")


def _parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--list",
        nargs="?",
        const="text",
        choices=("text", "cmake"),
        help="list the cases; 'cmake': as kernel:name:share:processors:timeout",
    )
    parser.add_argument("--case", metavar="NAME", help="the case to run")
    parser.add_argument("--kernel", default=cases.KERNELS[0], choices=cases.KERNELS)
    parser.add_argument("--kernels", metavar="DIR", help="where fetch_kernels.sh has put the kernels")
    parser.add_argument(
        "--tools", metavar="DIR", help="an installed prefix or a build directory with s2disk and resume"
    )
    parser.add_argument(
        "--tool", metavar="FILE", action="append", help="one tool; repeat it instead of --tools"
    )
    parser.add_argument(
        "--program",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="a program of the guest's own; all are compiled from guest/*.cc if none is given",
    )
    parser.add_argument(
        "--workdir", metavar="DIR", help="where consoles and results are kept; temporary if not given"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep all files, the disk too, even when the case passes"
    )
    options = parser.parse_args()
    if options.list:
        return options
    case = cases.find(options.case)
    if case is None:
        parser.error(f"no case '{options.case}': --list prints them")
    if not options.kernels:
        parser.error("--kernels is needed")
    if case.engine != "stock" and not options.tools and not options.tool:
        parser.error(f"case '{case.name}' needs --tools or --tool")
    return options


if __name__ == "__main__":
    sys.exit(main())
