"""The cases with sealed images: every way to open one, and what comes of it when nobody opens it.

While the machine is off the host searches all of its disk for the payload, keys and passphrases; when it has woken up,
all of its memory for the keys of the image. Nothing may have been swapped out before, so these guests have memory to
spare and the search is done for the first round only.
"""

from rig.case import QUICK, USED_BY_LINE, Attempt, Case, FailedBoot, Secrets
from rig.qemu import Machine, Reaction

_PASSPHRASE = "nineteen wet badgers"
_PAIR_PASSPHRASE = "forty dry otters"
_RAW_KEY = bytes.fromhex("6bd1f03a97c25e8814b3e9704dfa2c61a8057e93bc1fd6420be58d3977f4a21c")
_KEY_FILE = "/etc/dormouse.key"
_CONFIG = "/etc/suspend.conf"

_ROOMY = Machine(memory_mib=512)
# All of the payload is in the image, none of it in swap.
_PLAINLY = ("--compress=lz4", "--progress", "plain", "--image-size", "95%")

_SUSPEND_ASKS = "seal the image with"
_SUSPEND_ASKS_AGAIN = "the same again"
_RESUME_ASKS = "passphrase of the image on"
_NOT_OPENED = "does not open it"
_CTRL_C = b"\x03"

_POWERED_OFF = ("powering off; the image is kept", "reboot: Power down")


def _line(text):
    return f"{text}\n".encode()


_TYPED_TWICE = (
    Reaction(when=_SUSPEND_ASKS, send=_line(_PASSPHRASE)),
    Reaction(when=_SUSPEND_ASKS_AGAIN, send=_line(_PASSPHRASE)),
)


def _typed_once(passphrase):
    return (Reaction(when=_RESUME_ASKS, send=_line(passphrase)),)


def _typed_wrong_three_times():
    """Each try waits for the answer to the one before."""
    moments = (_RESUME_ASKS, _NOT_OPENED, f"(?s){_NOT_OPENED}.*{_NOT_OPENED}")
    return tuple(Reaction(when=when, send=_line(f"wrong {i}")) for i, when in enumerate(moments))


def _attempts(count):
    """So many tries, and no waiting for a person who might want something else."""
    return ("-P", f"resume attempts={count}", "-P", "resume countdown=0")


