/// What the tests of the configuration share.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "config/command_line.h"

namespace dormouse::test {

/// A configuration file that goes away with the test.
class ConfigFile {
 public:
  explicit ConfigFile(std::string_view text) {
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ConfigFile() { ::unlink(path_.c_str()); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "dormouse_config_XXXXXX";
};

inline constexpr std::string_view kNoFile = "/nonexistent/suspend.conf";

inline Result<S2diskOptions> s2disk(std::vector<std::string> args, std::string_view config = kNoFile) {
  args.insert(args.begin(), "s2disk");
  return parse_s2disk(args, config);
}

inline Result<ResumeOptions> resume(std::vector<std::string> args, std::string_view config = kNoFile) {
  args.insert(args.begin(), "resume");
  return parse_resume(args, config);
}

/// The message, or an empty string where there was no error.
template <class T>
std::string message(const Result<T>& result) {
  return result ? std::string() : result.error().what();
}

}  // namespace dormouse::test
