"""What the guest is to do in one boot, as the shell variables that guest/init reads from /scenario."""

import shlex
from dataclasses import dataclass, replace

from rig.area import LABEL
from rig.cpio import CpioArchive
from rig.disk import WITNESS
from rig.qemu import Reaction

# The file in the working directory that takes the guest's memory.
MEMORY = "memory.raw"
MAPPER = "/dev/mapper/swap"

# What a guest prints that is told to wait for its host (BootPlan.hold).
WAITING = "== waiting before the (round|resume)"
WAITING_TO_BE_SEEN = "== waiting before the look"


@dataclass(frozen=True)
class BootPlan:
    """One boot, as the host means it to go."""

    # "hibernate": the fresh boot. "wake": resume must not return. "refuse": it must, and the guest goes off.
    # "go-on": if it returns, the boot goes on and shows that swap is of use. "check": faults are planted.
    task: str = "hibernate"
    before: str = ""  # functions of guest/faults, before resume
    resume_options: tuple = ()
    resume_on_console: bool = False  # else its words are handed over
    renamed: bool = False  # the disk has another name than in the first boot
    hold: str = ""  # where the guest waits for a key: "round", "resume", "look" (when a round is over)
    parameters: str = ""
    reactions: tuple = ()

    @classmethod
    def first(cls, case):
        """The fresh boot."""
        return cls(
            hold="look" if case.looked_into else "",
            reactions=attempt_reactions(case) + round_reactions(case, 1),
        )

    @classmethod
    def wake(cls, case, number=1):
        """The boot in which the machine comes back from round `number`, and goes on."""
        look = (Reaction(when=WAITING_TO_BE_SEEN, send=b"\n", dump=MEMORY),) if case.looked_into else ()
        return cls(
            task="wake",
            resume_options=case.wake_options,
            resume_on_console=True,
            renamed=case.area.renamed,
            parameters=case.wake_parameters,
            reactions=case.wake_typed + look + round_reactions(case, number + 1),
        )

    @classmethod
    def failed(cls, fault):
        """A boot in which it does not."""
        return cls(
            task="refuse" if fault.keeps_image else "go-on",
            before=fault.before,
            resume_options=fault.options,
            # What a guest says that never gets further than resume can only be seen there.
            resume_on_console=fault.on_console,
            parameters=fault.parameters,
            reactions=fault.reactions,
        )


def attempt_key(index):
    """What the results and variables of an attempt, counted from 0, begin with."""
    return f"a{index + 1}"


def attempt_reactions(case):
    """Returns the reactions of all attempts, each kept to its own attempt's part of the console."""
    return tuple(
        replace(
            reaction,
            after=f"== {attempt_key(index)} begins",
            until=f"== {attempt_key(index)} is over",
        )
        for index, attempt in enumerate(case.attempts)
        for reaction in attempt.reactions
    )


def round_reactions(case, first):
    """Returns the reactions of the rounds that begin in one boot: from `first` until the machine goes off."""
    found = []
    for number in range(first, len(case.methods) + 1):
        begin, end = f"== {number} begins", f"== {number} is over"
        found += [replace(reaction, after=begin, until=end) for reaction in case.typed]
        if case.methods[number - 1] != "none":
            break
    return tuple(found)


def resume_device(case, disk):
    """The block device that holds the swap area, as the tools are told."""
    return MAPPER if case.mapper else case.area.mapped_device or disk.resume_device


def renamed(device):
    """What a disk or partition is called when one more disk comes before it."""
    return device.replace("/dev/vda", "/dev/vdb")


def swap_path(case, disk):
    """The swap area as /proc/swaps has it."""
    return "/mnt/swapfile" if case.swap_file else resume_device(case, disk)


def _named(case, disk, options):
    """The options that name the area: `options`, or else device and offset."""
    device = resume_device(case, disk)
    if options is None:
        offset = disk.resume_offset_pages
        return ["--resume-device", device, *(("--resume-offset", str(offset)) if offset else ())]
    known = {"device": device, "file": swap_path(case, disk), "stale": disk.stale_page}
    if disk.original_header:
        known["uuid"] = disk.uuid
    return [option.format_map(known) for option in options]


