#include "dormouse/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/errno_meaning.h"

namespace dormouse {

std::size_t format_cut(char* out, std::size_t size, fmt::string_view pattern, fmt::format_args args) {
  return std::min(fmt::vformat_to_n(out, size, pattern, args).size, size);
}

std::string Error::what() const {
  std::string text(operation);
  if (!object.empty()) text += fmt::format(" on {}", object.view());
  if (offset != kNoOffset) text += fmt::format(" at byte {}", offset);
  if (errnum != 0) {
    std::array<char, 128> buffer{};
    text += fmt::format(": {}", strerror_r(errnum, buffer.data(), buffer.size()));
  }
  const std::string_view advice = detail.empty() ? remedy_for(errnum) : detail.view();
  if (!advice.empty()) text += fmt::format(": {}", advice);
  return text;
}

int exit_code(Errc code) {
  switch (code) {
    case Errc::kIo:
    case Errc::kBusy:
      return 1;
    case Errc::kUsage:
      return 2;
    case Errc::kCorrupt:
    case Errc::kWrongKey:
      return 3;
    case Errc::kStopped:
      return 4;
    case Errc::kNoSpace:
    case Errc::kNoMemory:
      return 5;
    case Errc::kImpossible:
      return 6;
    case Errc::kNoImage:
      return 7;
  }
  return 1;
}

}  // namespace dormouse
