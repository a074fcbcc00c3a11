"""The table of cases: what is hibernated, how, and on which machine. Every kernel runs every case."""

from dataclasses import dataclass, field

from rig.qemu import Machine

KERNELS = ("6.1", "6.12")

QUICK = "quick"
FULL = "full"
MANUAL = "manual"  # run by name only

USED_BY_LINE = ("--compress", "--early-writeout", "1")

# With memory to spare and so high a cap the kernel reclaims nothing for the snapshot, and the payload goes
# into the image. By default it would push most of it out to swap first (6.1: 94 of 96 MiB), where no codec
# sees it.
ROOMY_MIB = 512
NO_RECLAIM = ("--image-size", "95%")


@dataclass(frozen=True)
class Case:
    """One run of the rig: a fresh boot, one hibernation per method, and a boot after each power-off."""

    name: str
    proves: str
    share: str = FULL
    engine: str = "dormouse"  # "stock": the kernel's own hibernation, to test the rig itself
    s2disk: tuple = USED_BY_LINE
    methods: tuple = (None,)  # shutdown method per round; None leaves it to s2disk's default
    name_resume_device: bool = True  # False: s2disk finds the active swap area by itself
    swap_file: bool = False
    swap_mib: int = 384
    payload_mib: int = 96
    pageout_mib: int = 0  # so much of the payload lies in swap when the machine hibernates
    seed: int = 2006
    pipe_output: bool = False  # messages go into a pipe whose reader is frozen
    corrupt: bool = False  # the payload damages itself in the last round: its check must see that
    damage: bool = False  # the host damages the stored image: resume must refuse it
    stock_image_bytes: int = 0
    report: str = "json"
    settings: dict = field(default_factory=dict)  # what the report's "settings" must say
    image_size_percent: int = 0  # what the report's size cap must be, of RAM; 0 is not checked
    machine: Machine = field(default_factory=Machine)

    @property
    def rehearsal(self):
        """Whether the first round is one that leaves nothing behind."""
        return self.methods[0] == "none"

    @property
    def power_offs(self):
        """How often the machine goes off to be resumed."""
        return sum(method != "none" for method in self.methods)


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
        s2disk=("--compress=none", "--early-writeout", "off", "--io", "buffered", "--image-size", "45%"),
        methods=("shutdown",),
        settings=_settings("none", 0, "buffered"),
        image_size_percent=45,
    ),
    Case(
        name="lz4-swap-file",
        proves="LZ4, early writeout 20, swap file on ext4 by offset, two processors",
        share=QUICK,
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
        name="damaged",
        proves="an image damaged on the disk is refused with exit code 3, and the message names the place",
        s2disk=USED_BY_LINE + NO_RECLAIM,  # all that is in the swap area then belongs to the image
        methods=("shutdown",),
        damage=True,
        settings=_settings("auto", 1, "direct"),
        machine=Machine(memory_mib=ROOMY_MIB),
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
)


def find(name):
    """Returns the case called `name`, or None."""
    return next((case for case in CASES if case.name == name), None)
