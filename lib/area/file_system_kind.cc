#include "area/file_system_kind.h"

#include <fmt/format.h>
#include <linux/magic.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dormouse {
namespace {

using Way = FileSystemKind::Way;

struct Known {
  std::uint64_t magic;
  std::string_view name;
  Way way = Way::kNone;
};

// Those without a name in linux/magic.h have their number here. ext2 and ext3 have that of ext4.
constexpr std::array kKnown = std::to_array<Known>({
    {EXT4_SUPER_MAGIC, "ext4", Way::kExtents},
    {XFS_SUPER_MAGIC, "xfs", Way::kExtentsXfs},
    {F2FS_SUPER_MAGIC, "f2fs", Way::kExtentsF2fs},
    {BTRFS_SUPER_MAGIC, "btrfs", Way::kBtrfs},
    {TMPFS_MAGIC, "tmpfs"},
    {RAMFS_MAGIC, "ramfs"},
    {OVERLAYFS_SUPER_MAGIC, "overlayfs"},
    {NFS_SUPER_MAGIC, "nfs"},
    {SMB2_SUPER_MAGIC, "cifs"},
    {CIFS_SUPER_MAGIC, "cifs"},
    {V9FS_MAGIC, "9p"},
    {CEPH_SUPER_MAGIC, "ceph"},
    {FUSE_SUPER_MAGIC, "fuse"},
    {MSDOS_SUPER_MAGIC, "vfat"},
    {EXFAT_SUPER_MAGIC, "exfat"},
    {0x7366746e, "ntfs3"},
    {0x2fc12fc1, "zfs"},
    {0xca451a4e, "bcachefs"},
    {0x3153464a, "jfs"},
    {0x24051905, "ubifs"},
    {REISERFS_SUPER_MAGIC, "reiserfs"},
    {NILFS_SUPER_MAGIC, "nilfs2"},
    {OCFS2_SUPER_MAGIC, "ocfs2"},
    {0x01161970, "gfs2"},
    {ECRYPTFS_SUPER_MAGIC, "ecryptfs"},
    {SQUASHFS_MAGIC, "squashfs"},
    {ISOFS_SUPER_MAGIC, "iso9660"},
    {EROFS_SUPER_MAGIC_V1, "erofs"},
    {PROC_SUPER_MAGIC, "proc"},
    {SYSFS_MAGIC, "sysfs"},
});

}  // namespace

FileSystemKind file_system_kind(std::uint64_t f_type) {
  // A signed 32-bit number in some places.
  const std::uint64_t magic = f_type & 0xffffffffU;
  const auto* found = std::ranges::find(kKnown, magic, &Known::magic);
  if (found != kKnown.end()) return {.name = std::string(found->name), .way = found->way};
  return {.name = fmt::format("an unknown file system (type 0x{:x})", magic)};
}

}  // namespace dormouse
