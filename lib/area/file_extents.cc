#include "area/file_extents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace dormouse {
namespace {

constexpr std::uint32_t kExtentsPerCall = 128;

/// What the kernel fills in: a header, and so many extents behind it.
class Answer {
 public:
  void put(const fiemap& header) { std::memcpy(bytes_.data(), &header, sizeof header); }
  [[nodiscard]] fiemap header() const { return get<fiemap>(0); }
  /// Requires: index < kExtentsPerCall.
  [[nodiscard]] fiemap_extent extent(std::size_t index) const {
    return get<fiemap_extent>(sizeof(fiemap) + index * sizeof(fiemap_extent));
  }

 private:
  template <class T>
  [[nodiscard]] T get(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  alignas(
      std::uint64_t) std::array<std::byte, sizeof(fiemap) + kExtentsPerCall * sizeof(fiemap_extent)> bytes_{};
};

Result<void> ask(const ProbedFile& file, std::uint64_t from, Answer& answer) {
  fiemap header{};
  header.fm_start = from;
  header.fm_length = FIEMAP_MAX_OFFSET - from;
  header.fm_flags = FIEMAP_FLAG_SYNC;
  header.fm_extent_count = kExtentsPerCall;
  answer.put(header);
  auto done = file.ask("FS_IOC_FIEMAP", FS_IOC_FIEMAP, answer);
  if (done) return done;
  Error error = done.error();
  if (error.errnum == EOPNOTSUPP || error.errnum == ENOTTY) {
    error.code = Errc::kImpossible;
    error.detail.format(
        "this file system does not tell where its files lie: make the swap file on ext4, XFS, f2fs or btrfs");
  }
  return std::unexpected(error);
}

}  // namespace

Result<FileLayout> read_file_layout(const ProbedFile& file) {
  FileLayoutCheck check(file.path, file.size_bytes, file.page_bytes);
  Answer answer;
  // Each round goes on behind the last extent, or ends: add() takes nothing that does not lead on.
  for (bool last = false; !last && !check.complete();) {
    if (auto r = ask(file, check.next(), answer); !r) return std::unexpected(r.error());
    const std::uint32_t count = std::min(answer.header().fm_mapped_extents, kExtentsPerCall);
    for (std::uint32_t i = 0; i < count && !last && !check.complete(); ++i) {
      const fiemap_extent extent = answer.extent(i);
      const FileExtent piece{.file_at = extent.fe_logical,
                             .device_at = extent.fe_physical,
                             .bytes = extent.fe_length,
                             .flags = extent.fe_flags};
      if (auto r = check.add(piece); !r) return std::unexpected(r.error());
      last = (extent.fe_flags & FIEMAP_EXTENT_LAST) != 0;
    }
    if (count == 0) last = true;
  }
  return check.finish();
}

}  // namespace dormouse
