#include "fault/call_fault.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "kernel/snapshot_ioctls.h"

namespace dormouse::test {

std::string CallFault::text() const {
  if (errnum == 0) return "no fault";
  return fmt::format("{} number {} {} {}", name, spared, ::strerrorname_np(errnum),
                     for_ever() ? "for ever" : "once");
}

std::string CallFault::situation() const {
  return fmt::format("{} {} {}", name, ::strerrorname_np(errnum), for_ever() ? "for ever" : "once");
}

std::string_view ioctl_name(unsigned long request) {
  const auto name = snapshot_ioctl_name(request);
  return name == "SNAPSHOT_?" ? "ioctl" : name;
}

std::size_t count_entries(const char* directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

CapturedStderr::CapturedStderr()
    : saved_(::dup(STDERR_FILENO)), file_(::memfd_create("stderr", MFD_CLOEXEC)) {
  ::dup2(file_, STDERR_FILENO);
}

CapturedStderr::~CapturedStderr() {
  ::dup2(saved_, STDERR_FILENO);
  ::close(saved_);
  ::close(file_);
}

std::string CapturedStderr::take() {
  std::string text;
  std::array<char, 4096> piece;
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(file_, piece.data(), piece.size(), at)) > 0; at += got)
    text.append(piece.data(), static_cast<std::size_t>(got));
  (void)::ftruncate(file_, 0);
  ::lseek(file_, 0, SEEK_SET);
  return text;
}

}  // namespace dormouse::test
