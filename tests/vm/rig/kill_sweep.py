"""Kills the guest at many moments of one and the same save, and boots after each.

QEMU is ended by SIGKILL in mid-write. What it had handed to the host stays written, so each moment leaves the
disk as a real one leaves it that loses power with an empty cache: what it proves is that whatever a kernel
boots to next is either plain swap or a machine that wakes up whole. What a disk loses that had not been
flushed, and in which order, is beyond it; the power-cut sweep on recorded writes (tests/crash) is for that.

The guest is booted only twice: it is kept in a file just before it hibernates, and another just before
resume looks for an image. Each moment goes on from copies of these.
"""

import random
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from rig import checks, fault_checks, initramfs, qemu, scenario
from rig.checks import Check
from rig.cycle import Outcome
from rig.disk import Disk
from rig.kept_guest import KeptGuest
from rig.scenario import BootPlan
from rig.swap_header import MARK_DORMOUSE, mark_findings, restored_findings

_BEGINS = "== 1 begins"
_NEARLY_WRITTEN = r"write: 9\d %"
_WRITTEN = "write: 100 %"


@dataclass(frozen=True)
class Moment:
    """When to kill: once a share of the image is written, or so long after the console shows a pattern."""

    written: float = 0
    after: str = _BEGINS
    seconds: float = 0

    def __str__(self):
        if self.after == _BEGINS:
            return f"with {self.written:.0%} written"
        return f"{self.seconds:.2f} s after '{self.after}'"


def moments(count, end_seconds, seed):
    """Returns `count` moments: half by what is written, half around the end, where the mark is set."""
    draw = random.Random(seed)
    at_end = count // 4

    def parts(number):
        return [(index + draw.random()) / number for index in range(number)]

    return (
        [Moment(written=part) for part in parts(count - 2 * at_end)]
        + [Moment(after=_NEARLY_WRITTEN, seconds=part * end_seconds) for part in parts(at_end)]
        + [Moment(after=_WRITTEN, seconds=part * end_seconds) for part in parts(at_end)]
    )


class KillSweep:
    """One case on one kernel in one working directory."""

    def __init__(self, case, kernel, tools, programs, workdir):
        self._case = case
        self._workdir = Path(workdir)
        guest = Path(__file__).parent.parent / "guest"
        self._kernel = kernel
        self._initramfs = initramfs.build(kernel, tools, programs, guest)
        self._disk = Disk(self._workdir / "disk.raw", case.swap_mib, with_swap_file=False)
        self._untouched = self._workdir / "untouched.raw"
        self._image_bytes = 0
        self._outcome = Outcome()

    def run(self):
        """Runs the case to its end."""
        try:
            self._run()
        finally:
            for path in (self._untouched, *self._workdir.glob("*.state"), *self._workdir.glob("*.initramfs")):
                path.unlink(missing_ok=True)
        return self._outcome

    def _run(self):
        saver = self._keep("saver", BootPlan(hold="round"))
        _copy_sparse(self._disk.path, self._untouched)
        booter = self._keep("booter", BootPlan(task="go-on", hold="resume"))

        self._image_bytes, end_seconds = self._measure(saver)
        print(
            f"  seed {self._case.seed}, {self._case.kills} moments in {self._image_bytes >> 20} MiB;"
            f" {end_seconds:.1f} s from 90 % until the guest is off",
            flush=True,
        )
        outcomes = {"plain": 0, "marked": 0}
        outcomes[self._judge("never", booter, saver.boot)] += 1
        for moment in moments(self._case.kills, end_seconds, self._case.seed):
            self._kill_at(moment, saver)
            outcome = self._judge(moment, booter, saver.boot)
            outcomes[outcome] += 1
            print(f"  killed {moment}: {outcome}", flush=True)
        print(f"  {outcomes['plain']} left plain swap, {outcomes['marked']} an image", flush=True)
        self._outcome.checks.append(
            Check("what is left is swap at first, an image in the end", all(outcomes.values()), str(outcomes))
        )

    def _keep(self, name, plan):
        """Boots to where the guest waits for a key, and keeps it there."""
        image = self._workdir / f"{name}.initramfs"
        values = scenario.variables(self._case, self._disk, 1, plan)
        image.write_bytes(self._initramfs + scenario.archive(values))
        software = qemu.Software(self._kernel.image, image, self._case.parameters)
        kept = KeptGuest(name, self._case.machine, software, self._disk, self._workdir)
        self._outcome.boots.append(kept.boot)
        return kept

    def _measure(self, saver):
        """What an undisturbed save writes, and how long it takes from where nearly all is written."""
        _copy_sparse(self._untouched, self._disk.path)
        before = self._disk.bytes_on_host()
        deadline = qemu.deadline_after()
        with saver.go_on("measure") as guest:
            guest.wait_for(_NEARLY_WRITTEN, deadline)
            nearly = time.monotonic()
            boot = guest.wait(deadline)
            off = time.monotonic()
        self._outcome.checks.append(checks.kernel_is_content(boot))
        return self._disk.bytes_on_host() - before, off - nearly

    def _kill_at(self, moment, saver):
        _copy_sparse(self._untouched, self._disk.path)
        enough = self._disk.bytes_on_host() + moment.written * self._image_bytes
        deadline = qemu.deadline_after()
        with saver.go_on("killed") as guest:
            guest.wait_for(moment.after, deadline)
            guest.wait_until(lambda: self._disk.bytes_on_host() >= enough, deadline)
            time.sleep(moment.seconds)
            guest.kill()

    def _judge(self, moment, booter, slept):
        """Looks at what the moment has left, and boots. Returns which of the two it was."""
        header = self._disk.swap_header()
        original = self._disk.original_header
        plain = not restored_findings(original, header, by_stock_kernel=False)
        findings = [] if plain else mark_findings(original, header, MARK_DORMOUSE, *self._disk.area_on_device)
        claim = (
            "the disk is plain swap, byte for byte" if plain else "the disk holds an image, properly marked"
        )
        found = [Check(claim, not findings, "; ".join(findings))]
        with booter.go_on("booted") as guest:
            boot = guest.wait(qemu.deadline_after())
        boot.transcript.goes_on_from(booter.boot.transcript)
        self._outcome.boots.append(boot)
        found.append(checks.kernel_is_content(boot))
        if plain:
            found += checks.fresh_boot(boot) + fault_checks.went_on_without_an_image(boot, self._case)
        else:
            found += checks.round_survived(slept, boot, 1, self._case)
        found.append(checks.finished(boot))
        after = restored_findings(original, self._disk.swap_header(), by_stock_kernel=False)
        found.append(
            Check("in the end the header is the original, byte for byte", not after, "; ".join(after))
        )
        self._outcome.checks += [
            Check(f"killed {moment}: {check.claim}", check.holds, check.detail) for check in found
        ]
        return "plain" if plain else "marked"


def _copy_sparse(source, target):
    target.unlink(missing_ok=True)
    subprocess.run(["cp", "--sparse=always", source, target], check=True)
