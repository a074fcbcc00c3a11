#include "area/area_start.h"

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>

#include "dormouse/units.h"

#include "base/errno_meaning.h"
#include "base/system_calls.h"

namespace dormouse {
namespace {

constexpr std::string_view kRead = "read start of swap area";

int open_patiently(const std::string& path, int flags, SystemCalls& calls) {
  int fd = 0;
  do {
    fd = calls.open(path.c_str(), flags, 0);
  } while (fd == -EINTR);
  return fd;
}

}  // namespace

Result<AreaStart> read_area_start(const std::string& path, std::uint64_t offset, const Host& host) {
  auto buffer = AlignedBuffer::allocate(kMaxPageBytes);
  if (!buffer) return std::unexpected(buffer.error());
  AreaStart start{.buffer = std::move(*buffer)};
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd = open_patiently(path, kFlags | O_DIRECT, host.calls);
  if (fd == -EINVAL) fd = open_patiently(path, kFlags, host.calls);
  if (fd < 0) return fail(code_of(-fd), kRead).on(path).os(-fd);
  const OpenFile file(host.calls, fd);
  while (start.bytes < start.buffer.size()) {
    const auto moved =
        host.calls.pread(fd, start.buffer.data() + start.bytes, start.buffer.size() - start.bytes,
                         static_cast<off_t>(offset + start.bytes));
    if (moved == -EINTR) continue;
    if (moved < 0) {
      const auto errnum = static_cast<int>(-moved);
      return fail(code_of(errnum), kRead).on(path).at(offset + start.bytes).os(errnum);
    }
    start.bytes += static_cast<std::size_t>(moved);
    // The end of the device; direct I/O would refuse to go on from within a block.
    if (moved == 0 || start.bytes % kMinPageBytes != 0) break;
  }
  return start;
}

}  // namespace dormouse
