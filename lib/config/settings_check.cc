#include "config/settings_check.h"

#include <fmt/core.h>

#include <array>

#include "config/key_table.h"
#include "config/value_parsers.h"

namespace dormouse {
namespace {

using Kind = Origin::Kind;

/// Names file and line, or the option.
Failure wrong(const Origin& origin, std::string_view text) {
  if (origin.kind == Kind::kFile) {
    return fail(Errc::kUsage, "read configuration").on(origin.place).because("{}", text);
  }
  return fail(Errc::kUsage, "read options").because("{}: {}", origin.place, text);
}

Result<void> check_offset(Settings& settings, std::vector<std::string>& warnings) {
  const Origin& device = settings.origin(Key::kResumeDevice);
  const Origin& offset = settings.origin(Key::kResumeOffset);
  if (!settings.resume_offset_pages || device.kind == offset.kind) return {};
  if (device.kind == Kind::kCommandLine) {
    warnings.push_back(
        fmt::format("{}: resume offset = {} is not used: the device was given by {}, and an offset "
                    "belongs to its device",
                    offset.place, *settings.resume_offset_pages, device.place));
    settings.resume_offset_pages.reset();
    settings.origins[static_cast<std::size_t>(Key::kResumeOffset)] = {};
    return {};
  }
  // uswsusp's own default was written out as "resume offset = 0" by some; it means nothing without a device.
  if (device.kind == Kind::kDefault && *settings.resume_offset_pages == 0) return {};
  if (device.kind == Kind::kFile) {
    return wrong(offset,
                 fmt::format("an offset needs its device from the same source: give --resume-device too "
                             "({} names '{}')",
                             device.place, settings.resume_device));
  }
  return wrong(offset, "an offset needs its device: set 'resume device' (--resume-device) as well");
}

Result<void> check_device_name(const Settings& settings) {
  static constexpr std::array<std::string_view, 4> kTags = {"uuid", "label", "partuuid", "partlabel"};
  const std::string_view device = settings.resume_device;
  const std::size_t equals = device.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string tag = lower_case(device.substr(0, equals));
  for (const std::string_view known : kTags) {
    if (tag != known) continue;
    return wrong(settings.origin(Key::kResumeDevice),
                 fmt::format("{} names are not built yet: write /dev/disk/by-{}/{} instead of {}",
                             device.substr(0, equals + 1), tag, device.substr(equals + 1), device));
  }
  return {};
}

Result<void> check_encryption(Purpose purpose, const Settings& settings, std::vector<std::string>& warnings) {
  const Origin& encrypt = settings.origin(Key::kEncrypt);
  const Origin& key_file = settings.origin(Key::kRsaKeyFile);
  // Who names a key may well think that the image is sealed; only a plain "encrypt = n" says otherwise.
  const bool key_alone = !settings.rsa_key_file.empty() && encrypt.kind == Kind::kDefault;
  if (!settings.encrypt && !key_alone) return {};
  const Origin& cause = settings.encrypt ? encrypt : key_file;
  if (purpose == Purpose::kManage) {
    warnings.push_back(
        fmt::format("{}: sealed images are not built yet; this has no bearing here", cause.text()));
    return {};
  }
  return wrong(
      cause, fmt::format("{} asks for a sealed image, which is not built yet, and nothing is {} in the clear "
                         "instead: remove it (or set 'encrypt = n') and put the swap area on dm-crypt",
                         settings.encrypt ? "'encrypt = y'" : "'RSA key file'",
                         purpose == Purpose::kWriteImage ? "written" : "loaded"));
}

}  // namespace

Result<void> check_settings(Purpose purpose, Settings& settings, std::vector<std::string>& warnings) {
  if (auto r = check_encryption(purpose, settings, warnings); !r) return r;
  if (settings.format == ImageFormat::kKernel && purpose == Purpose::kWriteImage) {
    return wrong(
        settings.origin(Key::kFormat),
        "the kernel's own format is not built yet: use 'dormouse' (the default) and dormouse's resume");
  }
  if (auto r = check_device_name(settings); !r) return r;
  return check_offset(settings, warnings);
}

}  // namespace dormouse
