/// Reads cpio archives of the kind that the kernel takes for an initramfs ("newc": kernel document
/// driver-api/early-userspace/buffer-format).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dormouse/error.h"

#include "boot/byte_stream.h"

namespace dormouse {

struct CpioEntry {
  std::string path;  ///< without leading "./" and "/"
  std::uint32_t mode = 0;
  std::uint64_t size = 0;
  [[nodiscard]] bool regular() const { return (mode & 0170000U) == 0100000U; }
  [[nodiscard]] bool executable() const { return (mode & 0111U) != 0; }
};

inline constexpr std::size_t kCpioHeaderBytes = 110;

/// Bytes that an entry takes from its header on, name, data and padding included. `header` has at least
/// kCpioHeaderBytes; nullopt where it is no header.
std::optional<std::uint64_t> cpio_entry_bytes(std::span<const std::byte> header);

/// One archive after the other in a stream, as the kernel reads them: zero bytes in between are skipped, and
/// what ends an archive does not end the stream. Memory: one entry's name, and the contents asked for.
class CpioReader {
 public:
  /// `path` is for messages, where bytes are counted in the unpacked stream.
  CpioReader(ByteStream& stream, std::string path);

  /// The next entry; nullopt at the end. kCorrupt, with the byte, for what is no entry or ends within one.
  Result<std::optional<CpioEntry>> next();
  /// The contents of the entry that next() returned last; once, and only up to `limit` bytes, else kCorrupt.
  Result<std::string> contents(std::size_t limit);
  /// Bytes of the stream read so far.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  Result<std::size_t> read(std::span<std::byte> out);
  Result<bool> read_header(std::span<std::byte> header);
  Result<void> skip(std::uint64_t bytes);
  [[nodiscard]] Failure damaged(std::string_view what) const;

  ByteStream& stream_;
  std::string path_;
  std::uint64_t position_ = 0;
  std::uint64_t left_ = 0;     // of the current entry's data
  std::uint64_t padding_ = 0;  // behind it
};

}  // namespace dormouse
