#include "kernel/kept_setting.h"

#include <fmt/core.h>

#include <system_error>
#include <utility>

#include "kernel/power_settings.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

std::string first_word(std::string_view text) {
  text = trimmed(text);
  return std::string(text.substr(0, text.find_first_of(" \t\n")));
}

std::string reason_of(const Error& error) {
  if (error.errnum == 0) return std::string(error.detail.view());
  return std::generic_category().message(error.errnum);
}

}  // namespace

KeptSetting::KeptSetting(KeptSetting&& other) noexcept
    : file_(std::move(other.file_)),
      before_(std::exchange(other.before_, std::nullopt)),
      calls_(other.calls_) {}

KeptSetting::~KeptSetting() {
  static_cast<void>(put_back());
}

std::optional<std::string> KeptSetting::put_back() {
  if (!before_) return std::nullopt;
  const std::string before = *std::exchange(before_, std::nullopt);
  auto written = write_text_file(file_, before + "\n", *calls_);
  if (!written) written = write_text_file(file_, before + "\n", *calls_);
  if (written) return std::nullopt;
  const auto text = read_text_file(file_, *calls_);
  const std::string now = text ? first_word(*text) : std::string();
  if (now == before) return std::nullopt;
  return fmt::format("{0} was {1} before and {2}: it could not be put back ({3}); do it with 'echo {1} >{0}'",
                     file_, before, text ? fmt::format("is {} now", now) : "cannot be read now",
                     reason_of(written.error()));
}

Result<KeptSetting> keep_image_size(const SystemPaths& paths, SystemCalls& calls) {
  const auto bytes = read_image_size(paths, calls);
  if (!bytes) return std::unexpected(bytes.error());
  return KeptSetting(paths.sys + "/power/image_size", fmt::format("{}", *bytes), calls);
}

Result<KeptSetting> set_console_loglevel(int level, const SystemPaths& paths, SystemCalls& calls) {
  auto file = paths.proc + "/sys/kernel/printk";
  if (level < 0 || level > 15) {
    return fail(Errc::kUsage, "set console log level")
        .because("{} is not between 0 and 15: change 'suspend loglevel'", level);
  }
  const auto text = read_text_file(file, calls);
  if (!text) return std::unexpected(text.error());
  auto before = first_word(*text);
  if (before.empty()) {
    return fail(Errc::kIo, "read").on(file).because("it is empty; leave 'suspend loglevel' out");
  }
  KeptSetting kept(file, std::move(before), calls);
  // The kernel takes the fields one after the other: writing one leaves the rest as they are.
  if (auto r = write_text_file(file, fmt::format("{}\n", level), calls); !r) {
    return std::unexpected(r.error());
  }
  return kept;
}

}  // namespace dormouse
