"""Faults that are planted in a guest for s2disk --check to find, and what shows that it finds them."""

import json
from dataclasses import dataclass
from pathlib import Path

from rig import checks, initramfs, qemu, scenario
from rig.checks import Check
from rig.cycle import Outcome
from rig.disk import Disk
from rig.scenario import BootPlan

# As exit codes of s2disk --check.
_SOUND = 0
_PROBLEM = 6

_CHECK = ("/usr/sbin/s2disk", "--check", "--report", "json")


@dataclass(frozen=True)
class Planted:
    """One fault. `id` is that of the one finding which it must lead to."""

    name: str
    id: str
    options: tuple = ()  # more of s2disk's
    plant: str = ""  # functions of guest/checks, and what mends it
    mend: str = ""
    severity: str = "problem"  # or "warning", "note"
    prefix: tuple = ()  # the program that starts s2disk

    @property
    def exit_code(self):
        """What s2disk says at the end of its report."""
        return _PROBLEM if self.severity == "problem" else _SOUND


def sound(said, key):
    """Nothing to fix: notes only."""
    worse, _, detail = _findings(said, key)
    code = said.get(f"{key}.exit")
    holds = worse == [] and code == str(_SOUND)
    return Check(f"a sound machine, {key}: nothing to fix", holds, f"exit {code!r}: {detail}")


def found(said, number, fault):
    """The fault is found, and nothing else."""
    key = f"f{number}"
    worse, notes, detail = _findings(said, key)
    _, usual, _ = _findings(said, "sound")
    code = said.get(f"{key}.exit")
    expected = [(fault.severity, fault.id)]
    if fault.severity == "note":
        is_it = worse == [] and fault.id in notes and fault.id not in usual
    else:
        is_it = worse == expected
    holds = is_it and code == str(fault.exit_code)
    return Check(
        f"{fault.name}: {fault.severity} {fault.id}, and nothing else", holds, f"exit {code!r}: {detail}"
    )


def _findings(said, key):
    """Returns the findings worse than notes, [(severity, id)], the ids of the notes, and all for a person to read."""
    text = said.documents.get(f"{key}.report", "")
    words = said.documents.get(f"{key}.words", "")
    try:
        all_found = json.loads(text)["findings"]
    except (ValueError, KeyError, TypeError):
        return None, [], f"no report: {text[:200]!r}, {words[:400]!r}"
    worse = [(one["severity"], one["id"]) for one in all_found if one["severity"] != "note"]
    notes = [one["id"] for one in all_found if one["severity"] == "note"]
    told = "; ".join(f"{one['severity']} {one['id']}: {one['what']}" for one in all_found)
    return worse, notes, f"{told} {words}"


class PlantedRun:
    """All faults of a case on one kernel, one after the other in one boot."""

    def __init__(self, case, kernel, tools, programs, workdir):
        self._case = case
        self._kernel = kernel
        self._workdir = Path(workdir)
        guest = Path(__file__).parent.parent / "guest"
        self._initramfs = initramfs.build(
            kernel, tools, programs, guest, area=case.area, files=case.files, with_mapper=case.mapper
        )
        self._disk = Disk(self._workdir / "disk.raw", case.swap_mib, case.swap_file, case.area)

    def run(self):
        """Runs the case to its end."""
        outcome = Outcome()
        image = self._workdir / "initramfs.cpio"
        values = scenario.variables(self._case, self._disk, 1, BootPlan(task="check"))
        image.write_bytes(self._initramfs + scenario.archive(values | self._more_variables()))
        software = qemu.Software(self._kernel.image, image, self._case.parameters)
        with qemu.Guest(self._case.machine, software, self._disk.path, self._workdir, "boot1") as guest:
            boot = guest.wait(qemu.deadline_after(self._case.boots * qemu.BOOT_TIMEOUT_SECONDS))
        outcome.boots.append(boot)
        outcome.checks += [checks.kernel_is_content(boot, self._case.tolerates), checks.finished(boot)]
        outcome.checks += judge(boot.transcript, self._case.planted)
        return outcome

    def _more_variables(self):
        values = {"faults": len(self._case.planted), "check_sound": scenario.shell_line(_CHECK)}
        for number, fault in enumerate(self._case.planted, start=1):
            values[f"plant_{number}"] = fault.plant
            values[f"mend_{number}"] = fault.mend
            values[f"check_f{number}"] = scenario.shell_line((*fault.prefix, *_CHECK, *fault.options))
        return values


def judge(said, planted):
    """All that a boot has to show: the sound machine again and again, and each fault by itself."""
    looks = [key.removesuffix(".exit") for key in said.values if key.startswith("sound")]
    found_all = [sound(said, key) for key in looks]
    enough = Check("the sound machine was looked at before, in between and after", len(looks) > 2, str(looks))
    return [enough, *found_all] + [found(said, number, one) for number, one in enumerate(planted, start=1)]
