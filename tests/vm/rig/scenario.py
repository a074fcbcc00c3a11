"""What the guest is to do in one boot, as the shell variables that guest/init reads from /scenario."""

import shlex
from dataclasses import dataclass, replace

from rig.cpio import CpioArchive
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
    # "go-on": if it returns, the boot goes on and shows that swap is of use.
    task: str = "hibernate"
    before: str = ""  # functions of guest/faults, before resume
    resume_options: tuple = ()
    resume_on_console: bool = False  # else its words are handed over
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
    return MAPPER if case.mapper else disk.resume_device


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
        arguments += ["--resume-device", resume_device(case, disk)]
        if disk.resume_offset_pages:
            arguments += ["--resume-offset", str(disk.resume_offset_pages)]
    return shlex.join([*arguments, "--report", case.report])


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
        "disk_device": disk.resume_device,
        "resume_device": resume_device(case, disk),
        "resume_offset": disk.resume_offset_pages,
        "swap_path": "/mnt/swapfile" if case.swap_file else resume_device(case, disk),
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
