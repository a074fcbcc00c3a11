"""Weighs the evidence of cases with faults: what had to fail did and said why, and nothing was lost."""

import hashlib
import json
import re
import struct

from rig import checks
from rig.checks import Check
from rig.swap_header import PAGE_BYTES

# What a shell says of a process that SIGKILL has ended.
KILLED = 128 + 9

_NOTE_AT = 3584  # in the page of the image header


def attempt_came_to_nothing(boot, key, attempt, case, original_header):
    """A hibernation that failed or was stopped: said so, and left the machine and its disk as they were."""
    said = boot.transcript
    found = _ended_as_foretold(said, key, attempt)
    for value, expected in attempt.values.items():
        got = said.get(f"{key}.{value}")
        found.append(Check(f"{value} is {expected}", got == expected, repr(got)))
    running = said.get(f"{key}.left_running")
    found.append(
        Check("no s2disk is left", f"{key}.left_running" in said.values and running == "", repr(running))
    )
    header = hashlib.sha256(original_header.page).hexdigest()
    found.append(
        Check(
            "the swap header on the disk is the original, byte for byte",
            said.get(f"{key}.after.header") == header,
            f"{said.get(f'{key}.after.header')!r}, not {header!r}",
        )
    )
    if attempt.exit_code != KILLED:  # nobody is left then who could do it
        then, now = said.get(f"{key}.before.settings"), said.get(f"{key}.after.settings")
        found.append(Check("the kernel's settings are as before", then == now != "", f"{then!r}, {now!r}"))
    found += checks.same_process(said, said, f"{key}.")
    found += checks.data(said, said, f"{key}.", case)
    found += checks.gave_slots_back(boot, key, case)
    found += checks.swap(said, said, f"{key}.", case)
    return [Check(f"{attempt.name}: {check.claim}", check.holds, check.detail) for check in found]


def _ended_as_foretold(said, key, attempt):
    code = said.get(f"{key}.exit")
    found = [
        Check(
            "user space was thawed, exit code "
            + ("of SIGKILL" if attempt.exit_code == KILLED else str(attempt.exit_code)),
            code == str(attempt.exit_code),
            f"exit {code!r}, error {said.get('error')!r}",
        )
    ]
    text = said.documents.get(f"{key}.report", "")
    if attempt.exit_code == KILLED:
        found.append(Check("it was ended in the midst of it: no report", text == "", text[:200]))
        return found
    try:
        error = json.loads(text)["error"] or ""
    except (ValueError, KeyError, TypeError):
        return [*found, Check("there is a report with the error", False, text[:400])]
    missing = [pattern for pattern in attempt.says if not re.search(pattern, error)]
    found.append(Check(f"its words: {error}", not missing, f"do not match {missing}"))
    if attempt.error_between:
        place = re.search(r"at byte (\d+)", error)
        low, high = attempt.error_between
        found.append(
            Check(
                "the place it names is where the fault is",
                place is not None and low <= int(place.group(1)) < high,
                f"{place and place.group(1)}, not in {low} to {high}",
            )
        )
    return found


def moments_came(boot, reactions):
    """The host saw all that it waited for on the console, and did its part."""
    missed = [reaction.when for reaction in reactions if reaction not in boot.reacted]
    return Check("the host's moments came", not missed, f"never seen: {missed}")


def failed_to_wake(boot, fault, case):
    """A boot in which the machine does not come back: resume says why, or never comes to say anything."""
    said = boot.transcript
    code = said.get("resume.exit")
    if fault.exit_code is None:
        found = [Check("resume did not return", "resume.exit" not in said.values, f"exit {code!r}")]
    else:
        found = [
            Check(f"resume failed with exit code {fault.exit_code}", code == str(fault.exit_code), repr(code))
        ]
    words = boot.console if fault.on_console else said.documents.get("resume.output", "")
    missing = [pattern for pattern in fault.says if not re.search(pattern, words)]
    if fault.says:
        shown = "as expected" if fault.on_console else words
        found.append(Check(f"its words: {shown}", not missing, f"do not match {missing}"))
    if any(reaction.kill for reaction in fault.reactions):
        found.append(Check("the guest was killed", boot.killed, "it went off by itself"))
    if not fault.keeps_image:
        found += went_on_without_an_image(boot, case)
    return [Check(f"{fault.name}: {check.claim}", check.holds, check.detail) for check in found]


def went_on_without_an_image(boot, case):
    """The boot went on, and the swap area is of use."""
    said = boot.transcript
    pages = case.payload_mib * (1 << 20) // PAGE_BYTES
    sound = said.get("again.damaged") == "0" and said.number("again.pages") == pages
    usable = "again.swapoff" not in said.values and "again.swapon" not in said.values
    used = said.number("again.swap_used_kib")
    return [
        Check(
            "the boot goes on, and swap works: off, on, pages pushed out and back",
            sound and usable and used >= case.payload_mib * 1024 * 3 // 4,
            f"damaged {said.get('again.damaged')!r}, {used} KiB in use, error {said.get('error')!r}",
        )
    ]


def image_kept(fault, marked, now):
    """The mark that leads to the image is as it was when the machine went off."""
    return Check(f"{fault.name}: the image is kept, its mark unchanged", marked == now, repr(now.page[-40:]))


def tries_counted(fault, header_page):
    """The note beside the image header says how many tries were begun."""
    note = header_page[_NOTE_AT:]
    tries = struct.unpack_from("<I", note, 24)[0] if note[:8] == b"DMRESUME" else 0
    return Check(
        f"{fault.name}: {fault.attempts} tries are counted on the disk", tries == fault.attempts, f"{tries} are"
    )


def ends_in_zero_pages(tail):
    """The snapshot on the disk is of the kind that the case is about."""
    return Check(f"the snapshot ends in zero pages: {tail}", tail.pages > 0, "its last page is not zero")


def zeros_are_zero(boot):
    """The process that holds the zeros looked at them after the last wake-up."""
    code = boot.transcript.get("zero_tail.exit")
    return Check("the zero pages are zero still", code == "0", f"exit {code!r}")
