/// Where a recovered snapshot image goes when it is not to be resumed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dormouse/page_stream.h"

#include "base/system_calls.h"

namespace dormouse {

/// PageSink into a file that appears whole or not at all: pages go to a temporary name beside it, and
/// finish() makes them durable and renames. Blocks of zeros become holes. Readable by its owner only: an
/// image holds secrets. An existing path that is no regular file (/dev/null, a fifo, a device) is written to
/// directly. Without finish() the temporary file is removed by the destructor.
class FilePageSink final : public PageSink {
 public:
  /// kUsage for a directory; kIo.
  static Result<std::unique_ptr<FilePageSink>> open(std::string path,
                                                    SystemCalls& calls = real_system_calls());

  FilePageSink(const FilePageSink&) = delete;
  FilePageSink& operator=(const FilePageSink&) = delete;
  ~FilePageSink() override;

  Result<void> write(std::span<const std::byte> pages) override;
  Result<void> finish() override;

 private:
  FilePageSink(std::string path, SystemCalls& calls) : path_(std::move(path)), calls_(calls) {}
  Result<void> open_target();
  Result<void> write_run(std::span<const std::byte> run, std::uint64_t at);
  Result<void> finish_file();
  [[nodiscard]] bool direct() const { return temporary_path_.empty(); }

  std::string path_;
  std::string temporary_path_;  // empty where path_ itself is written
  std::string directory_;
  SystemCalls& calls_;
  OpenFile file_;
  std::uint64_t position_ = 0;
  bool finished_ = false;
};

}  // namespace dormouse
