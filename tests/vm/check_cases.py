"""What may be wrong with a machine that is to hibernate: s2disk --check has to find each, and nothing else."""

from rig.area import Area
from rig.case import QUICK, Case
from rig.cpio import CpioArchive
from rig.planted import Planted
from rig.qemu import Machine

_NOTE = "note"
_WARNING = "warning"
_AS_USER = ("start-stop-daemon", "-S", "-c", "user", "-p", "/run/none", "-a", "/bin/env", "--")
_DISABLED = "instead /sys/power/disk '[disabled]\\n'; "
_ENABLED = "put_back /sys/power/disk"


def _named(name):
    return ("--resume-device", name)


def _kernel_says(name, id, path, text, **more):
    return Planted(name, id, plant=f"instead {path} '{text}'", mend=f"put_back {path}", **more)


def _on_spare(name, id, plant, **more):
    return Planted(name, id, options=_named("/dev/vda1"), plant=plant, mend="blank_spare", **more)


def _with_swap_file(name, id, plant, *options, **more):
    return Planted(
        name,
        id,
        options=(*_named("/mnt/swapfile"), *options),
        plant=plant,
        mend="swapoff /mnt/swapfile 2>/dev/null; boot_line_is_sound",
        **more,
    )


def _boot_line(name, id, line, plant="", mend="", **more):
    return Planted(
        name, id, plant=f"boot_line {line!r}; {plant}", mend=f"boot_line_is_sound; {mend}", **more
    )


def _initramfs(name, id, variant, plant="", mend="", **more):
    return Planted(
        name, id, plant=f"initramfs {variant}; {plant}", mend=f"initramfs sound; {mend}", **more
    )


def _initramfs_with(config=None, resume=0o755, script=0o755, order='/scripts/local-premount/dormouse "$@"\n'):
    """Returns the archive. What is None is not in it."""
    archive = CpioArchive()
    if resume:
        archive.add_file("usr/lib/dormouse/resume", b"\x7fELF", resume)
    if script:
        archive.add_file("scripts/local-premount/dormouse", b"#!/bin/sh\n", script)
    if order is not None:
        archive.add_file("scripts/local-premount/ORDER", order.encode())
    if config is not None:
        archive.add_file("etc/suspend.conf", config.encode())
    return archive.finish()


def _firmware_variable(text):
    """Returns a variable as efivarfs has it: attributes, then the text in UTF-16."""
    return b"\x07\0\0\0" + text.encode("utf-16-le") + b"\0\0"


_NOBODY = "01234567-89ab-cdef-0123-456789abcdef"
_VARIANTS = {
    "sound": _initramfs_with(),
    "no-resume": _initramfs_with(resume=None),
    "resume-not-executable": _initramfs_with(resume=0o644),
    "no-script": _initramfs_with(script=None),
    "not-of-initramfs-tools": _initramfs_with(script=None, order=None),
    "script-not-run": _initramfs_with(order=""),
    "names-main": _initramfs_with("resume device = /dev/vda3\n"),
    "names-spare": _initramfs_with("resume device = /dev/vda1\n"),
    "names-file": _initramfs_with("resume device = /mnt/swapfile\n"),
    "bad-config": _initramfs_with("resume device = /dev/vda3\nresume offset = many\n"),
    "cut": _initramfs_with()[:200],
    "elsewhere": _firmware_variable(f'{{"uuid":"{_NOBODY}","offset":0,"kernelVersion":"6.1"}}'),
    "no-json": _firmware_variable("{"),
}

