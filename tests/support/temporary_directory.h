/// A directory of a test's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dormouse::test {

/// Removed with all that is in it by the destructor. Throws where it cannot be made.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }
  /// Writes a file, and the directories that lead to it.
  std::string write(std::string_view name, std::string_view content) const;
  /// A sparse file of this length.
  std::string sparse(std::string_view name, std::uintmax_t bytes) const;

 private:
  std::filesystem::path path_;
};

/// All of a file.
std::string read_whole(const std::string& path);

}  // namespace dormouse::test
