#include "support/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace dormouse::test {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
  // Tests of direct I/O want a real file system; /tmp may be in memory, /var/tmp hardly ever is.
  std::string pattern = fs::exists("/var/tmp") ? "/var/tmp/dormouse-XXXXXX" : "/tmp/dormouse-XXXXXX";
  if (const char* chosen = std::getenv("TMPDIR"); chosen != nullptr)
    pattern = std::string(chosen) + "/dormouse-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(std::string_view name, std::string_view content) const {
  const auto target = path_ / name;
  fs::create_directories(target.parent_path());
  std::ofstream(target, std::ios::binary) << content;
  return target;
}

std::string TemporaryDirectory::sparse(std::string_view name, std::uintmax_t bytes) const {
  auto target = write(name, "");
  fs::resize_file(target, bytes);
  return target;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace dormouse::test
