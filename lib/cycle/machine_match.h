/// Does an image fit the machine that is to load it? What can be told from its header, before a long load.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/image_reader.h"

namespace dormouse {

struct MachineFacts {
  std::uint32_t page_bytes = 0;
  std::string architecture;
  std::string kernel_release;
  std::uint64_t ram_bytes =
      0;  ///< as the image header has it: the memory that the kernel manages; 0: unknown
};

/// kImpossible, with both values, for what the kernel is sure to refuse: other page size or architecture, and
/// on arm64 another kernel. `device` is for the message. The size of the memory is not judged here: the
/// kernel compares a page count that user space cannot see.
Result<void> check_machine(const ImageInfo& image, const MachineFacts& machine, std::string_view device);

/// Adds to `error` of a load what the kernel does not say: that the memory differs, where it refused the
/// image as not fitting and the sizes are more than 1 % apart.
void explain_refusal(Error& error, const ImageInfo& image, const MachineFacts& machine);

}  // namespace dormouse
