/// Input: the text of a configuration file.
#include <string>
#include <string_view>

#include "config/config_file.h"
#include "config/settings_check.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dormouse;
  using namespace dormouse::test;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Settings settings;
  std::vector<std::string> warnings;
  const auto applied = apply_config(text, "suspend.conf", settings, warnings);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  require(warnings.size() <= 2 * lines, "a line gives two warnings at most");
  if (!applied) {
    require(applied.error().code == Errc::kUsage, "what cannot be read is kUsage");
    require(applied.error().object.view().starts_with("suspend.conf:"), "an error names the line");
    require(!applied.error().detail.empty(), "an error says why");
    return 0;
  }
  for (const Purpose purpose : {Purpose::kWriteImage, Purpose::kReadImage, Purpose::kManage}) {
    Settings copy = settings;
    const auto checked = check_settings(purpose, copy, warnings);
    require(checked || !checked.error().detail.empty(), "a refusal says why");
  }
  // Read again, it says the same.
  Settings again;
  std::vector<std::string> second;
  require(apply_config(text, "suspend.conf", again, second).has_value(),
          "reading depends on nothing but the text");
  return 0;
}
