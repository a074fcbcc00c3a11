"""The table of cases: what is hibernated, how, and on which machine. Every kernel runs every case."""

import area_cases
import check_cases
import fault_cases
import sealed_cases
from rig.case import FULL, KERNELS, MANUAL, QUICK, USED_BY_LINE, Case
from rig.qemu import Machine

# With memory to spare and so high a cap the kernel reclaims nothing for the snapshot, and the payload goes
# into the image. By default it would push most of it out to swap first (6.1: 94 of 96 MiB), where no codec
# sees it.
ROOMY_MIB = 512
NO_RECLAIM = ("--image-size", "95%")


def _settings(codec, percent, io):
    settings = {"early_writeout_percent": percent, "io": io}
    if codec != "auto":
        settings["codec"] = codec
    return settings


CASES = (
    Case(
        name="stock",
        proves="the rig itself: a cycle of the kernel's own hibernation",
        share=QUICK,
        engine="stock",
        methods=("shutdown",),
        pageout_mib=16,
        machine=Machine(processors=2),
    ),
    Case(
        name="stock-swap-file",
        proves="the rig itself: swap file by offset, two hibernations, and a payload whose damage is seen",
        engine="stock",
        methods=("shutdown", "reboot"),
        swap_file=True,
        swap_mib=256,
        corrupt=True,
    ),
    Case(
        name="used-by",
        proves="s2disk --compress --early-writeout 1 on the active swap area, twice in one run",
        share=QUICK,
        methods=(None, None),
        name_resume_device=False,
        settings=_settings("auto", 1, "direct"),
    ),
    Case(
        name="plain-2006",
        proves="no compression, no early writeout, buffered, image size 45 %",
        share=QUICK,
        quick_on=("6.1",),
        s2disk=("--compress=none", "--early-writeout", "off", "--io", "buffered", "--image-size", "45%"),
        methods=("shutdown",),
        settings=_settings("none", 0, "buffered"),
        image_size_percent=45,
    ),
    Case(
        name="lz4-swap-file",
        proves="LZ4, early writeout 20, swap file on ext4 by offset, two processors",
        share=QUICK,
        quick_on=("6.12",),
        s2disk=("--compress=lz4", "--early-writeout", "20", *NO_RECLAIM),
        methods=("shutdown",),
        swap_file=True,
        swap_mib=256,
        settings=_settings("lz4", 20, "direct"),
        machine=Machine(memory_mib=ROOMY_MIB, processors=2),
    ),
    Case(
        name="zstd-swap-in-use",
        proves="zstd, early writeout 1, part of the swap area in use, two processors, platform",
        share=QUICK,
        quick_on=("6.12",),
        s2disk=("--compress=zstd", "--early-writeout", "1", *NO_RECLAIM),
        methods=("platform",),
        pageout_mib=32,
        settings=_settings("zstd", 1, "direct"),
        machine=Machine(memory_mib=ROOMY_MIB, processors=2),
    ),
    Case(
        name="rehearsal",
        proves="a rehearsal leaves nothing behind, with part of the swap area in use",
        share=QUICK,
        quick_on=("6.1",),
        s2disk=USED_BY_LINE + NO_RECLAIM,
        methods=("none",),
        payload_mib=64,
        pageout_mib=16,
        settings=_settings("auto", 1, "direct"),
        machine=Machine(memory_mib=ROOMY_MIB),
    ),
    Case(
        name="lzf-reboot",
        proves="LZF, early writeout 20, buffered, reboot, two processors, messages into a frozen pipe",
        s2disk=("--compress=lzf", "--early-writeout", "20", "--io", "buffered", *NO_RECLAIM),
        methods=("reboot",),
        pipe_output=True,
        settings=_settings("lzf", 20, "buffered"),
        machine=Machine(memory_mib=ROOMY_MIB, processors=2),
    ),
    Case(
        name="none-twice",
        proves="no compression, early writeout 1, direct, hibernated twice by different ways of going off",
        s2disk=("--compress=none", "--early-writeout", "1", *NO_RECLAIM),
        methods=("platform", "shutdown"),
        settings=_settings("none", 1, "direct"),
        machine=Machine(memory_mib=ROOMY_MIB, processors=2),
    ),
    Case(
        name="rehearsal-then-real",
        proves="a rehearsal, then two hibernations, on a swap file of which part is in use; buffered, off",
        s2disk=("--early-writeout", "off", "--io", "buffered", *NO_RECLAIM),
        methods=("none", "shutdown", "shutdown"),
        swap_file=True,
        swap_mib=256,
        payload_mib=64,
        pageout_mib=16,
        settings=_settings("auto", 0, "buffered"),
        machine=Machine(memory_mib=ROOMY_MIB),
    ),
    Case(
        name="smallest",
        proves="zstd with a level, fractional early writeout, an image as small as it can be",
        s2disk=("--compress=zstd:3", "--early-writeout", "0.5", "--image-size", "0"),
        methods=("shutdown",),
        pageout_mib=16,
        settings=_settings("zstd", 0.5, "direct"),
    ),
    Case(
        name="demo",
        proves="a hibernation and its text report, to be read by a person",
        share=MANUAL,
        report="text",
        payload_mib=160,
        swap_mib=768,
        machine=Machine(memory_mib=512, processors=2),
    ),
    *fault_cases.CASES,
    *sealed_cases.CASES,
    *area_cases.CASES,
    *check_cases.CASES,
)


def find(name):
    """Returns the case called `name`, or None."""
    return next((case for case in CASES if case.name == name), None)
