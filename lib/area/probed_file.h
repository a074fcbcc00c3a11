/// A swap file that is open to be asked where it lies.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "base/errno_meaning.h"
#include "base/system_calls.h"

namespace dormouse {

/// The step that all reasons against a file are given under.
inline constexpr std::string_view kLocate = "locate swap file";

struct ProbedFile {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint64_t inode = 0;
  std::uint64_t device_number = 0;  ///< st_dev
  std::uint32_t page_bytes = 0;
  SystemCalls* calls = nullptr;
  OpenFile file;

  /// One ioctl. `step`: its name, a literal; `argument` is a struct or an integer of the request's own type.
  template <class T>
  Result<void> ask(std::string_view step, unsigned long request, T& argument) const {
    int status = 0;
    do {
      status = calls->ioctl(file.fd(), request, reinterpret_cast<std::uintptr_t>(&argument));
    } while (status == -EINTR);
    if (status < 0) return fail(code_of(-status), step).os(-status).on(path);
    return {};
  }
};

/// The reason why no kernel can swap on or resume from this file.
inline Failure refuse(std::string_view path) {
  return fail(Errc::kImpossible, kLocate).on(path);
}

}  // namespace dormouse