_KERNEL = (
    Planted("an ordinary user", "not-root", prefix=_AS_USER),
    Planted(
        "a kernel without hibernation",
        "hibernation-missing",
        plant="nothing_in /sys/power",
        mend="put_back /sys/power",
    ),
    Planted("the kernel says no", "hibernation-disabled", plant=_DISABLED, mend=_ENABLED),
    Planted(
        "nohibernate",
        "nohibernate",
        plant=_DISABLED + "instead /proc/cmdline 'root=/dev/vda2 nohibernate\\n'",
        mend="put_back /proc/cmdline; " + _ENABLED,
    ),
    Planted(
        "kernel lockdown",
        "kernel-locked-down",
        plant=_DISABLED
        + "nothing_in /sys/kernel/security; echo 'none [integrity] confidentiality' >/sys/kernel/security/lockdown",
        mend="put_back /sys/kernel/security; " + _ENABLED,
    ),
    Planted("secret memory", "secret-memory", plant="hold_secret", mend="release_secret"),
    Planted(
        "no snapshot device",
        "snapshot-missing",
        plant="mv /dev/snapshot /dev/away",
        mend="mv /dev/away /dev/snapshot",
    ),
    Planted("/dev/snapshot is held", "snapshot-busy", plant="hold_snapshot", mend="release_snapshot"),
    Planted(
        "pm_test",
        "pm-test-active",
        plant="echo freezer >/sys/power/pm_test",
        mend="echo none >/sys/power/pm_test",
    ),
    _kernel_says(
        "no suspend to RAM",
        "method-missing",
        "/sys/power/state",
        "freeze disk\\n",
        options=("--shutdown-method", "suspend"),
    ),
    _kernel_says(
        "no platform method",
        "method-fallback",
        "/sys/power/disk",
        "[shutdown] reboot\\n",
        options=("--shutdown-method", "platform"),
        severity=_NOTE,
    ),
)

_SETTINGS = (
    Planted(
        "a report file nowhere",
        "report-file-unwritable",
        options=("--report-file", "/nowhere/report"),
        severity=_WARNING,
    ),
    Planted("a key file that is not there", "key-file-unusable", options=("--encrypt", "--key-file", "/run/no.key")),
    Planted(
        "a key file that is none",
        "key-file-unusable",
        options=("--encrypt", "--key-file", "/run/no.key"),
        plant="echo key >/run/no.key",
        mend="rm /run/no.key",
    ),
    Planted(
        "an image larger than can be saved",
        "image-size-above-limit",
        options=("--image-size", "95%"),
        severity=_NOTE,
    ),
    Planted("four threads", "threads-above-processors", options=("--threads", "4"), severity=_NOTE),
)

_AREA = (
    Planted("no swap at all", "area-not-found", plant="main_is_off", mend="main_is_on"),
    Planted("swap in memory alone", "area-not-found", plant="only_zram", mend="no_zram"),
    Planted("a device that is not there", "area-not-found", options=_named("/dev/vdz1")),
    Planted("a UUID of nobody's", "area-not-found", options=_named(f"UUID={_NOBODY}")),
    Planted(
        "a label of two", "area-not-found", options=_named("LABEL=twin"), plant="twins", mend="no_twins"
    ),
    Planted(
        "a configuration that names what is not there",
        "area-not-found",
        options=("--config", "/run/bad.conf"),
        plant="echo 'resume device = /dev/vdz1' >/run/bad.conf",
        mend="rm /run/bad.conf",
    ),
    Planted("a partition that is no swap", "area-no-signature", options=_named("/dev/vda1")),
    Planted("a file system", "area-no-signature", options=_named("/dev/vda2")),
    _on_spare("a signature of one wrong letter", "area-no-signature", "make_spare; spare_says SWAPSPACE3"),
    _on_spare("swap for large pages", "area-page-size", "make_spare_of_large_pages"),
    _on_spare("an image of ours", "area-holds-image", "spare_holds_image 'ULSUSPEND\\000'"),
    _on_spare("an image of the kernel's", "area-holds-image", "spare_holds_image 'S1SUSPEND\\000'"),
    _on_spare("a small area", "swap-too-small", "make_spare"),
    Planted(
        "a tight area",
        "swap-tight",
        options=_named("/dev/vda3"),
        plant="main_is_tight",
        mend="main_is_on",
        severity=_WARNING,
    ),
    _with_swap_file("a swap file that is off", "area-not-active", "boot_line_names_file"),
    _with_swap_file(
        "a stale offset",
        "area-stale-offset",
        "swapon /mnt/swapfile; boot_line_names_file",
        "--resume-offset",
        "7",
        severity=_WARNING,
    ),
    Planted(
        "a device with a stale offset",
        "area-not-found",
        options=(*_named("/dev/vda2"), "--resume-offset", "7"),
        plant="swapon /mnt/swapfile",
        mend="swapoff /mnt/swapfile",
    ),
    _kernel_says(
        "a disk that can be taken out",
        "area-removable",
        "/sys/block/vda/removable",
        "1\\n",
        options=_named("/dev/vda3"),
        severity=_WARNING,
    ),
)

