/// Looks for bytes in all the memory of this process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dormouse::test {

/// Something to look for that is not in memory itself: each byte is changed in the same way.
class Masked {
 public:
  explicit Masked(std::span<const std::byte> bytes);
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::byte at(std::size_t i) const { return bytes_[i] ^ kMask; }

 private:
  static constexpr std::byte kMask{0xa5};
  std::vector<std::byte> bytes_;
};

/// How often it is found in what this process can write to: heap, stacks, data, mappings of its own. Not in a
/// build with a sanitizer. Requires: at least 8 bytes, and no other thread that gives memory back meanwhile.
std::size_t count_in_memory(const Masked& wanted);

/// The VmFlags of /proc/self/smaps for the mapping that holds `place`: "rd wr mr mw me lo dd wf ".
std::string mapping_flags(const void* place);

}  // namespace dormouse::test
