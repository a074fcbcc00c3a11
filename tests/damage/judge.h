/// Reads a damaged image and holds the reader to what must be true of every attempt.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/sealing.h"

#include "io/memory_block_device.h"

namespace dormouse::test {

/// What came of one attempt.
struct Outcome {
  std::optional<Error> error;  ///< none: the stream came through whole
  bool opened = false;         ///< the image header was accepted, and the key if there is one
  [[nodiscard]] std::string what() const { return error ? error->what() : "read without an error"; }
};

/// One reader, used again and again, so that an attempt costs only what it reads.
///
/// Checked in every attempt: nothing reaches the sink but pages of the original stream, from its start, in
/// order; the sink is told the end only of a whole stream; the device is not written to; no more is read than
/// what lies within the bounds; nothing is allocated; and an error says what was done, on which device, at
/// which byte.
class Judge {
 public:
  Judge(std::uint32_t max_chunk_bytes, std::span<const std::byte> stream);
  /// For images that may be sealed with AES-256-GCM: they are unlocked with `key`.
  Judge(std::uint32_t max_chunk_bytes, std::span<const std::byte> stream, KeyFile key);
  /// `shown_bytes`: how much of the disk there is.
  Outcome read(MemoryBlockDevice& disk, std::uint64_t shown_bytes, DeviceOffset header_at,
               const ImageBounds& bounds);
  Outcome read(MemoryBlockDevice& disk, DeviceOffset header_at, const ImageBounds& bounds) {
    return read(disk, disk.size_bytes(), header_at, bounds);
  }

 private:
  Result<void> open(BlockDevice& device, DeviceOffset header_at, const ImageBounds& bounds);

  ImageReader reader_;
  std::span<const std::byte> stream_;
  std::optional<KeyFile> key_;
  std::uint64_t allocations_ = 0;
};

/// Damage, said as FORMAT.md wants it: exit code 3 (also of a key slot, which then takes no key), and where
/// the map or a chunk is concerned the chunk and its pages.
void expect_damage(const Outcome& outcome);

/// How many damages were tried and what came of them, printed at the end of a test.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  void add(const Outcome& outcome) { ++(outcome.error ? refused_ : harmless_); }
  [[nodiscard]] std::uint64_t tried() const { return refused_ + harmless_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  std::string what_;
  std::uint64_t refused_ = 0;
  std::uint64_t harmless_ = 0;
};

}  // namespace dormouse::test
