#include "kernel/text_file.h"

#include <fcntl.h>

#include <cerrno>

namespace dormouse {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

}  // namespace

Result<std::string> read_text_file(const std::string& path, SystemCalls& calls) {
  const int fd = calls.open(path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return fail(Errc::kIo, "open").os(-fd).on(path);
  const OpenFile file(calls, fd);
  std::string text;
  while (text.size() < kMaxTextBytes) {
    const auto before = text.size();
    text.resize(before + 4096);
    const auto moved = calls.pread(fd, text.data() + before, 4096, static_cast<off_t>(before));
    text.resize(before + static_cast<std::size_t>(moved > 0 ? moved : 0));
    if (moved == -EINTR) continue;
    if (moved < 0) return fail(Errc::kIo, "read").os(static_cast<int>(-moved)).on(path);
    if (moved == 0) return text;
  }
  return fail(Errc::kIo, "read")
      .on(path)
      .because("more than {} bytes, which no such file has", kMaxTextBytes);
}

Result<void> write_text_file(const std::string& path, std::string_view text, SystemCalls& calls) {
  const int fd = calls.open(path.c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC, 0);
  if (fd < 0) return fail(Errc::kIo, "open").os(-fd).on(path);
  const OpenFile file(calls, fd);
  const auto moved = calls.pwrite(fd, text.data(), text.size(), 0);
  if (moved < 0) return fail(Errc::kIo, "write").os(static_cast<int>(-moved)).on(path);
  if (static_cast<std::size_t>(moved) != text.size()) {
    return fail(Errc::kIo, "write").on(path).because("only {} of {} bytes were taken", moved, text.size());
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const auto first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

}  // namespace dormouse
