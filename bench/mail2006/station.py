"""A guest of 2006's size on a disk of 2006's speed, that hibernates and wakes up as often as it is asked to.

It is booted once, filled, and kept in a file just before it hibernates. Each cell goes on from there, goes
off, is booted again for real and resumes: so all cells save the same memory, whatever was measured before.
"""

import shlex
from dataclasses import replace
from pathlib import Path

from rig import checks, initramfs, qemu, scenario, stock_image
from rig.case import Case
from rig.disk import Disk
from rig.errors import RigError
from rig.kept_guest import KeptGuest
from rig.scenario import BootPlan
from rig.swap_header import MARK_DORMOUSE, MARK_STOCK, PAGE_BYTES, mark_findings

from mail2006 import kernel_log

MEMORY_MIB = 512
WRITE_BYTES_PER_SECOND = 17_500_000
READ_BYTES_PER_SECOND = 23_500_000

_SWAP_MIB = 512

# Beside what the kernel, the tools and the file system in memory take. The payload cannot be given up without
# writing it to swap, which would be a measurement of its own; the cache can. With both the guest has about
# 62,000 pages to save, 50,000 under a cap of 45 %, and 46,000 under one of 40 %.
_PAYLOAD_MIB = 84
_CACHE_MIB = 60
# Zeros, text, pointers, random: this packs to 0.36 of its size with LZO, as the memory of 2006 did.
_PAYLOAD_SHARES = "6:10:2:1"

_PROBE_SMALL_MIB = 4
_PROBE_MIB = 32

# What the guest does before it looks for an image: how fast is the disk, and does a burst pass its limit? The
# swap area is not in use yet, and what is written lies behind its header. Its dd does not tell the time.
_PROBE = f"""
probe() {{
    key=$1
    shift
    begun=$(cut -d ' ' -f 1 /proc/uptime)
    dd "$@" bs=1048576 2>/run/dd || give_up "the disk cannot be measured: $(cat /run/dd)"
    say "probe.$key=$begun $(cut -d ' ' -f 1 /proc/uptime)"
}}
probe write_small if=/dev/zero of=$disk_device seek=64 count={_PROBE_SMALL_MIB} oflag=direct conv=notrunc
probe write if=/dev/zero of=$disk_device seek=64 count={_PROBE_MIB} oflag=direct conv=notrunc
usleep 500000
probe read_small if=$disk_device of=/dev/null skip=64 count={_PROBE_SMALL_MIB} iflag=direct
probe read if=$disk_device of=/dev/null skip=64 count={_PROBE_MIB} iflag=direct
"""

# What it does before it hibernates. Programs and libraries from behind the swap area fill the page cache.
# With swappiness 0 the kernel gives up cache and nothing else, so that the number of pages repeats.
_PREPARE = """
echo 0 >/proc/sys/vm/swappiness
dd if=/dev/vda of=/dev/null bs=1048576 skip={skip} 2>/run/dd || give_up "cannot fill the page cache"
say ram_bytes=$(awk '$1 == "MemTotal:" {{ print $2 * 1024 }}' /proc/meminfo)
"""

GUEST_TEXT = (
    f"{MEMORY_MIB} MB, one processor, disk {WRITE_BYTES_PER_SECOND / 1e6} MB/s write and "
    f"{READ_BYTES_PER_SECOND / 1e6} MB/s read; payload of {_PAYLOAD_MIB} MiB, zeros:text:pointers:random "
    f"{_PAYLOAD_SHARES}; {_CACHE_MIB} MiB of programs in the page cache"
)


