#include "config/settings_check.h"

#include <fmt/core.h>

#include "config/key_table.h"

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
                    "belongs to its device; give its own, if it has one (--resume-offset)",
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

/// Nothing is written in the clear for somebody who thinks that it is sealed.
Result<void> check_encryption(const Settings& settings) {
  const Origin& encrypt = settings.origin(Key::kEncrypt);
  const Origin& key = settings.key_file_origin();
  const Origin& passphrase = settings.origin(Key::kPassphrase);
  const std::size_t keys = settings.all_key_files().size();
  if (!settings.encrypt.on) {
    // Who names a key thinks that the image is sealed. Only 'encrypt = n' beside it, or from a later source,
    // is a plain no.
    const std::string_view no =
        encrypt.kind == Kind::kDefault ? "'encrypt' is not set" : "'encrypt = n' is set";
    if (keys > 0 && key.kind > encrypt.kind) {
      return wrong(
          key, fmt::format("a key file is named, and {}: the image would not be sealed. Say 'encrypt = y' "
                           "(--encrypt), or name no key file",
                           no));
    }
    if (settings.passphrase == true && passphrase.kind > encrypt.kind) {
      return wrong(passphrase,
                   fmt::format("a passphrase is asked for, and {}: the image would not be sealed. Say "
                               "'encrypt = y' (--encrypt), or leave 'passphrase' out",
                               no));
    }
    return {};
  }
  const bool asks = settings.asks_passphrase();
  if (keys == 0 && !asks) {
    return wrong(
        passphrase,
        "the image is to be sealed, with neither a passphrase nor a key file: nobody could open it. Say "
        "'passphrase = y', or name a 'key file'");
  }
  if (keys + (asks ? 1 : 0) > kMaxKeyWays) {
    return wrong(
        key, fmt::format(
                 "an image can have {} ways to open it at most; {} key files{} are too many: leave some out",
                 kMaxKeyWays, keys, asks ? " and a passphrase" : ""));
  }
  return {};
}

}  // namespace

Result<void> check_settings(Purpose purpose, Settings& settings, std::vector<std::string>& warnings) {
  if (purpose == Purpose::kWriteImage) {
    if (auto r = check_encryption(settings); !r) return r;
  }
  if (settings.format == ImageFormat::kKernel && purpose == Purpose::kWriteImage) {
    return wrong(
        settings.origin(Key::kFormat),
        "the kernel's own format is not built yet: use 'dormouse' (the default) and dormouse's resume");
  }
  return check_offset(settings, warnings);
}

}  // namespace dormouse
