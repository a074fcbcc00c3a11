"""What a case may say: the hibernations it asks for, and the faults that come in their way."""

from dataclasses import dataclass, field

from rig.area import Area
from rig.qemu import Machine, Reaction

KERNELS = ("6.1", "6.12")

QUICK = "quick"
FULL = "full"
MANUAL = "manual"  # run by name only

USED_BY_LINE = ("--compress", "--early-writeout", "1")


@dataclass(frozen=True)
class Attempt:
    """A hibernation in the first boot that comes to nothing and must leave everything as it was."""

    name: str
    exit_code: int
    says: tuple = ()  # patterns; the report's error must match each
    s2disk: tuple = None  # options in place of the case's own
    method: str = "shutdown"
    prefix: tuple = ()  # the program that starts s2disk
    before: str = ""  # what the guest does first and afterwards: functions of guest/faults
    after: str = ""
    reactions: tuple = ()  # what the host does meanwhile; all of it must come to pass
    error_between: tuple = ()  # the byte offset that the error names lies in this range
    values: dict = field(default_factory=dict)  # what else the guest must say of it


@dataclass(frozen=True)
class FailedBoot:
    """A boot between power-off and wake-up in which the machine does not come back."""

    name: str
    exit_code: int = None  # None: resume does not return, as the guest is killed or restarted before
    says: tuple = ()  # patterns; each must be found in what resume says
    options: tuple = ()
    before: str = ""
    parameters: str = ""
    reactions: tuple = ()
    damage: bool = False  # the host damages the stored image beforehand
    keeps_image: bool = True  # False: the swap area is given back, and must be of use
    attempts: int = None  # the tries that are counted on the disk afterwards; None is not checked

    @property
    def on_console(self):
        """Whether what resume says goes there: where it does not return, and where it is answered."""
        return self.exit_code is None or bool(self.reactions)


@dataclass(frozen=True)
class Secrets:
    """What a sealed image hides beside the payload, and is then searched for."""

    passphrase: bytes = b""
    raw_key: bytes = b""  # of a key file that opens the image: with it the host knows all keys


@dataclass(frozen=True)
class Case:
    """One run of the rig: a fresh boot, one hibernation per method, and a boot after each power-off."""

    name: str
    proves: str
    share: str = FULL
    quick_on: tuple = KERNELS  # a quick case may be quick on some kernels only, and full on the others
    engine: str = "dormouse"  # "stock": the kernel's own hibernation, to test the rig itself
    s2disk: tuple = USED_BY_LINE
    methods: tuple = (None,)  # shutdown method per round; None leaves it to s2disk's default
    name_resume_device: bool = True  # False: s2disk finds the active swap area by itself
    swap_file: bool = False
    mapper: bool = False  # the swap partition lies behind device-mapper
    area: Area = field(default_factory=Area)  # where the swap area lies beyond that, and how it is named
    swap_mib: int = 384
    payload_mib: int = 96
    payload_options: tuple = ()
    pageout_mib: int = 0  # so much of the payload lies in swap when the machine hibernates
    zero_tail_mib: int = 0  # so many MiB of zeros lie at the highest addresses of all
    seed: int = 2006
    pipe_output: bool = False  # messages go into a pipe whose reader is frozen
    use_swap_again: bool = True  # False: for measurements, to which what comes after the wake-up is no matter
    corrupt: bool = False  # the payload damages itself in the last round: its check must see that
    attempts: tuple = ()  # before the first round
    failed_boots: tuple = ()  # after the last power-off, before the wake-up
    tolerates: str = ""  # a pattern: warnings of the kernel's own that no program can prevent
    wakes: bool = True  # False: the last failed boot is the end
    planted: tuple = ()  # nothing is hibernated: s2disk --check has to find each of these (rig.planted)
    kills: int = 0  # so often the guest is killed in the midst of the one hibernation
    parameters: str = ""  # for the kernel, in every boot
    wake_options: tuple = ()  # for resume, in the boot that wakes the machine
    wake_parameters: str = ""  # and those that only the machine has that wakes up
    stock_image_bytes: int = 0
    report: str = "json"
    files: dict = field(default_factory=dict)  # more files for the guest, {path: bytes}; nobody else may read them
    before: str = ""  # what the guest does before the first round: functions of guest/faults
    typed: tuple = ()  # reactions while it hibernates, in every round
    wake_typed: tuple = ()  # and while it wakes up
    secrets: Secrets = None  # the image is sealed
    settings: dict = field(default_factory=dict)  # what the report's "settings" must say
    image_size_percent: int = 0  # what the report's size cap must be, of RAM; 0 is not checked
    machine: Machine = field(default_factory=Machine)

    def share_on(self, kernel):
        """Which share of the tests the case is in on this kernel."""
        return FULL if self.share == QUICK and kernel not in self.quick_on else self.share

    @property
    def programs(self):
        """Names of the guest's own programs that it needs; all that lies in the initramfs takes memory."""
        return ("payload", "secret_memory") if self.planted else ("payload", "signal_on_input", "zero_tail")

    @property
    def power_offs(self):
        """How often the machine goes off to be resumed."""
        return sum(method != "none" for method in self.methods)

    @property
    def searched(self):
        """Whether the disk is searched for secrets. Attempts leave pages there that were swapped out."""
        return self.secrets is not None and not self.attempts

    @property
    def looked_into(self):
        """Whether the memory of the machine that woke up is searched for keys: the host has to know them."""
        return self.searched and bool(self.secrets.raw_key)

    @property
    def boots(self):
        """How many boots it takes at most."""
        if self.planted:
            return 2  # one that takes longer
        return 1 + self.power_offs + len(self.failed_boots) + self.kills
