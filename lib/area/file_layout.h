/// From the extents of a file to the place of its first page, with everything in between that a kernel would
/// not swap on.
#pragma once

#include <cstdint>
#include <string>

#include "dormouse/error.h"

namespace dormouse {

/// A contiguous piece of a file, in bytes.
struct FileExtent {
  std::uint64_t file_at = 0;    ///< from the start of the file
  std::uint64_t device_at = 0;  ///< from the start of the device
  std::uint64_t bytes = 0;
  std::uint32_t flags = 0;  ///< FIEMAP_EXTENT_*; those that only describe are let pass
};

struct FileLayout {
  std::uint64_t start = 0;            ///< byte of the device at which the file begins; whole pages
  std::uint64_t first_run_bytes = 0;  ///< that much of the file follows there in one piece; a page at least
  std::uint64_t extents = 0;          ///< runs that lie apart on the device
};

/// Takes the extents of a file one after the other, from the file's start on; keeps none of them, so the
/// number of pieces does not matter. kImpossible, with the byte offset and the remedy, at a hole, at data
/// that lies nowhere of its own (inline, delayed, encoded, shared), and for a start that is not on a page.
class FileLayoutCheck {
 public:
  /// `path` is for messages. Requires: page_bytes > 0.
  FileLayoutCheck(std::string path, std::uint64_t file_bytes, std::uint32_t page_bytes);

  Result<void> add(const FileExtent& extent);
  /// All whole pages of the file are accounted for.
  [[nodiscard]] bool complete() const { return next_ >= wanted_; }
  /// Where the next extent has to begin.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  [[nodiscard]] Result<FileLayout> finish() const;

 private:
  [[nodiscard]] Result<void> check_flags(const FileExtent& extent) const;
  [[nodiscard]] Failure hole() const;

  std::string path_;
  std::uint64_t wanted_;  // whole pages of the file, in bytes: the kernel uses no more
  std::uint32_t page_bytes_;
  std::uint64_t next_ = 0;
  std::uint64_t device_next_ = 0;
  FileLayout layout_;
};

}  // namespace dormouse
