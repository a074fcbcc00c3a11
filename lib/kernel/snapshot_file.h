/// /dev/snapshot as a descriptor: opening it, calling it, moving pages in batches, and saying what went
/// wrong. Both directions are built on it.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dormouse/error.h"

#include "base/system_calls.h"
#include "kernel/system_paths.h"

namespace dormouse {

/// Threads: one call at a time, except that ioctls and one read may overlap. After open() nothing allocates.
class SnapshotFile {
 public:
  /// How many pages one system call moves at most: the kernel takes IOV_MAX pieces.
  static constexpr std::size_t kBatchPages = 1024;

  /// What EBUSY means for a request.
  enum class Busy : std::uint8_t {
    kTryAgain,  ///< only that another power transition held a lock for a moment, so try again for a while
    kRefusal,   ///< it may also be a task, a driver or a wake-up event that said no; report it
  };

  /// `flags`: O_RDONLY to save, O_WRONLY to restore. Opening has effects on the whole system; never open to
  /// probe.
  static Result<SnapshotFile> open(std::string path, int flags, std::uint32_t page_bytes, SystemPaths paths,
                                   SystemCalls& calls);

  Result<void> ioctl(unsigned long request, std::uintptr_t argument, Busy busy);
  Result<void> ioctl(unsigned long request, void* argument, Busy busy) {
    return ioctl(request, reinterpret_cast<std::uintptr_t>(argument), busy);
  }

  /// SNAPSHOT_FREEZE; an error names the tasks that refused, where the kernel log does.
  Result<void> freeze();

  /// Bytes moved by one readv(2), whole pages; 0 at the end of the stream.
  Result<std::size_t> read_batch(std::span<std::byte> out);
  /// Bytes moved by one writev(2), whole pages; 0 once the image is complete.
  Result<std::size_t> write_batch(std::span<const std::byte> pages);

  /// An error about this device, `operation` a literal.
  [[nodiscard]] Failure failure(Errc code, std::string_view operation) const {
    return fail(code, operation).on(path_);
  }
  [[nodiscard]] std::uint32_t page_bytes() const { return page_bytes_; }
  [[nodiscard]] const SystemPaths& paths() const { return paths_; }
  void close() { file_.close(); }

 private:
  SnapshotFile(std::string path, std::uint32_t page_bytes, SystemPaths paths, SystemCalls& calls)
      : path_(std::move(path)), page_bytes_(page_bytes), paths_(std::move(paths)), calls_(&calls) {}
  [[nodiscard]] Error open_error(int errnum) const;
  [[nodiscard]] Error ioctl_error(unsigned long request, int errnum) const;
  int fill_pieces(std::byte* data, std::size_t bytes);

  std::string path_;
  std::uint32_t page_bytes_;
  SystemPaths paths_;
  SystemCalls* calls_;
  OpenFile file_;
  std::array<iovec, kBatchPages> pieces_{};
};

/// The running kernel's page size.
[[nodiscard]] std::uint32_t system_page_bytes();

}  // namespace dormouse
