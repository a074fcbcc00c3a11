/// Looks at what a power cut left.
#pragma once

#include <map>
#include <optional>

#include "dormouse/image_reader.h"

#include "crash/story.h"
#include "support/cut_disk.h"

namespace dormouse::test {

/// An image is read by the library and by the oracle of the format, and both have to give the stream that was
/// saved. What was judged once is not read again.
class Judge {
 public:
  explicit Judge(const Story& story);  // must outlive this

  /// `disk` watches the header page.
  Left judge(CutDisk& disk);
  [[nodiscard]] std::uint64_t images_read() const { return verdicts_.size(); }

 private:
  Left judge_image(MemoryBlockDevice& medium, DeviceOffset image_header);

  const Story& story_;
  std::vector<std::byte> plain_page_;
  std::optional<ImageReader> reader_;  // prepared when the first image is met
  std::map<Digest, Left> verdicts_;
};

}  // namespace dormouse::test