_MEMORY = (
    Planted(
        "too much memory in use",
        "too-much-memory-in-use",
        options=_named("/dev/vda3"),
        plant="fill_memory 220",
        mend="free_memory",
    ),
    # More than the machine has: it must be found out without being ended for it.
    Planted("more threads than there is memory for", "too-little-memory", options=("--threads", "64")),
)

_BOOT = (
    _initramfs("an initramfs without resume", "boot-no-resume", "no-resume"),
    _initramfs("resume that may not be run", "boot-resume-not-executable", "resume-not-executable"),
    _initramfs("no script that runs it", "boot-script-missing", "no-script"),
    _initramfs("a script that nothing calls", "boot-script-not-run", "script-not-run"),
    _initramfs(
        "an initramfs of another make", "boot-start-unknown", "not-of-initramfs-tools", severity=_WARNING
    ),
    _initramfs("another area named in it", "boot-other-area", "names-spare"),
    _initramfs("a file named in it", "boot-names-file", "names-file"),
    _initramfs("an error in its configuration", "boot-config-unreadable", "bad-config"),
    _initramfs("an initramfs that ends too soon", "boot-initramfs-unreadable", "cut"),
    Planted(
        "a configuration that it lacks",
        "boot-config-missing",
        plant="echo 'resume device = /dev/vda3' >/etc/suspend.conf",
        mend="rm /etc/suspend.conf",
    ),
    Planted(
        "no such initramfs",
        "boot-initramfs-missing",
        plant='rm "/boot/initrd.img-$release"',
        mend="initramfs sound",
    ),
    Planted(
        "an entry without one",
        "boot-no-initramfs",
        plant="boot_line root=/dev/vda2 none",
        mend="boot_line_is_sound",
    ),
    Planted(
        "a menu that cannot be read",
        "boot-menu-unreadable",
        plant="rm /boot/grub/grub.cfg; mkdir /boot/grub/grub.cfg",
        mend="rmdir /boot/grub/grub.cfg; boot_line_is_sound",
    ),
    _boot_line("another area on the command line", "boot-line-other-area", "resume=/dev/vda1"),
    _boot_line("a wrong offset there", "boot-line-wrong-offset", "resume=/dev/vda3 resume_offset=5"),
    _boot_line("an offset that is none", "boot-line-unreadable", "resume=/dev/vda3 resume_offset=many"),
    _boot_line("nohibernate in the menu", "boot-nohibernate", "root=/dev/vda2 nohibernate"),
    _boot_line("noresume in the menu", "boot-noresume", "root=/dev/vda2 noresume"),
    _boot_line(
        "an image of the kernel's that it loads first",
        "boot-stock-first",
        "resume=/dev/vda1",
        plant="spare_holds_image 'S1SUSPEND\\000'; initramfs names-main",
        mend="blank_spare; initramfs sound",
    ),
    _with_swap_file("a swap file that nobody tells of", "boot-nothing-named", "swapon /mnt/swapfile"),
    Planted(
        "firmware that leads elsewhere",
        "boot-efi-elsewhere",
        plant="firmware_says elsewhere",
        mend="put_back /sys/firmware",
        severity=_WARNING,
    ),
    Planted(
        "firmware that says nonsense",
        "boot-efi-unreadable",
        plant="firmware_says no-json",
        mend="put_back /sys/firmware",
        severity=_WARNING,
    ),
)

CASES = (
    Case(
        name="check",
        proves="s2disk --check: nothing to fix on a sound machine, and of each planted fault that one alone",
        share=QUICK,
        quick_on=("6.12",),
        swap_file=True,
        swap_mib=192,
        area=Area(beside_mib=384, zram_mib=16, s2disk=(), resume=()),
        planted=_KERNEL + _SETTINGS + _AREA + _MEMORY + _BOOT,
        files={f"/variants/{name}": data for name, data in _VARIANTS.items()},
        parameters="secretmem.enable=1",
        machine=Machine(memory_mib=384),
    ),
)
