/// config_cases.tsv: what people wrote for uswsusp, and what they meant by it. Each row has one check here.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>

#include "config/config_helpers.h"

namespace dormouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Runs a row's input and judges what it became.
using Check = std::function<void(std::string_view input)>;

struct Row {
  std::string input;
  std::string meaning;
};

std::vector<Row> read_rows() {
  std::ifstream file(CONFIG_CASES);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "input\tmeaning");
  while (std::getline(file, line)) {
    const auto tab = line.find('\t');
    rows.push_back({line.substr(0, tab), tab == std::string::npos ? "" : line.substr(tab + 1)});
  }
  return rows;
}

S2diskOptions good(std::string_view text) {
  const test::ConfigFile file(text);
  const auto options = test::s2disk({}, file.path());
  EXPECT_TRUE(options) << test::message(options);
  return options.value_or(S2diskOptions{});
}

template <class T>
Check means(T Settings::* member, T value) {
  return [=](std::string_view input) {
    const auto options = good(input);
    EXPECT_EQ(options.settings.*member, value);
    EXPECT_THAT(options.warnings, IsEmpty());
  };
}
Check bytes(std::uint64_t value) {
  return means(&Settings::image_size, ImageSize{ImageSize::Unit::kBytes, value});
}
Check codec(bool automatic) {
  return means(&Settings::codec, CodecChoice{automatic, {CodecId::kLz4, 1}});
}
Check writeout(std::uint32_t millionths) {
  return
      [=](std::string_view input) { EXPECT_EQ(good(input).settings.early_writeout.millionths, millionths); };
}
Check device(const std::string& name) {
  return means(&Settings::resume_device, name);
}
Check warns(const std::string& text) {
  return [=](std::string_view input) {
    EXPECT_THAT(good(input).warnings, ElementsAre(AllOf(HasSubstr(":1: "), HasSubstr(text))));
  };
}
/// Of the file: names the file, the line and what to do.
Check refused(const std::string& text) {
  return [=](std::string_view input) {
    const test::ConfigFile file(input);
    const auto options = test::s2disk({}, file.path());
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, Errc::kUsage);
    EXPECT_THAT(options.error().what(), HasSubstr(file.path() + ":1: "));
    EXPECT_THAT(options.error().what(), HasSubstr(text));
  };
}
/// The name as it was given; which device it is, lib/area finds out (area_resolver_test.cc).
Check named(const std::string& name) {
  return [=](std::string_view input) {
    Settings settings;
    std::vector<std::string> warnings;
    ASSERT_TRUE(apply_config(input, "suspend.conf", settings, warnings));
    EXPECT_EQ(settings.resume_device, name);
    EXPECT_THAT(warnings, IsEmpty());
  };
}
/// The table says in words what the line of a file cannot show.
Check instead_of(const Check& check, const std::string& text) {
  return [=](std::string_view) { check(text); };
}

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> all = {
      {"image size = 2G", bytes(2147483648)},
      {"image size = 40%", means(&Settings::image_size, ImageSize{ImageSize::Unit::kRamMillionths, 400'000})},
      {"image size = 0x20000000", bytes(536870912)},
      {"image size = -1", refused("not a size")},
      {"image size = 0", bytes(0)},
      {"image size = 500000000", bytes(500000000)},
      {"compress = y", codec(true)},
      {"compress = true", codec(true)},
      {"compress = lz4", codec(false)},
      {"compress = yes please", refused("neither a codec nor yes or no")},
      {"compressor = lz4", warns("unknown key 'compressor', ignored; did you mean 'compress'?")},
      {"Compress = y", codec(true)},
      {"early writeout = y", writeout(10'000)},
      {"early writeout = off", writeout(0)},
      {"early writeout = 25%", writeout(250'000)},
      {"early write out = y",
       warns("unknown key 'early write out', ignored; did you mean 'early writeout'?")},
      {"threads = y", means(&Settings::threads, std::optional<unsigned>())},
      {"threads = 4", means(&Settings::threads, std::optional(4U))},
      {"shutdown method = halt", refused("platform, shutdown, reboot, suspend, none")},
      {"resume device = /dev/sda2 # swap", device("/dev/sda2")},
      {"resume device =", refused("the value is empty")},
      {"resume device = UUID=69810c51-5a82-4c86-a45e-bc563f9af8fa",
       named("UUID=69810c51-5a82-4c86-a45e-bc563f9af8fa")},
      {R"(resume device = /dev/disk/by-partlabel/Linux\x20swap)",
       named(R"(/dev/disk/by-partlabel/Linux\x20swap)")},
      {"resume device = /swapfile", named("/swapfile")},
      {"resume device = /dev/sda2 resume_offset=123456",
       refused(
           "one value holds two settings: write the device '/dev/sda2' here, and 'resume offset = 123456' in "
           "a line of its own")},
      {"resume offset = 36151296..",
       refused("stray characters '..': write the number alone; in what filefrag")},
      {"resume offset = 34816 (and no resume device)",
       instead_of(refused("an offset needs its device"), "resume offset = 34816")},
      {R"(\xEF\xBB\xBFimage size = 1M (byte-order mark first))",
       instead_of(bytes(1048576), "\xEF\xBB\xBFimage size = 1M")},
      // That a key file which is not there ends s2disk before anything is frozen: tests/tools/seal_test.py.
      {"encrypt = y with RSA key file = /nonexistent", instead_of(
                                                           [](std::string_view input) {
                                                             const Settings settings = good(input).settings;
                                                             EXPECT_TRUE(settings.encrypt.on);
                                                             EXPECT_THAT(settings.all_key_files(),
                                                                         ElementsAre("/nonexistent"));
                                                             EXPECT_FALSE(settings.asks_passphrase());
                                                           },
                                                           "encrypt = y\nRSA key file = /nonexistent")},
      {"-s 2G on the command line",
       [](std::string_view) {
         EXPECT_EQ(test::s2disk({"-s", "2G"})->settings.image_size.value, 2147483648U);
       }},
      {"-o abc on the command line",
       [](std::string_view) {
         EXPECT_THAT(test::message(test::s2disk({"-o", "abc", "-r", "/dev/sda2"})),
                     HasSubstr("--resume-offset abc: "));
       }},
  };
  return all;
}

TEST(ConfigTable, EveryRowMeansWhatItSays) {
  std::size_t rows = 0;
  for (const Row& row : read_rows()) {
    SCOPED_TRACE(row.input + " -> " + row.meaning);
    ++rows;
    const auto check = checks().find(row.input);
    ASSERT_NE(check, checks().end()) << "this row has no check";
    EXPECT_FALSE(row.meaning.empty());
    check->second(row.input);
  }
  EXPECT_EQ(rows, checks().size()) << "a check has no row, or a row comes twice";
}

TEST(ConfigTable, RowsMeanTheSameHoweverTheFileIsWritten) {
  for (const Row& row : read_rows()) {
    const auto check = checks().find(row.input);
    ASSERT_NE(check, checks().end());
    const auto separator = row.input.find('=');
    if (separator == std::string::npos || row.input.starts_with("\\x") ||
        row.input.find('(') != row.input.npos)
      continue;
    if (row.input.find("with") != std::string::npos) continue;
    SCOPED_TRACE(row.input);
    const std::string colon = row.input.substr(0, separator) + ":" + row.input.substr(separator + 1);
    for (const std::string& text :
         {row.input + "\r\n", row.input + "\n", "\xEF\xBB\xBF" + row.input, "\t" + row.input + "\t", colon}) {
      check->second(text);
    }
  }
}

}  // namespace
}  // namespace dormouse
