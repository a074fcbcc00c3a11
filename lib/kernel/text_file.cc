#include "kernel/text_file.h"

#include <fcntl.h>

#include <cerrno>

#include "base/errno_meaning.h"

namespace dormouse {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

/// These are the kernel's files, no disk's: what is told of a failing disk elsewhere makes no sense here.
Failure refused(std::string_view operation, int errnum, const std::string& path) {
  auto failure = fail(code_of(errnum), operation).os(errnum).on(path);
  switch (errnum) {
    case ENOENT:
      return std::move(failure).because(
          "the kernel has no such file: mount its file system (/proc, /sys), or boot a kernel built with "
          "hibernation");
    case EIO:
    case EINVAL:
    case EBUSY:
      return std::move(failure).because("the kernel refused it; its log (dmesg) may say why");
    default:
      return failure;
  }
}

int open_patiently(const std::string& path, int flags, SystemCalls& calls) {
  int fd = 0;
  do {
    fd = calls.open(path.c_str(), flags | O_CLOEXEC, 0);
  } while (fd == -EINTR);
  return fd;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, SystemCalls& calls) {
  const int fd = open_patiently(path, O_RDONLY, calls);
  if (fd < 0) return refused("open", -fd, path);
  const OpenFile file(calls, fd);
  std::string text;
  while (text.size() < kMaxTextBytes) {
    const auto before = text.size();
    text.resize(before + 4096);
    const auto moved = calls.pread(fd, text.data() + before, 4096, static_cast<off_t>(before));
    text.resize(before + static_cast<std::size_t>(moved > 0 ? moved : 0));
    if (moved == -EINTR) continue;
    if (moved < 0) return refused("read", static_cast<int>(-moved), path);
    if (moved == 0) return text;
  }
  return fail(Errc::kIo, "read")
      .on(path)
      .because("more than {} bytes, which no such file has", kMaxTextBytes);
}

Result<void> write_text_file(const std::string& path, std::string_view text, SystemCalls& calls) {
  const int fd = open_patiently(path, O_WRONLY | O_TRUNC, calls);
  if (fd < 0) return refused("open", -fd, path);
  const OpenFile file(calls, fd);
  // In one call: to the kernel's files, a piece of a number is a number.
  ssize_t moved = 0;
  do {
    moved = calls.pwrite(fd, text.data(), text.size(), 0);
  } while (moved == -EINTR);
  if (moved < 0) return refused("write", static_cast<int>(-moved), path);
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