class Station:
    """Measures one cell after another. `programs` are the guest's own, {name: path}."""

    def __init__(self, kernel, tools, programs, workdir):
        self._kernel = kernel
        self._workdir = Path(workdir)
        guest = Path(qemu.__file__).parent.parent / "guest"
        self._initramfs = initramfs.build(kernel, tools, programs, guest)
        self._disk = Disk(self._workdir / "disk.raw", _SWAP_MIB, with_swap_file=False)
        cache_from = self._disk.append(self._initramfs, _CACHE_MIB)
        self._disk.fill_holes()
        self._case = Case(
            name="2006",
            proves="",
            methods=("shutdown",),
            swap_mib=_SWAP_MIB,
            payload_mib=_PAYLOAD_MIB,
            payload_options=("--shares", _PAYLOAD_SHARES),
            use_swap_again=False,
            machine=qemu.Machine(
                memory_mib=MEMORY_MIB,
                cache="none",
                read_bytes_per_second=READ_BYTES_PER_SECOND,
                write_bytes_per_second=WRITE_BYTES_PER_SECOND,
            ),
        )
        plan = BootPlan(hold="round", before=_PROBE)
        software = self._software("kept", self._case, 1, plan, before_1=_PREPARE.format(skip=cache_from))
        self._kept = KeptGuest("kept", self._case.machine, software, self._disk, self._workdir)
        said = self._kept.boot.transcript
        self.ram_bytes = said.number("ram_bytes")
        if self.ram_bytes <= 0:
            raise RigError(f"the guest does not tell its memory.\n{qemu.last_words(self._kept.boot)}")
        self.disk_rates = {
            name: _rate(mib, said.get(f"probe.{name}"))
            for name, mib in (
                ("write_small", _PROBE_SMALL_MIB),
                ("write", _PROBE_MIB),
                ("read_small", _PROBE_SMALL_MIB),
                ("read", _PROBE_MIB),
            )
        }

    def close(self):
        """Removes what is large."""
        self._kept.remove()
        for path in (self._disk.path, *self._workdir.glob("*.initramfs")):
            path.unlink(missing_ok=True)

    def measure(self, cell):
        """One hibernation and resume. Returns the figures, as they go into the results."""
        case = self._case_for(cell)
        self._disk.make_plain()
        command = scenario.hibernate_command(case, self._disk, 0)
        with self._kept.go_on("save", f"engine={case.engine} command_1={shlex.quote(command)}") as guest:
            slept = guest.wait(qemu.deadline_after())
        self._require_mark(cell, slept)
        figures = {"swapped_pages": 0, "host_seconds": [slept.seconds]}
        if cell.is_stock:
            figures["stored_bytes"] = stock_image.stored_pages(self._disk) * PAGE_BYTES
        woke = self._wake(case)
        slept.transcript.goes_on_from(self._kept.boot.transcript)
        content = [checks.kernel_is_content(boot) for boot in (slept, woke)]
        self._require(checks.round_survived(slept, woke, 1, case) + content, woke)
        figures["host_seconds"].append(woke.seconds)
        figures["swapped_pages"] = woke.transcript.number("1.after.swapped_out_pages")
        figures["copied_pages"] = kernel_log.copied_pages(slept.console)
        if figures["copied_pages"] is None:
            raise RigError(
                f"the kernel's log does not tell how many pages it copied.\n{qemu.last_words(slept)}"
            )
        figures["prepare_seconds"] = kernel_log.prepared_seconds(slept.console)
        return figures | (_stock_figures(slept, woke) if cell.is_stock else self._tool_figures(woke, case))

    def _case_for(self, cell):
        if cell.is_stock:
            size = self.ram_bytes * cell.size_percent // 100
            return replace(self._case, engine="stock", stock_image_bytes=size)
        options = ("--compress=" + cell.codec, "--early-writeout", cell.early, "--io", cell.io)
        size = ("--image-size", f"{cell.size_percent}%")
        percent = 0 if cell.early == "off" else int(cell.early)
        settings = {"codec": cell.codec, "io": cell.io, "early_writeout_percent": percent}
        return replace(
            self._case, s2disk=options + size, settings=settings, image_size_percent=cell.size_percent
        )

    def _software(self, name, case, boot, plan, **more):
        image = self._workdir / f"{name}.initramfs"
        values = scenario.variables(case, self._disk, boot, plan) | more
        image.write_bytes(self._initramfs + scenario.archive(values))
        return qemu.Software(self._kernel.image, image)

    def _wake(self, case):
        software = self._software("wake", case, 2, BootPlan.wake(case))
        with qemu.Guest(case.machine, software, self._disk.path, self._workdir, "wake") as guest:
            return guest.wait(qemu.deadline_after())

    def _require_mark(self, cell, slept):
        signature = MARK_STOCK if cell.is_stock else MARK_DORMOUSE
        findings = mark_findings(
            self._disk.original_header, self._disk.swap_header(), signature, *self._disk.area_on_device
        )
        if findings:
            raise RigError(
                f"{cell.name}: the guest went off without an image: {'; '.join(findings)}.\n"
                f"Its last words:\n{qemu.last_words(slept)}"
            )

    def _tool_figures(self, woke, case):
        found, report = checks.report(woke, 1, case)
        self._require(found, woke)
        image, write, read = report["image"], report["write"], report["read"]
        return {
            "pages": image["pages"],
            "image_bytes": image["bytes"],
            "stored_bytes": image["stored_bytes"],
            "write_seconds": write["seconds"],
            "flush_seconds": write["flush_seconds"],
            "read_seconds": read["seconds"],
            "report": report,
        }

    @staticmethod
    def _require(found, boot):
        failed = [f"{check.claim}: {check.detail}" for check in found if not check.holds]
        if failed:
            raise RigError(f"{'; '.join(failed)}.\nThe last words:\n{qemu.last_words(boot)}")


def _stock_figures(slept, woke):
    written, read = kernel_log.written(slept.console), kernel_log.read_back(woke.console)
    if written is None or read is None:
        raise RigError(
            f"the kernel's log lacks its figures: written {written}, read {read}.\n{qemu.last_words(woke)}"
        )
    return {
        "pages": written.image_bytes // PAGE_BYTES,
        "image_bytes": written.image_bytes,
        "write_seconds": written.seconds,
        "read_seconds": read.seconds,
    }


def _rate(mib, times):
    """Bytes per second of so many MiB; `times` are the guest's clock before and after."""
    try:
        begun, ended = (float(word) for word in times.split())
        return mib * (1 << 20) / (ended - begun)
    except (ValueError, ZeroDivisionError):
        raise RigError(f"the guest does not tell how fast its disk is: {times!r}") from None
