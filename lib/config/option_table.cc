#include "config/option_table.h"

#include <array>

namespace dormouse {
namespace {

using Value = OptionInfo::Value;

constexpr unsigned kS2disk = static_cast<unsigned>(Tool::kS2disk);
constexpr unsigned kResume = static_cast<unsigned>(Tool::kResume);
constexpr unsigned kBoth = kS2disk | kResume;

constexpr OptionInfo key_option(Key key, std::string_view name, char letter, std::string_view placeholder,
                                unsigned tools) {
  return {OptionId::kKey, name, letter, Value::kRequired, placeholder, tools, {}, key};
}

constexpr auto kOptions = std::to_array<OptionInfo>({
    {OptionId::kConfig, "config", 'f', Value::kRequired, "FILE", kBoth,
     "configuration file; default /etc/suspend.conf"},
    key_option(Key::kResumeDevice, "resume-device", 'r', "DEV", kBoth),
    key_option(Key::kResumeOffset, "resume-offset", 'o', "PAGES", kBoth),
    key_option(Key::kImageSize, "image-size", 's', "SIZE", kS2disk),
    {OptionId::kKey, "compress", 'c', Value::kOptional, "CODEC[:LEVEL]", kS2disk, {}, Key::kCompress, "auto"},
    key_option(Key::kEarlyWriteout, "early-writeout", 'e', "PCT|off", kS2disk),
    key_option(Key::kIo, "io", 0, "MODE", kS2disk),
    key_option(Key::kThreads, "threads", 't', "N|auto", kBoth),
    key_option(Key::kFormat, "format", 0, "FORMAT", kS2disk),
    {OptionId::kKey, "verify", 0, Value::kNone, {}, kS2disk, {}, Key::kVerify, "y"},
    {OptionId::kKey, "encrypt", 0, Value::kOptional, "CIPHER", kS2disk, {}, Key::kEncrypt, "y"},
    key_option(Key::kKeyFile, "key-file", 0, "FILE", kBoth),
    key_option(Key::kShutdownMethod, "shutdown-method", 0, "METHOD", kS2disk),
    {OptionId::kFrom, "from", 0, Value::kRequired, "FILE", kS2disk,
     "take the snapshot stream from FILE instead of the kernel: nothing is frozen or powered off"},
    {OptionId::kTo, "to", 0, Value::kRequired, "FILE", kResume,
     "write the recovered stream to FILE; loads nothing"},
    {OptionId::kStatus,
     "status",
     0,
     Value::kNone,
     {},
     kResume,
     "say whether there is an image, whose, how old and how big"},
    {OptionId::kVerify,
     "verify",
     0,
     Value::kNone,
     {},
     kResume,
     "read and check all of the image; loads nothing"},
    {OptionId::kDiscard,
     "discard",
     0,
     Value::kNone,
     {},
     kResume,
     "drop the image: give the swap area its header back"},
    key_option(Key::kReport, "report", 0, "FORM", kBoth),
    key_option(Key::kReportFile, "report-file", 0, "FILE", kBoth),
    key_option(Key::kProgress, "progress", 0, "MODE", kBoth),
    {OptionId::kParameter, "parameter", 'P', Value::kRequired, "KEY=VALUE", kBoth,
     "any key of the configuration file, such as 'image size=2G'"},
    {OptionId::kStrict,
     "strict",
     0,
     Value::kNone,
     {},
     kBoth,
     "take a warning about the configuration for an error: list all of them and do nothing"},
    {OptionId::kPrintConfig,
     "print-config",
     0,
     Value::kNone,
     {},
     kBoth,
     "print every setting in the syntax of the configuration file, with where it comes from, and exit"},
    {OptionId::kHelp, "help", 'h', Value::kNone, {}, kBoth, "print this and exit"},
    {OptionId::kVersion, "version", 'V', Value::kNone, {}, kBoth, "print the version and exit"},
    {OptionId::kCheck,
     "check",
     0,
     Value::kNone,
     {},
     kS2disk,
     "say whether everything is in place, and what to do where it is not; changes nothing"},
});

}  // namespace

std::span<const OptionInfo> option_table() {
  return kOptions;
}

}  // namespace dormouse
