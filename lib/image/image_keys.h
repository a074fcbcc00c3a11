/// The reader's cipher contexts, one for each thread that opens chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/sealing.h"

#include "format/image_header.h"
#include "seal/aead.h"

namespace dormouse {

/// Only prepare() allocates. One thread; the workers may look once whoever gave the key has told them so.
class ImageKeys {
 public:
  /// Does nothing where they are there already.
  Result<void> prepare(Cipher cipher, unsigned workers);
  /// Checks the header with the data key, and keeps the key where it is the image's; else forgets it.
  /// kCorrupt. Requires: prepared for the header's cipher.
  Result<void> take(std::span<const std::byte, kKeyBytes> data_key, const ImageHeader& header);
  /// There is a key, and the header is authentic.
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] Aead& of(unsigned worker) { return aeads_[worker]; }
  void forget();
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  std::optional<Cipher> cipher_;
  std::vector<Aead> aeads_;
  bool ready_ = false;
};

}  // namespace dormouse
