#include "kernel/console_loglevel.h"

#include <utility>

#include "kernel/text_file.h"

namespace dormouse {

Result<ConsoleLoglevel> ConsoleLoglevel::set(int level, const SystemPaths& paths, SystemCalls& calls) {
  auto file = paths.proc + "/sys/kernel/printk";
  if (level < 0 || level > 15) {
    return fail(Errc::kUsage, "set console log level").because("{} is not between 0 and 15", level);
  }
  auto text = read_text_file(file, calls);
  if (!text) return std::unexpected(text.error());
  const auto fields = trimmed(*text);
  const std::string before(fields.substr(0, fields.find_first_of(" \t")));
  if (before.empty()) return fail(Errc::kIo, "read").on(file).because("it is empty");
  // The kernel takes the fields one after the other: writing one leaves the rest as they are.
  if (auto r = write_text_file(file, fmt::format("{}\n", level), calls); !r)
    return std::unexpected(r.error());
  return ConsoleLoglevel(std::move(file), calls, before);
}

ConsoleLoglevel::ConsoleLoglevel(ConsoleLoglevel&& other) noexcept

    : file_(std::move(other.file_)),
      calls_(other.calls_),
      before_(std::exchange(other.before_, std::nullopt)) {}

ConsoleLoglevel::~ConsoleLoglevel() {
  if (before_) static_cast<void>(write_text_file(file_, *before_ + "\n", *calls_));
}

}  // namespace dormouse