CASES = (
    Case(
        name="sealed-passphrase",
        proves="a passphrase typed on the console, twice when suspending and once when resuming",
        share=QUICK,
        quick_on=("6.12",),
        s2disk=("--encrypt", *USED_BY_LINE, "--image-size", "95%"),
        payload_mib=48,
        methods=("shutdown",),
        typed=_TYPED_TWICE,
        wake_typed=_typed_once(_PASSPHRASE),
        secrets=Secrets(passphrase=_PASSPHRASE.encode()),
        machine=_ROOMY,
    ),
    Case(
        name="sealed-key-pair",
        proves="a key pair of suspend-keygen: nothing is typed when suspending, its passphrase when resuming",
        s2disk=("--encrypt", "--key-file", "/run/pair.key", *_PLAINLY),
        payload_mib=48,
        methods=("shutdown", "shutdown"),
        before=f"make_key_pair '{_PAIR_PASSPHRASE}'",
        wake_typed=_typed_once(_PAIR_PASSPHRASE),
        secrets=Secrets(passphrase=_PAIR_PASSPHRASE.encode()),
        machine=_ROOMY,
    ),
    Case(
        name="sealed-key-file",
        proves="a raw key in the initramfs, named in the configuration file: nobody is asked; verified, two rounds",
        s2disk=(*_PLAINLY, "--verify"),
        payload_mib=48,
        methods=("shutdown", "reboot"),
        files={_CONFIG: f"encrypt = y\nkey file = {_KEY_FILE}\n".encode(), _KEY_FILE: _RAW_KEY},
        secrets=Secrets(raw_key=_RAW_KEY),
        machine=Machine(memory_mib=512, processors=2),
    ),
    Case(
        name="sealed-ways",
        proves="passphrase, key pair and raw key on one image, on a swap file; the boot has no key file, so the "
        "passphrase opens it",
        s2disk=(
            *("--encrypt=chacha20-poly1305", "-P", "passphrase=y"),
            *("--key-file", "/run/pair.key", "--key-file", _KEY_FILE),
            *_PLAINLY,
        ),
        payload_mib=48,
        methods=("shutdown",),
        swap_file=True,
        swap_mib=256,
        files={_KEY_FILE: _RAW_KEY},
        before=f"make_key_pair '{_PAIR_PASSPHRASE}'",
        typed=_TYPED_TWICE,
        wake_typed=_typed_once(_PASSPHRASE),
        secrets=Secrets(passphrase=_PASSPHRASE.encode(), raw_key=_RAW_KEY),
        settings={"cipher": "chacha20-poly1305"},
        machine=_ROOMY,
    ),
    Case(
        name="sealed-rehearsal",
        proves="a rehearsal, sealed and verified, leaves nothing behind; nor does an attempt without its key, or one "
        "that Ctrl-C stops while the passphrase is asked for",
        s2disk=("--encrypt=aes-256-ocb", "--key-file", _KEY_FILE, *_PLAINLY, "--verify"),
        payload_mib=32,
        methods=("none", "shutdown"),
        files={_KEY_FILE: _RAW_KEY},
        attempts=(
            Attempt(
                "the key file is missing",
                s2disk=("--encrypt", "--key-file", "/etc/nowhere.key", *_PLAINLY),
                exit_code=1,
                says=("/etc/nowhere.key", "No such file or directory"),
            ),
            Attempt(
                "Ctrl-C",
                s2disk=("--encrypt", *_PLAINLY),
                exit_code=4,
                says=("stopped by the user",),
                reactions=(Reaction(when=_SUSPEND_ASKS, send=_CTRL_C),),
            ),
        ),
        wake_options=("--key-file", _KEY_FILE),
        secrets=Secrets(raw_key=_RAW_KEY),
        settings={"cipher": "aes-256-ocb"},
        machine=_ROOMY,
    ),
    Case(
        name="sealed-locked",
        proves="three wrong passphrases, no answer, Ctrl-C: each time off with the image kept, no try counted; then "
        "it wakes up",
        s2disk=("--encrypt", *_PLAINLY),
        payload_mib=32,
        methods=("shutdown",),
        typed=_TYPED_TWICE,
        failed_boots=(
            FailedBoot(
                "wrong three times",
                options=_attempts(1),
                says=("none of the 3 passphrases given opens it", *_POWERED_OFF),
                reactions=_typed_wrong_three_times(),
                attempts=0,
            ),
            FailedBoot(
                "no answer",
                options=("-P", "passphrase countdown=3", *_attempts(1)),
                says=("nobody answered within 3 s", *_POWERED_OFF),
                attempts=0,
            ),
            FailedBoot(
                "Ctrl-C",
                options=_attempts(1),
                says=("stopped by the user", *_POWERED_OFF),
                reactions=(Reaction(when=_RESUME_ASKS, send=_CTRL_C),),
                attempts=0,
            ),
        ),
        wake_options=_attempts(1),
        wake_typed=_typed_once(_PASSPHRASE),
        secrets=Secrets(passphrase=_PASSPHRASE.encode()),
        machine=_ROOMY,
    ),
    Case(
        name="sealed-given-up",
        proves="three wrong passphrases, and a person who wants the machine without its session",
        s2disk=("--encrypt", *_PLAINLY),
        payload_mib=32,
        methods=("shutdown",),
        typed=_TYPED_TWICE,
        failed_boots=(
            FailedBoot(
                "wrong three times, then discarded",
                options=("-P", "resume countdown=60"),
                exit_code=3,
                says=("none of the 3 passphrases given opens it", "the image is discarded"),
                reactions=(
                    *_typed_wrong_three_times(),
                    Reaction(when=r"powering off in \d+ s", send=b"d\n"),
                ),
                keeps_image=False,
            ),
        ),
        wakes=False,
        secrets=Secrets(passphrase=_PASSPHRASE.encode()),
        machine=_ROOMY,
    ),
    Case(
        name="sealed-other-key",
        proves="a raw key that does not fit, and nobody who could be asked: a failed try like any other, and the last "
        "one gives the area back",
        s2disk=("--encrypt", "--key-file", _KEY_FILE, *_PLAINLY),
        payload_mib=32,
        methods=("shutdown",),
        files={_CONFIG: f"key file = {_KEY_FILE}\n".encode(), _KEY_FILE: _RAW_KEY},
        failed_boots=(
            FailedBoot(
                "first attempt",
                options=_attempts(2),
                before=f"exchange_key_file {_KEY_FILE}",
                says=("only a key file opens this image", "reboot: Restarting system"),
                attempts=1,
            ),
            FailedBoot(
                "last attempt, the key is missing",
                options=_attempts(2),
                before=f"rm {_KEY_FILE}",
                exit_code=3,
                says=("only a key file opens this image", f"{_KEY_FILE}.*No such file"),
                keeps_image=False,
            ),
        ),
        wakes=False,
        secrets=Secrets(raw_key=_RAW_KEY),
        machine=_ROOMY,
    ),
    Case(
        name="sealed-wanted",
        proves="a plain image where a sealed one is wanted is not loaded; without that wish it wakes up",
        s2disk=_PLAINLY,
        payload_mib=16,
        methods=("shutdown",),
        failed_boots=(
            FailedBoot(
                "not sealed",
                options=("-P", "encrypt=y", *_attempts(9)),
                says=("not sealed", "reboot: Restarting system"),
                attempts=1,
            ),
        ),
        wake_options=_attempts(9),
        machine=_ROOMY,
    ),
)
