#include "report/report.h"

namespace dormouse {

void Report::set_failure(const Error& first) {
  error = first;
  exit_code = dormouse::exit_code(first.code);
  result = result_name(exit_code);
}

double Report::ratio() const {
  const auto image_bytes = image.bytes();
  if (image_bytes == 0) return 0;
  return static_cast<double>(image.stored_bytes) / static_cast<double>(image_bytes);
}

std::string_view result_name(int exit_code) {
  switch (exit_code) {
    case 0:
      return "done";
    case 2:
      return "usage";
    case 3:
      return "damaged";
    case 4:
      return "stopped";
    case 5:
      return "no-room";
    case 6:
      return "impossible";
    case 7:
      return "no-image";
    default:
      return "failed";
  }
}

}  // namespace dormouse
