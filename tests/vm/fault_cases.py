"""The cases with faults: what goes wrong while a guest hibernates or wakes up, and must do no harm.

Failing attempts are cheap, as they need no boot of their own: a case has several, one after the other, and a
good hibernation at the end, which shows that nothing was left in its way.
"""

from rig.case import FULL, QUICK, Attempt, Case, FailedBoot
from rig.fault_checks import KILLED
from rig.qemu import Machine, Reaction

_MIB = 1 << 20
_ROOMY = Machine(memory_mib=512)
# So slow that what the host types while it sees the progress comes before the end.
_SLOW_DISK = Machine(memory_mib=512, write_bytes_per_second=8 * _MIB)
# Nothing is reclaimed for the snapshot: all of it is in the image, and little in swap.
_PLAINLY = ("--compress=lz4", "--progress", "plain", "--image-size", "95%")

# Where guest/faults makes the hole, less the largest write that may begin before it.
_HOLE = (8 * _MIB, 20 * _MIB)


def _backspace(when):
    """Pressed until it has had its effect: a key that comes while the devices sleep is lost."""
    return (Reaction(when=when, send=b"\x7f", again=True),)


def _signal(signal, when):
    """The kernel sends it when the host presses a key, once."""
    return {
        "prefix": ("/usr/sbin/signal_on_input", signal, "/dev/ttyS0"),
        "reactions": (Reaction(when=when, send=b"\n"),),
    }


def _attempts(count):
    """With attempts left, resume restarts the machine. It need not wait for a person first."""
    return ("-P", f"resume attempts={count}", "-P", "resume countdown=0")


def _on_bad_swap(name, table, **more):
    return Attempt(name, before=f"empty_swap; swap_is {table}", after="swap_is sound", **more)


def _kill_sweep(name, kills, **more):
    return Case(
        name=name,
        proves=f"killed at {kills} seeded moments of a save; each next boot finds plain swap or wakes up",
        s2disk=("--compress=lz4", "--progress", "plain"),
        payload_mib=32,
        methods=("shutdown",),
        kills=kills,
        machine=Machine(write_bytes_per_second=16 * _MIB),
        **more,
    )


