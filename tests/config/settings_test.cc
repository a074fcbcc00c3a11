#include "config/settings.h"

#include <gmock/gmock.h>

#include <set>

#include "config/config_helpers.h"
#include "config/key_table.h"

namespace dormouse {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PrintSettings, NamesValueAndOrigin) {
  const test::ConfigFile file("\nresume device = \"/dev/disk/by-label/a #b\"\nimage size = 2G\n");
  const auto options = test::s2disk({"--early-writeout", "0.5", "-P", "threads=3"}, file.path());
  ASSERT_TRUE(options) << options.error().what();
  const std::string text = print_settings(options->settings);
  EXPECT_THAT(text, HasSubstr("image size = 2147483648  # " + file.path() + ":3\n"));
  EXPECT_THAT(text, HasSubstr("resume device = \"/dev/disk/by-label/a #b\"  # " + file.path() + ":2\n"));
  EXPECT_THAT(text, HasSubstr("early writeout = 0.5%  # --early-writeout\n"));
  EXPECT_THAT(text, HasSubstr("threads = 3  # -P\n"));
  EXPECT_THAT(text, HasSubstr("compress = auto  # default\n"));
  EXPECT_THAT(text, Not(HasSubstr("resume offset")));
}

// What is printed is a configuration file that means the same.
TEST(PrintSettings, ReadsBackAsItself) {
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"-s", "33.3%", "--compress=zstd:-3", "-e", "off", "--io", "buffered", "-t", "7", "--verify"},
      {"-s", "0", "--compress=none", "-r", "/dev/it's", "-o", "34816", "--shutdown-method", "reboot"},
      {"--report", "json", "--report-file", " a ", "--progress", "none", "-P", "max loglevel=3"},
      {"-P", "resume attempts=7", "-P", "resume countdown=0"},
      {"--encrypt", "--key-file", "/a b", "--key-file=/c", "-P", "passphrase=y", "-P",
       "passphrase countdown=7"},
      {"--encrypt=aes-256-ocb", "-P", "RSA key file=/k"},
  };
  for (const auto& args : lines) {
    const auto first = test::s2disk(args);
    ASSERT_TRUE(first) << first.error().what();
    const std::string text = print_settings(first->settings);
    const test::ConfigFile file(text);
    const auto second = test::s2disk({}, file.path());
    ASSERT_TRUE(second) << second.error().what();
    EXPECT_THAT(second->warnings, IsEmpty());
    const auto values = [](const Settings& settings) {
      std::string all;
      for (const KeyInfo& info : key_table()) all += info.print(settings).value_or("-") + "\n";
      return all;
    };
    EXPECT_EQ(values(first->settings), values(second->settings));
    EXPECT_EQ(first->settings.all_key_files(), second->settings.all_key_files());
  }
}

TEST(KeyFiles, OfOneSourceAddUpAndThoseOfALaterOneTakeTheirPlace) {
  const auto files = [](const std::string& config, const std::vector<std::string>& args) {
    const test::ConfigFile file(config);
    const auto options = test::s2disk(args, file.path());
    EXPECT_TRUE(options) << test::message(options);
    return options ? options->settings.all_key_files() : std::vector<std::string>{};
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(files("encrypt = y\nkey file = /a\nkey file = /b\n", {}), ElementsAre("/a", "/b"));
  EXPECT_THAT(files("encrypt = y\nkey file = /a\n", {"--key-file", "/c", "-P", "key file=/d"}),
              ElementsAre("/c", "/d"));
  EXPECT_THAT(files("encrypt = y\nRSA key file = /a\n", {"--key-file", "/c"}), ElementsAre("/c"));
  EXPECT_THAT(files("encrypt = y\nkey file = /a\n", {"-P", "RSA key file=/r"}), ElementsAre("/r"));
}

TEST(KeyTable, NamesEveryKeyOnce) {
  std::set<std::string_view> names;
  for (const KeyInfo& info : key_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_key(info.name), &info);
  }
  EXPECT_EQ(names.size(), kKeys);
}

TEST(FindKey, IgnoresCaseAndTheKindOfGap) {
  for (const char* name : {"image size", "Image Size", "IMAGE_SIZE", "image-size", "image \t size"}) {
    ASSERT_NE(find_key(name), nullptr) << name;
    EXPECT_EQ(find_key(name)->key, Key::kImageSize);
  }
  EXPECT_EQ(find_key("imagesize"), nullptr);
  EXPECT_EQ(find_key(""), nullptr);
}

TEST(NearestKey, ForgivesSlipsButNotEverything) {
  EXPECT_EQ(nearest_key("imagesize"), "image size");
  EXPECT_EQ(nearest_key("resume devcie"), "resume device");
  EXPECT_EQ(nearest_key("rsa key fiel"), "RSA key file");
  EXPECT_EQ(nearest_key("frobnicate"), std::nullopt);
}

}  // namespace
}  // namespace dormouse
