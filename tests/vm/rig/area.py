"""Where the swap area of a case lies, where it is not just a partition or a swap file, and how it is named."""

from dataclasses import dataclass

# Where the data begin on the partition, as LVM and LUKS2 would have it (LUKS's own 16 MiB are more than needed).
_DATA_START_MIB = {"": 0, "lvm": 1, "luks": 2}

# What those programs call a device, and the id by which they know it for their own: all that tools can see of them.
_MAPPED_AS = {
    "lvm": ("vg-swap", "LVM-9CzGvYqXg4gYDZ0hTRQhbSLJxI1V4KzTb2rQx2oGm0lGx1kVb3d7fS6pW8uAe5nJ"),
    "luks": ("cryptswap", "CRYPT-LUKS2-1f0c7c3ad5fb4b0e9a1be0a6bbd7d0d4-cryptswap"),
}

# Modules beyond those that every guest has.
_FILE_SYSTEM_MODULES = {
    "ext4": (),  # every guest has it
    "f2fs": ("crc32_generic", "f2fs"),
    "xfs": ("crc32c_generic", "xfs"),
    "btrfs": ("crc32c_generic", "btrfs"),
}
_MAPPING_MODULES = {"": (), "lvm": ("dm_mod",), "luks": ("ecb", "xts", "dm_mod", "dm_crypt")}

# The guest names the area by this label when it makes one, and the host knows it by that.
LABEL = "guest-made"


@dataclass(frozen=True)
class Area:
    """The usual one is a partition, or a swap file made by the host, named by device and offset."""

    mapping: str = ""  # "lvm" or "luks": the partition lies behind device-mapper, as those leave it
    key: bytes = b""  # of "luks", for aes-xts-plain64
    file_system: str = "ext4"  # around a swap file
    made_by_guest: bool = False  # the guest makes the swap file: on ext4 anew, elsewhere for the first time
    beside_mib: int = 0  # another swap partition, which the kernel fills first
    zram_mib: int = 0  # swap in compressed memory, which the kernel fills before all others
    renamed: bool = False  # an empty disk comes first in the boots that wake the machine, and last before
    # Options that name the area; None: device and offset. {device}, {file}, {uuid}, {stale} are filled in.
    s2disk: tuple = None
    resume: tuple = None
    says: tuple = ()  # patterns: what s2disk says of the area it has chosen
    wake_says: tuple = ()  # patterns: and resume

    @property
    def data_start_mib(self):
        """Where the area begins on its partition."""
        return _DATA_START_MIB[self.mapping]

    @property
    def mapped_device(self):
        """The device behind device-mapper; None if there is none."""
        return f"/dev/mapper/{_MAPPED_AS[self.mapping][0]}" if self.mapping else None

    @property
    def mapped_uuid(self):
        """The id that device-mapper keeps with it."""
        return _MAPPED_AS[self.mapping][1] if self.mapping else ""

    @property
    def file_slack_mib(self):
        """So much larger than its swap file the file system is made."""
        return 48 if self.file_system == "ext4" else 160

    @property
    def modules(self):
        """What the guest loads for it, of the kernel's."""
        return (
            _FILE_SYSTEM_MODULES[self.file_system]
            + _MAPPING_MODULES[self.mapping]
            + (("zram",) if self.zram_mib else ())
        )