def resume_names(case, disk):
    """How resume is told of the area. One that the guest is still to make has no place yet."""
    if case.area.made_by_guest and disk.resume_offset_pages in (0, disk.stale_page):
        return []
    return _named(case, disk, case.area.resume)


def hibernate_command(case, disk, round_index):
    """Returns the guest's shell command for one round of a case."""
    method = case.methods[round_index]
    if case.engine == "stock":
        size = f"echo {case.stock_image_bytes} >/sys/power/image_size && " if case.stock_image_bytes else ""
        return f"{size}echo {method} >/sys/power/disk && echo disk >/sys/power/state"
    return _s2disk_command(case, disk, case.s2disk, method)


def attempt_command(case, disk, attempt):
    """Returns the guest's shell command for an attempt."""
    options = case.s2disk if attempt.s2disk is None else attempt.s2disk
    return _s2disk_command(case, disk, options, attempt.method, attempt.prefix)


def _s2disk_command(case, disk, options, method, prefix=()):
    arguments = [*prefix, "/usr/sbin/s2disk", *options]
    if method is not None:
        arguments += ["--shutdown-method", method]
    if case.name_resume_device:
        arguments += _named(case, disk, case.area.s2disk)
    return shell_line([*arguments, "--report", case.report])


def shell_line(arguments):
    """Returns the arguments as one command of the guest's shell."""
    return shlex.join(arguments)


def variables(case, disk, boot, plan):
    """Returns {name: value} for the boot with number `boot`, counted from 1."""
    values = {
        "boot": boot,
        "task": plan.task,
        "hold": plan.hold,
        "before_resume": plan.before,
        "resume_options": shlex.join(plan.resume_options),
        "resume_output": "console" if plan.resume_on_console else "file",
        "engine": case.engine,
        "main_disk_first": "yes" if case.area.renamed and not plan.renamed else "no",
        "disk_device": renamed(disk.resume_device) if plan.renamed else disk.resume_device,
        "resume_device": renamed(resume_device(case, disk)) if plan.renamed else resume_device(case, disk),
        "resume_names": shlex.join(resume_names(case, disk)),
        "resume_offset": disk.resume_offset_pages,
        "swap_path": swap_path(case, disk),
        "mapping": "flaky" if case.mapper else case.area.mapping,
        "mapped_uuid": case.area.mapped_uuid,
        "mapping_start_mib": case.area.data_start_mib,
        "mapping_key": case.area.key.hex(),
        "file_system": case.area.file_system,
        "made_by_guest": "yes" if case.area.made_by_guest else "no",
        "swap_mib": case.swap_mib,
        "label": LABEL,
        "witness": WITNESS,
        "beside_device": disk.beside_device,
        "zram_mib": case.area.zram_mib,
        "attempts": len(case.attempts),
        "rounds": len(case.methods),
        "payload_mib": case.payload_mib,
        "pageout_mib": case.pageout_mib,
        "zero_tail_mib": case.zero_tail_mib,
        "payload_options": shlex.join(case.payload_options),
        "seed": case.seed,
        "use_swap_again": "yes" if case.use_swap_again else "no",
        "output": "pipe" if case.pipe_output else "console",
        "corrupt": "yes" if case.corrupt else "no",
    }
    for index, attempt in enumerate(case.attempts):
        key = attempt_key(index)
        values[f"command_{key}"] = attempt_command(case, disk, attempt)
        values[f"before_{key}"] = attempt.before
        values[f"after_{key}"] = attempt.after
    for index in range(len(case.methods)):
        values[f"command_{index + 1}"] = hibernate_command(case, disk, index)
    values["before_1"] = case.before
    return values


def archive(values):
    """Returns a small cpio archive with /scenario, to be joined to the initramfs."""
    text = "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())
    cpio = CpioArchive()
    cpio.add_file("/scenario", text.encode())
    return cpio.finish()
