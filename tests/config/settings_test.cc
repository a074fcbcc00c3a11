#include "config/settings.h"

#include <gmock/gmock.h>

#include <set>

#include "config/config_helpers.h"
#include "config/key_table.h"

namespace dormouse {
namespace {

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
