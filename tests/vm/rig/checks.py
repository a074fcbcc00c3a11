"""Weighs the evidence of a run. A check holds or not, and says in words what it proves."""

import json
import re
from dataclasses import dataclass

from rig.disk import WITNESS
from rig.swap_header import PAGE_BYTES

# The kernel keeps up to 64 swap slots per processor at hand, and as many that are still to be given back.
_CACHED_SLOTS_PER_PROCESSOR = 2 * 64

KERNEL_COMPLAINTS = ("WARNING: CPU", "BUG:", "Oops", "Kernel panic", "Call Trace:", "blocked for more than")
# A warning from its first line to its last.
_WARNING = re.compile(r"^[^\n]*\[ cut here \].*?\[ end trace [^\n]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Check:
    """One finding. `detail` says what was seen where the check does not hold."""

    claim: str
    holds: bool
    detail: str = ""


def fresh_boot(boot):
    """The first boot: no image there, so resume must pass it by without a word."""
    said = boot.transcript
    checks = []
    if "resume.exit" in said.values:
        output = said.documents.get("resume.output", "")
        silent = said.get("resume.exit") == "0" and not output
        checks.append(
            Check(
                "resume without an image exits 0 and says nothing",
                silent,
                f"exit {said.get('resume.exit')}: {output!r}",
            )
        )
    return checks


def round_survived(first, second, number, case):
    """One round: `first` is the boot that hibernated, `second` the one in which the guest woke up."""
    before, after = first.transcript, second.transcript
    prefix = f"{number}."
    checks = _hibernated(before, after, prefix, case.methods[number - 1])
    checks += _same_system(before, after, prefix, rebooted=first is not second)
    checks += same_process(before, after, prefix)
    checks += data(before, after, prefix, case)
    checks += swap(before, after, prefix, case)
    return checks


def _hibernated(before, after, prefix, method):
    began = before.get(prefix + "hibernating") == "yes"
    returned, error, resume = (after.get(key) for key in (prefix + "exit", "error", "resume.exit"))
    detail = f"exit {returned!r}, error {error!r}, resume {resume!r}"
    if method == "none":
        return [Check("the rehearsal ended with exit code 0", began and returned == "0", detail)]
    return [
        Check(
            "the guest went off by hibernating",
            began and prefix + "exit" not in before.values,
            f"hibernation returned {before.get(prefix + 'exit')!r}, error {before.get('error')!r}",
        ),
        Check("the guest woke up where it had gone to sleep, exit code 0", returned == "0", detail),
    ]


def _same_system(before, after, prefix, rebooted):
    slept, woke = before.get(prefix + "before.boot_id"), after.get(prefix + "after.boot_id")
    checks = [
        Check(
            "the system is the one that went to sleep (boot id)",
            slept != "" and slept == woke,
            f"{slept!r} became {woke!r}",
        )
    ]
    if rebooted:
        booted = after.get("boot_id")
        checks.append(
            Check(
                "another kernel had been booted in between",
                booted not in ("", woke),
                f"boot ids {booted!r} and {woke!r}",
            )
        )
    for clock in ("monotonic_ms", "boottime_ms"):
        then, now = before.number(f"{prefix}before.{clock}"), after.number(f"{prefix}after.{clock}")
        checks.append(
            Check(
                f"uptime went on ({clock.removesuffix('_ms')})", 0 < then < now, f"{then} ms, then {now} ms"
            )
        )
    return checks


def same_process(before, after, prefix):
    """The payload is the process that it was."""
    checks = []
    for key in ("pid", "start", "nonce"):
        then, now = before.get(f"{prefix}before.{key}"), after.get(f"{prefix}after.{key}")
        checks.append(
            Check(
                f"the payload is the same process ({key})",
                then != "" and then == now,
                f"{then!r}, then {now!r}",
            )
        )
    then, now = before.number(f"{prefix}before.counter"), after.number(f"{prefix}after.counter")
    checks.append(Check("the payload went on counting", 0 < then < now, f"{then}, then {now}"))
    return checks


def data(before, after, prefix, case):
    """Its memory is what it was (or, in a corrupt case, is not)."""
    pages = case.payload_mib * (1 << 20) // PAGE_BYTES
    then, now = before.get(prefix + "before.digest"), after.get(prefix + "after.digest")
    damaged = after.get(prefix + "after.damaged")
    sound = after.number(prefix + "after.pages") == pages and damaged == "0" and then != "" and then == now
    detail = f"{damaged!r} of {pages} pages damaged, digest {then!r} became {now!r}"
    if _expects_damage(prefix, case):
        return [Check("damage to one page of the payload is seen", damaged == "1" and then != now, detail)]
    return [Check(f"the payload's data is intact ({case.payload_mib} MiB, page by page)", sound, detail)]


def _expects_damage(prefix, case):
    """The payload of a corrupt case damages itself in the last round, after all earlier rounds went well."""
    return case.corrupt and prefix == f"{len(case.methods)}."


def swap(before, after, prefix, case):
    """The swap area is as it was, and of use."""
    checks = []
    if case.pageout_mib:
        used = before.number(prefix + "before.swap_used_kib")
        checks.append(
            Check("part of the swap area was in use", used >= case.pageout_mib * 1024 * 3 // 4, f"{used} KiB")
        )
    header, header_after = before.get(prefix + "before.header"), after.get(prefix + "after.header")
    if case.engine != "stock":
        checks.append(
            Check(
                "the guest finds its swap header as it was, read past the page cache",
                header != "" and header == header_after,
                f"{header!r}, then {header_after!r}",
            )
        )
    return checks + (_swap_again(after, prefix, case) if case.use_swap_again else [])


def _swap_again(after, prefix, case):
    checks = []
    used = after.number(prefix + "again.swap_used_kib")
    usable = (
        prefix + "again.swapoff" not in after.values
        and prefix + "again.swapon" not in after.values
        and used >= case.payload_mib * 1024 * 3 // 4
    )
    checks.append(Check("swap works afterwards: off, on, and pages pushed out", usable, f"{used} KiB in use"))
    damaged = after.get(prefix + "again.damaged")
    checks.append(
        Check(
            "pages come back from swap as they went",
            damaged == ("1" if _expects_damage(prefix, case) else "0"),
            f"{damaged!r} damaged",
        )
    )
    return checks


def gave_slots_back(boot, key, case):
    """What was not stored for good gives its slots back: swap grew by no more than the kernel swapped out.

    The kernel counts slots in its per-processor caches as used; an image has hundreds of times as many.
    """

    def grown(what):
        before, after = (boot.transcript.number(f"{key}.{when}.{what}") for when in ("before", "after"))
        return None if before < 0 or after < 0 else after - before

    used_kib, swapped_out_pages = grown("swap_used_kib"), grown("swapped_out_pages")
    known = used_kib is not None and swapped_out_pages is not None
    allowed_pages = (swapped_out_pages or 0) + case.machine.processors * _CACHED_SLOTS_PER_PROCESSOR
    return [
        Check(
            "the swap slots were given back",
            known and used_kib <= allowed_pages * PAGE_BYTES // 1024,
            f"{used_kib} KiB more in use, the kernel swapped out {swapped_out_pages} pages",
        )
    ]


def report(boot, number, case):
    """The JSON report of the s2disk that woke up (or rehearsed)."""
    text = boot.transcript.documents.get(f"{number}.report", "")
    try:
        found = json.loads(text)
    except ValueError as error:
        return [Check("the report is JSON", False, f"{error}: {text[:400]!r}")], None
    problems = []

    def want(place, holds):
        if not holds(_lookup(found, place)):
            problems.append(f"{place} is {_lookup(found, place)!r}")

    want("schema", lambda v: v == "dormouse-report/1")
    want("tool", lambda v: v == "s2disk")
    want("exit_code", lambda v: v == 0)
    want("error", lambda v: v is None)
    want("kernel", lambda v: v == boot.transcript.get("release"))
    want("page_bytes", lambda v: v == PAGE_BYTES)
    want("image.pages", _positive)
    want("image.stored_bytes", _positive)
    want("write.seconds", _positive)
    if case.methods[number - 1] != "none":
        want("read.seconds", _positive)
    for key, expected in case.settings.items():
        want(f"settings.{key}", lambda v, expected=expected: v == expected)
    if case.image_size_percent:
        ram = _lookup(found, "ram_bytes") or 0
        cap = ram * case.image_size_percent / 100
        want("image.size_cap_bytes", lambda v: _positive(v) and abs(v - cap) <= cap / 100)
    return [Check("the report says what was asked for and done", not problems, "; ".join(problems))], found


def kernel_is_content(boot, tolerated=""):
    """No warning, no oops, no hung task on the console, but for warnings that match `tolerated`."""
    console = boot.console
    if tolerated:
        console = _WARNING.sub(lambda found: "" if re.search(tolerated, found[0]) else found[0], console)
    seen = [line for line in console.splitlines() if any(word in line for word in KERNEL_COMPLAINTS)]
    return Check("the kernel had nothing to complain about", not seen, "; ".join(seen[:3]))


def file_system_is_sound(boot, faults):
    """The ext4 file system that held the swap file: readable in the guest, and clean afterwards."""
    said = boot.transcript
    files = said.get("witness") == WITNESS and said.get("written") == "before the hibernation"
    return Check(
        "the file system around the swap file is intact",
        files and not faults,
        "; ".join(faults) or f"files say {said.get('witness')!r}, {said.get('written')!r}",
    )


def finished(boot):
    """The guest came to the end of its script."""
    said = boot.transcript
    return Check(
        "the guest ended in good order", said.get("finished") == "yes", f"error {said.get('error')!r}"
    )


def _lookup(document, place):
    for key in place.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _positive(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
