/// A snapshot image that lies in a file, read instead of the kernel's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dormouse/page_stream.h"

#include "base/system_calls.h"

namespace dormouse {

/// PageSource over a regular file or block device that holds nothing but the stream's pages.
class FilePageSource final : public PageSource {
 public:
  /// kUsage: the size is no positive multiple of `page_bytes` (the numbers are named), or the size cannot be
  /// known (pipe, terminal); kIo.
  static Result<std::unique_ptr<FilePageSource>> open(std::string path, std::uint32_t page_bytes,
                                                      SystemCalls& calls = real_system_calls());

  [[nodiscard]] std::uint32_t page_bytes() const override { return page_bytes_; }
  [[nodiscard]] std::uint64_t total_pages() const override { return size_bytes_ / page_bytes_; }
  /// A file that has become shorter is an error.
  Result<std::size_t> read(std::span<std::byte> out) override;

 private:
  FilePageSource(std::string path, std::uint32_t page_bytes, SystemCalls& calls)
      : path_(std::move(path)), page_bytes_(page_bytes), calls_(calls) {}

  std::string path_;
  std::uint32_t page_bytes_;
  SystemCalls& calls_;
  OpenFile file_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace dormouse
