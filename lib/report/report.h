/// What a run of a tool did, as one value: filled in by the tool, rendered by render.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/figures.h"
#include "dormouse/image_options.h"

namespace dormouse {

/// One step of a run and how long it took.
struct ReportPhase {
  std::string name{};       ///< "freeze", "snapshot", "write" ...
  std::uint64_t ns = 0;     ///< from CLOCK_MONOTONIC
  std::uint64_t bytes = 0;  ///< of the image, passed in this phase; 0: none did, and no rate is printed
};

struct ReportSettings {
  std::string format = "dormouse";  ///< on-disk format
  std::string codec = "none";
  std::int32_t level = 0;
  EarlyWriteout early_writeout{};
  IoMode io = IoMode::kDirect;
  unsigned threads = 0;
  std::string cipher = "none";
};

struct ReportDevice {
  std::string path{};
  std::uint64_t offset_pages = 0;  ///< where the swap header is
};

/// Allocates freely, so it is filled before the freeze, after the thaw, or in file mode. Example:
///     Report report{.tool = "s2disk", .kernel = release, .page_bytes = 4096};
///     report.image = figures;
///     if (!done) report.set_failure(done.error());
///     std::fputs(render(report, ReportRendering::kText).c_str(), stdout);
struct Report {
  std::string tool{};           ///< "s2disk", "resume"
  std::string result = "done";  ///< see result_name()
  int exit_code = 0;
  std::optional<Error> error{};
  std::string kernel{};  ///< release, as uname(2) has it
  std::uint32_t page_bytes = 0;
  std::uint64_t ram_bytes = 0;
  ImageFigures image{};
  CodecCounts codecs{};  ///< what the chunks were packed with
  ReportSettings settings{};
  std::vector<ReportPhase> phases{};
  std::optional<TransferFigures> write{};
  std::optional<TransferFigures> read{};
  ReportDevice device{};
  std::vector<std::string> warnings{};  ///< whole sentences
  std::uint64_t memory_bytes = 0;       ///< bound of what the image needs in memory: slots and contexts

  /// Sets error, exit code and result from the first thing that went wrong.
  void set_failure(const Error& first);

  /// Stored bytes by image bytes; 0 where there is no image.
  [[nodiscard]] double ratio() const;
};

/// A word for each exit code: done, failed, usage, damaged, stopped, no-room, impossible, no-image.
[[nodiscard]] std::string_view result_name(int exit_code);

}  // namespace dormouse
