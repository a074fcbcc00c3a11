/// Captures the kernel's snapshot stream of the running machine, which then goes on: freeze, create, read all
/// of it into a block device that nobody uses, free, thaw. Runs in the guest of bench/capture-snapshot.
///
///     capture_stream PREFERRED_IMAGE_BYTES BLOCK_DEVICE
///
/// Prints "pages=N" once the stream is on the device, from its first byte on.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/aligned_buffer.h"
#include "io/posix_block_device.h"
#include "kernel/linux_snapshot_device.h"
#include "kernel/memory_lock.h"

namespace dormouse {
namespace {

constexpr std::size_t kBufferBytes = SnapshotFile::kBatchPages * std::size_t{kMinPageBytes};

struct Options {
  std::uint64_t preferred_image_bytes = 0;
  std::string device;
};

std::optional<Options> parse(std::span<char*> args) {
  if (args.size() != 3) return std::nullopt;
  Options options{.preferred_image_bytes = 0, .device = args[2]};
  const std::string_view number = args[1];
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), options.preferred_image_bytes);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return options;
}

/// Moves the whole stream; the kernel gives it only once.
Result<void> copy_stream(PageSource& source, BlockDevice& target, std::span<std::byte> buffer) {
  std::uint64_t at = 0;
  while (true) {
    const auto read = source.read(buffer);
    if (!read) return std::unexpected(read.error());
    if (*read == 0) return target.flush();
    if (auto r = target.write(DeviceOffset{at}, buffer.first(*read)); !r) return r;
    at += *read;
  }
}

/// Returns the pages of the stream. On failure the snapshot device's destructor frees and thaws.
Result<std::uint64_t> capture(const Options& options) {
  // Direct I/O: the page cache would need memory of which the snapshot has taken half.
  auto target = PosixBlockDevice::open(options.device, {.io = IoMode::kDirect, .exclusive = true});
  if (!target) return std::unexpected(target.error());
  auto buffer = AlignedBuffer::allocate(kBufferBytes);
  if (!buffer) return std::unexpected(buffer.error());
  const auto lock = MemoryLock::take();
  if (!lock) return std::unexpected(lock.error());
  auto opened = LinuxSnapshotDevice::open();
  if (!opened) return std::unexpected(opened.error());
  SnapshotDevice& snapshot = **opened;

  if (auto r = snapshot.set_preferred_image_bytes(options.preferred_image_bytes); !r)
    return std::unexpected(r.error());
  if (auto r = snapshot.freeze(); !r) return std::unexpected(r.error());
  const auto state = snapshot.create_image();
  if (!state) return std::unexpected(state.error());
  if (*state != SnapshotState::kCreated) {
    return fail(Errc::kIo, "SNAPSHOT_CREATE_IMAGE").because("the kernel gave up at the last moment");
  }
  const auto bytes = snapshot.image_bytes();
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes > (*target)->size_bytes()) {
    return fail(Errc::kNoSpace, "capture stream")
        .on(options.device)
        .because("the stream has {} bytes, the device {}", *bytes, (*target)->size_bytes());
  }
  const std::uint64_t pages = snapshot.total_pages();
  if (auto r = copy_stream(snapshot, **target, buffer->span()); !r) return std::unexpected(r.error());
  if (auto r = snapshot.free_image(); !r) return std::unexpected(r.error());
  if (auto r = snapshot.unfreeze(); !r) return std::unexpected(r.error());
  return pages;
}

}  // namespace
}  // namespace dormouse

int main(int argc, char** argv) {
  using namespace dormouse;
  const auto options = parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    fmt::print(stderr, "usage: capture_stream PREFERRED_IMAGE_BYTES BLOCK_DEVICE\n");
    return 2;
  }
  const auto pages = capture(*options);
  if (!pages) {
    fmt::print(stderr, "capture_stream: {}\n", pages.error().what());
    return exit_code(pages.error().code);
  }
  fmt::print("pages={}\n", *pages);
  return 0;
}
