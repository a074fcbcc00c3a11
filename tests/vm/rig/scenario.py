"""What the guest is to do in one boot, as the shell variables that guest/init reads from /scenario."""

import shlex

from rig.cpio import CpioArchive


def hibernate_command(case, disk, round_index):
    """Returns the guest's shell command for one round of a case."""
    method = case.methods[round_index]
    if case.engine == "stock":
        size = f"echo {case.stock_image_bytes} >/sys/power/image_size && " if case.stock_image_bytes else ""
        return f"{size}echo {method} >/sys/power/disk && echo disk >/sys/power/state"
    arguments = ["/usr/sbin/s2disk", *case.s2disk]
    if method is not None:
        arguments += ["--shutdown-method", method]
    if case.name_resume_device:
        arguments += ["--resume-device", disk.resume_device]
        if disk.resume_offset_pages:
            arguments += ["--resume-offset", str(disk.resume_offset_pages)]
    return shlex.join([*arguments, "--report", case.report])


def variables(case, disk, boot):
    """Returns {name: value} for the boot with number `boot`, counted from 1."""
    values = {
        "boot": boot,
        "engine": case.engine,
        "resume_device": disk.resume_device,
        "resume_offset": disk.resume_offset_pages,
        "swap_path": "/mnt/swapfile" if case.swap_file else disk.resume_device,
        "expect_resume": "yes" if boot > 1 and not case.damage else "no",
        "rounds": len(case.methods),
        "payload_mib": case.payload_mib,
        "pageout_mib": case.pageout_mib,
        "seed": case.seed,
        "output": "pipe" if case.pipe_output else "console",
        "corrupt": "yes" if case.corrupt else "no",
    }
    for index in range(len(case.methods)):
        values[f"command_{index + 1}"] = hibernate_command(case, disk, index)
    return values


def archive(values):
    """Returns a small cpio archive with /scenario, to be joined to the initramfs."""
    text = "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())
    cpio = CpioArchive()
    cpio.add_file("/scenario", text.encode())
    return cpio.finish()
