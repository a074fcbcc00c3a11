/// What the configuration and the options can be told to say: config_messages.txt holds all of it, for
/// review.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "config/config_helpers.h"
#include "config/key_table.h"
#include "config/value_parsers.h"
#include "support/message_list.h"

namespace dormouse::test {
namespace {

using Args = std::vector<std::string>;

/// The situation's name: the input as it would be typed, on one line.
std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += " | ";
    } else if (is_control(c) || c == '\t' || static_cast<unsigned char>(c) > 0x7e) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  return line;
}

class ConfigMessages : public ::testing::Test {
 protected:
  template <class Options>
  void add(const std::string& situation, const Result<Options>& options, const std::string& path) {
    const auto evened = [&](std::string text) {
      for (auto at = text.find(path); !path.empty() && at != std::string::npos; at = text.find(path)) {
        text.replace(at, path.size(), "/etc/suspend.conf");
      }
      return text;
    };
    if (!options) return list_.add(situation, "(error) " + evened(options.error().what()));
    EXPECT_FALSE(options->warnings.empty()) << situation << " gives no message";
    for (const auto& warning : options->warnings) list_.add(situation, "(warning) " + evened(warning));
  }

  void file(std::string_view text, const Args& args = {}) {
    const ConfigFile config(text);
    std::string name = shown(text);
    if (!args.empty()) name += fmt::format(", and {}", fmt::join(args, " "));
    add(name, s2disk(args, config.path()), config.path());
  }
  void s2disk_line(const Args& args) {
    add(shown(fmt::format("s2disk {}", fmt::join(args, " "))), s2disk(args), "");
  }
  void resume_line(const Args& args) {
    add(shown(fmt::format("resume {}", fmt::join(args, " "))), resume(args), "");
  }

  MessageList list_{CONFIG_DIRECTORY "/config_messages.txt"};
};

TEST_F(ConfigMessages, AreReviewedAsText) {
  // Every key with a value that it cannot have.
  for (const KeyInfo& info : key_table()) {
    const std::string name(info.name);
    file(name + " =");
    const bool takes_any = info.key == Key::kSnapshotDevice || info.key == Key::kResumeDevice ||
                           info.key == Key::kReportFile || info.key == Key::kKeyFile ||
                           info.key == Key::kRsaKeyFile || info.key == Key::kFbsplashTheme ||
                           info.key == Key::kDebugTestFile;
    if (!takes_any) file(name + " = frobnicate");
  }
  for (const std::string_view text : {"image size = -1",
                                      "image size = 2GB",
                                      "image size = 101%",
                                      "image size = 99999999T",
                                      "compress = lzo",
                                      "compress = lz4:99",
                                      "compress = yes please",
                                      "early writeout = 0%",
                                      "threads = 65",
                                      "encrypt = aes",
                                      "resume device = /dev/sda2 resume_offset=123456",
                                      "resume device = resume=/dev/sda2",
                                      "resume offset = 36151296..",
                                      "resume offset = 123 pages",
                                      "resume offset = 34816",
                                      "resume attempts = 0",
                                      "resume countdown = 601",
                                      "passphrase countdown = 0",
                                      "compress",
                                      "= y",
                                      "resume device = \"/dev/sda2",
                                      "resume device = \"/dev/sda2\" swap",
                                      "compress = y\x01",
                                      "xyzzy = 1",
                                      "compressor = lz4",
                                      "early write out = y",
                                      "compress = y\ncompress = n",
                                      "splash = y",
                                      "fbsplash theme = x",
                                      "compute checksum = n",
                                      "resume pause = 5",
                                      "debug test file = /x",
                                      "debug verify image = y",
                                      "resume device = /dev/a\nresume offset = 5\nresume device = /dev/b",
                                      "encrypt = y\npassphrase = n",
                                      "key file = /k",
                                      "RSA key file = /k",
                                      "passphrase = y",
                                      "encrypt = n\npassphrase = frobnicate"}) {
    file(text);
  }
  std::string nine = "encrypt = y\npassphrase = y";
  for (int i = 1; i < 9; ++i) nine += fmt::format("\nkey file = /k{}", i);
  file(nine);
  file("resume device = /dev/a\nresume offset = 5", {"-r", "/dev/b"});
  file("resume device = /dev/a", {"-o", "5"});
  file("encrypt = n", {"--key-file", "/k"});
  s2disk_line({"-f", "/nonexistent/suspend.conf"});
  s2disk_line({"-f", "/proc"});
  for (const Args& args : std::vector<Args>{{"-s", "1G", "-s", "2G"},
                                            {"-s", "1G", "-P", "image size=2G"},
                                            {"-r", "/a", "-o", "5", "-r", "/b"},
                                            {"--from", "/a", "--from", "/b"},
                                            {"-o", "abc"},
                                            {"-o", "5"},
                                            {"-e", "0"},
                                            {"--image-size="},
                                            {"--image-size"},
                                            {"-s", "--verify"},
                                            {"--verify=no"},
                                            {"--image-sise", "1G"},
                                            {"--frobnicate"},
                                            {"--status"},
                                            {"-x"},
                                            {"-P", "compressor=lz4"},
                                            {"-P", "xyzzy=1"},
                                            {"-P", "compress"},
                                            {"-r", "/a\tb\n"},
                                            {"-r", "/a", "/b"},
                                            {"/a", "/b"},
                                            {"-c", "lz4"},
                                            {"--encrypt", "aes-256-gcm"}}) {
    s2disk_line(args);
  }
  resume_line({"--status", "--discard"});
  resume_line({"--image-size", "1"});
  list_.compare();
}

}  // namespace
}  // namespace dormouse::test
