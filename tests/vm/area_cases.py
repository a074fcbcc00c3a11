"""The cases about where the swap area lies and how it is named: each image has to go to the right one, and be found."""

from rig.area import Area
from rig.case import FULL, QUICK, Case
from rig.qemu import Machine

_LINE = ("--compress=lz4", "--early-writeout", "1")
_NAMELESS = {"s2disk": (), "resume": ()}
# So that what is lost when zram fills up first is no matter.
_ROOMY = Machine(memory_mib=384)


def _case(name, proves, **more):
    defaults = {"s2disk": _LINE, "methods": ("shutdown",), "payload_mib": 48}
    return Case(name=name, proves=proves, **(defaults | more))


CASES = (
    _case(
        "two-partitions",
        "the image goes to the area that is named, though the kernel fills another one first",
        area=Area(beside_mib=256),
    ),
    _case(
        "two-partitions-nameless",
        "nothing is named: s2disk takes the area with most room, not the first; resume finds its mark",
        area=Area(beside_mib=64, **_NAMELESS),
    ),
    _case(
        "partition-and-file",
        "a swap file given by its path, beside a swap partition that the kernel fills first",
        swap_file=True,
        swap_mib=256,
        area=Area(beside_mib=64, s2disk=("--resume-device", "{file}"), says=(r"/mnt/swapfile",)),
    ),
    _case(
        "zram-first",
        "swap in memory, which the kernel fills first, is passed over; nothing is named",
        share=QUICK,
        quick_on=("6.12",),
        area=Area(zram_mib=64, **_NAMELESS),
        machine=_ROOMY,
    ),
    _case(
        "luks",
        "swap on LUKS: the mark lies in what is encrypted, and is found there; nothing is named",
        share=QUICK,
        quick_on=("6.1",),
        area=Area(mapping="luks", key=bytes(range(64)), **_NAMELESS),
    ),
    _case(
        "luks-named",
        "swap on LUKS, named by its device-mapper path",
        area=Area(mapping="luks", key=bytes(range(64))),
    ),
    _case(
        "lvm",
        "swap on LVM, named by its device-mapper path; resume finds it by UUID",
        area=Area(mapping="lvm", resume=("--resume-device", "UUID={uuid}"), wake_says=(r"/dev/mapper/vg-swap",)),
    ),
    _case(
        "renamed-disk",
        "the disk is /dev/vda when it hibernates and /dev/vdb when it wakes up; named by UUID",
        area=Area(
            renamed=True,
            s2disk=("--resume-device", "UUID={uuid}"),
            resume=("--resume-device", "UUID={uuid}"),
            says=(r"UUID=\S+ is /dev/vda1",),
            wake_says=(r"UUID=\S+ is /dev/vdb1",),
        ),
    ),
    _case(
        "swap-file-anew",
        "the swap file was made anew since the offset was written down: the path counts, both are told",
        share=FULL,
        swap_file=True,
        swap_mib=256,
        area=Area(
            made_by_guest=True,
            s2disk=("--resume-device", "{file}", "--resume-offset", "{stale}"),
            says=(r"resume offset = \d+.* is out of date: /mnt/swapfile begins at page \d+",),
        ),
    ),
    *(
        _case(
            f"swap-file-{file_system}",
            f"a swap file on {file_system}, given by its path",
            swap_file=True,
            swap_mib=192,
            area=Area(made_by_guest=True, file_system=file_system, s2disk=("--resume-device", "{file}")),
        )
        for file_system in ("f2fs", "xfs", "btrfs")
    ),
)
