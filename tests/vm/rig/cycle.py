"""Drives one case from the fresh boot to the last power-off and collects the checks."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from rig import area_checks, checks, fault_checks, initramfs, qemu, scenario, secrecy
from rig.checks import Check
from rig.disk import Disk
from rig.scenario import BootPlan
from rig.snapshot_stream import zero_tail
from rig.swap_header import MARK_DORMOUSE, MARK_STOCK, mark_findings, restored_findings


@dataclass
class Outcome:
    """All that a run has to show."""

    checks: list = field(default_factory=list)
    reports: list = field(default_factory=list)  # (round, parsed JSON or text)
    boots: list = field(default_factory=list)

    @property
    def passed(self):
        """Whether there were checks and every one of them holds."""
        return bool(self.checks) and all(check.holds for check in self.checks)


class Cycle:
    """One case on one kernel in one working directory. `programs` are the guest's own, {name: path}."""

    def __init__(self, case, kernel, tools, programs, workdir):
        self._case = case
        self._kernel = kernel
        self._tools = tools
        self._workdir = Path(workdir)
        guest = Path(__file__).parent.parent / "guest"
        self._initramfs = initramfs.build(
            kernel,
            tools,
            programs,
            guest,
            with_mapper=case.mapper,
            area=case.area,
            files=case.files,
        )
        self._disk = Disk(self._workdir / "disk.raw", case.swap_mib, case.swap_file, case.area)
        self._keys = {}
        self._outcome = Outcome()

    def run(self):
        """Runs the case to its end, or to the first boot after which going on makes no sense."""
        boot = self._boot(BootPlan.first(self._case))
        self._add(checks.fresh_boot(boot))
        self._judge_attempts(boot)
        for number, method in enumerate(self._case.methods, start=1):
            if method == "none":
                self._judge_round(boot, boot, number)
                self._add(checks.gave_slots_back(boot, str(number), self._case))
                continue
            if not self._went_off_with_an_image(boot, number):
                return self._outcome
            slept, boot = boot, None
            if number == len(self._case.methods):
                for fault in self._case.failed_boots:
                    boot = self._fail_to_wake(fault)
                if not self._case.wakes:
                    return self._outcome
            boot = self._boot(BootPlan.wake(self._case, number))
            self._judge_memory()
            self._judge_round(slept, boot, number)
            self._add(area_checks.told_of_the_area(slept, boot, self._case.area))
            if boot.transcript.get(f"{number}.exit") == "":
                return self._outcome
        self._judge_end(boot)
        return self._outcome

    def _boot(self, plan):
        number = len(self._outcome.boots) + 1
        image = self._workdir / "initramfs.cpio"
        values = scenario.variables(self._case, self._disk, number, plan)
        image.write_bytes(self._initramfs + scenario.archive(values))
        parameters = f"{self._case.parameters} {plan.parameters}"
        software = qemu.Software(self._kernel.image, image, parameters)
        name = f"boot{number}"
        machine = self._case.machine
        if self._case.area.renamed:
            # In every boot, as the kernel that is woken up wants the same machine.
            machine = replace(machine, disks_before=1)
        with qemu.Guest(machine, software, self._disk.path, self._workdir, name) as guest:
            boot = guest.wait(qemu.deadline_after(), plan.reactions)
        self._outcome.boots.append(boot)
        self._add([checks.kernel_is_content(boot, self._case.tolerates)])
        if plan.reactions:
            self._add([fault_checks.moments_came(boot, plan.reactions)])
        return boot

    def _judge_attempts(self, boot):
        original = self._disk.original_header
        for index, attempt in enumerate(self._case.attempts):
            key = scenario.attempt_key(index)
            self._add(fault_checks.attempt_came_to_nothing(boot, key, attempt, self._case, original))

    def _went_off_with_an_image(self, boot, number):
        """Looks at the disk while the machine is off."""
        if self._case.area.made_by_guest and number == 1:
            self._add(area_checks.made_by_guest(boot, self._disk))
        signature = MARK_STOCK if self._case.engine == "stock" else MARK_DORMOUSE
        findings = mark_findings(
            self._disk.original_header, self._disk.swap_header(), signature, *self._disk.area_on_device
        )
        said = boot.transcript
        if findings:
            findings.append(
                f"the guest said: hibernating {said.get(f'{number}.hibernating')!r}, "
                f"exit {said.get(f'{number}.exit')!r}, error {said.get('error')!r}, "
                f"report {said.documents.get(f'{number}.report')!r}"
            )
        self._add(
            [
                Check(
                    f"the disk holds an image: marked {signature[:9].decode()}, plain signature kept",
                    not findings,
                    "; ".join(findings),
                )
            ]
        )
        if not findings and self._case.zero_tail_mib:
            self._judge_zero_tail()
        if not findings and self._case.secrets:
            self._judge_seal(number)
        if not findings:
            self._add(area_checks.area_alone_is_marked(self._disk))
        return not findings

    def _judge_seal(self, number):
        self._keys = secrecy.keys_of(self._case.secrets, self._disk.image_header())
        self._add([secrecy.is_sealed(self._disk.image_header())])
        # Later rounds find pages there that were swapped out in the clear.
        if self._case.searched and number == 1:
            self._add(secrecy.nothing_on_disk(self._case, self._disk.path, self._keys))

    def _judge_memory(self):
        memory = self._workdir / scenario.MEMORY
        if memory.exists():
            self._add(secrecy.no_key_in_memory(self._case, memory, self._keys))
            memory.unlink()

    def _judge_zero_tail(self):
        tail = zero_tail(self._disk, self._tools["resume"], self._workdir)
        self._add([fault_checks.ends_in_zero_pages(tail)])

    def _judge_round(self, slept, woke, number):
        self._add(checks.round_survived(slept, woke, number, self._case))
        if self._case.engine == "stock":
            return
        if self._case.report == "text":
            text = woke.transcript.documents.get(f"{number}.report", "")
            self._add([Check("s2disk printed its report", bool(text), "nothing came")])
            self._outcome.reports.append((number, text))
            return
        found, parsed = checks.report(woke, number, self._case)
        self._add(found)
        self._outcome.reports.append((number, parsed))

    def _fail_to_wake(self, fault):
        marked = self._disk.swap_header()
        if fault.damage:
            self._disk.damage_image()
        boot = self._boot(BootPlan.failed(fault))
        self._add(fault_checks.failed_to_wake(boot, fault, self._case))
        if fault.attempts is not None:
            self._add([fault_checks.tries_counted(fault, self._disk.image_header())])
        if fault.keeps_image:
            self._add([fault_checks.image_kept(fault, marked, self._disk.swap_header())])
        else:
            self._judge_end(boot)
        return boot

    def _judge_end(self, boot):
        findings = restored_findings(
            self._disk.original_header, self._disk.swap_header(), self._case.engine == "stock"
        )
        claim = "the swap header on the disk is the original, byte for byte"
        if self._case.engine == "stock":
            claim = "the swap header on the disk is plain swap again"
        self._add([Check(claim, not findings, "; ".join(findings)), checks.finished(boot)])
        if self._case.zero_tail_mib:
            self._add([fault_checks.zeros_are_zero(boot)])
        if self._case.searched and self._case.wakes:
            self._add([secrecy.search_sees_what_was_swapped_out(self._case, self._disk.path)])
        self._add(area_checks.area_alone_is_marked(self._disk))
        if self._case.swap_file:
            self._add([checks.file_system_is_sound(boot, self._disk.check_file_system())])

    def _add(self, found):
        self._outcome.checks += found
