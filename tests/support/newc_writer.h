/// cpio archives of the kernel's kind, made from what the format says and not by the reader's code.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace dormouse::test {

class NewcWriter {
 public:
  /// `mode` with the type of file: 0100644.
  NewcWriter& add(std::string_view path, std::string_view content, unsigned mode = 0100644) {
    entry(path, content, mode);
    return *this;
  }
  NewcWriter& directory(std::string_view path) { return add(path, "", 040755); }
  /// With the entry that ends it, padded to 512 bytes as archivers do.
  [[nodiscard]] std::string finish() {
    entry("TRAILER!!!", "", 0);
    text_.append((512 - text_.size() % 512) % 512, '\0');
    return text_;
  }

 private:
  void entry(std::string_view path, std::string_view content, unsigned mode) {
    const std::size_t named = path.size() + 1;
    text_ +=
        fmt::format("070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}",
                    ++inode_, mode, 0, 0, 1, 0, content.size(), 0, 0, 0, 0, named, 0);
    text_ += path;
    text_ += '\0';
    pad();
    text_ += content;
    pad();
  }
  void pad() { text_.append((4 - text_.size() % 4) % 4, '\0'); }

  std::string text_;
  unsigned inode_ = 0;
};

}  // namespace dormouse::test