CASES = (
    Case(
        name="bad-sectors",
        proves="writes, then reads, fail in the midst of the swap area; saved and woken in the end",
        share=QUICK,
        quick_on=("6.12",),
        mapper=True,
        s2disk=_PLAINLY,
        payload_mib=32,
        methods=("shutdown",),
        attempts=(
            _on_bad_swap(
                "error target",
                "error",
                exit_code=1,
                says=(r"^write ", r"/dev/mapper/swap at byte \d+: Input/output error"),
                error_between=_HOLE,
            ),
            _on_bad_swap(
                "flakey, error_writes",
                "error-writes",
                exit_code=1,
                # A flush goes to all parts of a device, the bad one too, and may meet it before a write does.
                says=(r"^(write|flush) .*on /dev/mapper/swap( at byte \d+)?: Input/output error",),
            ),
        ),
        failed_boots=(
            FailedBoot(
                "error target on waking",
                options=_attempts(9),
                before="swap_is error",
                says=(r"/dev/mapper/swap at byte \d+: Input/output error",),
            ),
        ),
        wake_options=_attempts(9),
        machine=_ROOMY,
    ),
    Case(
        name="lying-disk",
        proves="device-mapper drops writes and says all is well (--verify sees it), or fails at times",
        mapper=True,
        s2disk=_PLAINLY,
        payload_mib=32,
        methods=("shutdown",),
        attempts=(
            _on_bad_swap(
                "flakey, drop_writes",
                "drop-writes",
                s2disk=(*_PLAINLY, "--verify"),
                exit_code=3,
                says=(r"/dev/mapper/swap at byte \d+",),
                error_between=_HOLE,
            ),
            _on_bad_swap(
                "flakey, at times",
                "fails-at-times",
                exit_code=1,
                says=(r"/dev/mapper/swap( at byte \d+)?: Input/output error",),
            ),
        ),
        machine=_SLOW_DISK,
    ),
    Case(
        name="no-room",
        proves="a swap area that is full, before and during the writing, and then is not",
        s2disk=_PLAINLY,
        swap_mib=96,
        payload_mib=32,
        methods=("shutdown",),
        attempts=(
            Attempt(
                "too little from the start",
                before="empty_swap; fill_swap 93",
                after="free_swap",
                exit_code=5,
                says=(r"\d+ bytes are free, \d+ are the least",),
            ),
            Attempt(
                "too little while writing",
                before="empty_swap; fill_swap 80",
                after="free_swap",
                exit_code=5,
                says=(r"room",),
            ),
        ),
        machine=_ROOMY,
    ),
    Case(
        name="stopped",
        proves="Backspace at 0, 50 and 99 %, SIGTERM and SIGKILL in mid-write; then a good hibernation",
        share=QUICK,
        quick_on=("6.1",),
        s2disk=_PLAINLY,
        payload_mib=8,
        methods=("shutdown",),
        # Its threads die in any order. Where the one that froze is not the last, the kernel wonders.
        tolerates=r"WARNING: .* thaw_processes\+",
        attempts=(
            Attempt(
                "Backspace at 0 %",
                exit_code=4,
                says=("stopped by the user",),
                reactions=_backspace("freezing user space"),
            ),
            Attempt(
                "Backspace at 50 %",
                exit_code=4,
                says=("stopped by the user",),
                reactions=_backspace(r"write: 5\d %"),
            ),
            Attempt(
                "Backspace at 99 %",
                s2disk=("--compress=lz4", "--progress", "bar", "--image-size", "95%"),
                exit_code=4,
                says=("stopped by the user",),
                reactions=_backspace(r"write +9[6-9] %"),
            ),
            Attempt(
                "SIGTERM",
                exit_code=4,
                says=("stopped by the user",),
                **_signal("TERM", r"write: 3\d %"),
            ),
            Attempt(
                "SIGKILL",
                exit_code=KILLED,
                **_signal("KILL", r"write: 3\d %"),
            ),
        ),
        machine=_SLOW_DISK,
    ),
    Case(
        name="refused",
        proves="an ordinary user, /dev/snapshot held by another, two at once; then a good hibernation",
        share=QUICK,
        quick_on=("6.12",),
        s2disk=_PLAINLY,
        payload_mib=24,
        methods=("shutdown",),
        attempts=(
            Attempt(
                "ordinary user",
                before="make_user",
                prefix=("start-stop-daemon", "-S", "-c", "user", "-p", "/run/none", "-a", "/bin/env", "--"),
                exit_code=6,
                says=("only root may hibernate",),
            ),
            Attempt(
                "/dev/snapshot held",
                before="hold_snapshot",
                after="release_snapshot",
                exit_code=1,
                says=("/dev/snapshot", "[Bb]usy|in use"),
            ),
            Attempt(
                "two at once",
                before="other_begins",
                after="other_ends a3",
                exit_code=1,
                says=("/dev/snapshot", "[Bb]usy|in use"),
                values={"other_exit": "0"},
            ),
        ),
        machine=_ROOMY,
    ),
    Case(
        name="nohibernate",
        proves="hibernation switched off on the kernel's command line is named, and nothing happens",
        payload_mib=8,
        methods=(),
        parameters="nohibernate",
        attempts=(
            Attempt("nohibernate", exit_code=6, says=('"nohibernate" on the kernel\'s command line',)),
        ),
    ),
    Case(
        name="killed-on-waking",
        proves="the guest is killed while it loads the image, twice; then it wakes up, with other parameters",
        share=QUICK,
        quick_on=("6.1",),
        s2disk=_PLAINLY,
        payload_mib=32,
        methods=("shutdown",),
        failed_boots=(
            FailedBoot(
                "killed at 10 %",
                options=("--progress", "plain", *_attempts(9)),
                reactions=(Reaction(when=r"read: 1\d %", kill=True),),
            ),
            FailedBoot(
                "killed at 90 %",
                options=("--progress", "plain", *_attempts(9)),
                reactions=(Reaction(when=r"read: 9\d %", kill=True),),
            ),
        ),
        wake_options=_attempts(9),
        wake_parameters="quiet loglevel=3 transparent_hugepage=never",
        machine=Machine(memory_mib=512, read_bytes_per_second=16 * _MIB),
    ),
    Case(
        name="zero-tail",
        proves="a snapshot that ends in zero pages is loaded to its end",
        s2disk=_PLAINLY,
        payload_mib=16,
        methods=("shutdown",),
        zero_tail_mib=32,
        machine=_ROOMY,
    ),
    _kill_sweep("killed-in-saving", kills=20),
    _kill_sweep("killed-now-and-then", kills=4, share=QUICK, quick_on=("6.12",)),
    Case(
        name="damaged-twice",
        proves="a damaged image: one boot keeps it and restarts, the next gives the area back and goes on",
        share=FULL,
        s2disk=_PLAINLY,
        payload_mib=32,
        methods=("shutdown",),
        failed_boots=(
            FailedBoot(
                "first attempt",
                damage=True,
                options=_attempts(2),
                says=("chunk",),
            ),
            FailedBoot(
                "last attempt",
                options=_attempts(2),
                exit_code=3,
                says=("chunk",),
                keeps_image=False,
            ),
        ),
        wakes=False,
        machine=_ROOMY,
    ),
    Case(
        name="damaged-once",
        proves="a damaged image with one attempt: refused with exit code 3, and the area is given back",
        share=QUICK,
        quick_on=("6.1",),
        s2disk=_PLAINLY,
        payload_mib=32,
        methods=("shutdown",),
        failed_boots=(
            FailedBoot(
                "only attempt",
                damage=True,
                options=_attempts(1),
                exit_code=3,
                says=("chunk",),
                keeps_image=False,
            ),
        ),
        wakes=False,
        machine=_ROOMY,
    ),
)
