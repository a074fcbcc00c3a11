#include "config/config_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "config/config_helpers.h"

namespace dormouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Applied {
  Settings settings;
  std::vector<std::string> warnings;
  Result<void> result;
  explicit Applied(std::string_view text) : result(apply_config(text, "suspend.conf", settings, warnings)) {}
};

TEST(ConfigFile, LaterWinsAndSaysSo) {
  const Applied a("image size = 1G\ncompress = y\nImage Size = 2G\n");
  ASSERT_TRUE(a.result);
  EXPECT_EQ(a.settings.image_size.value, 2147483648U);
  EXPECT_THAT(
      a.warnings,
      ElementsAre(
          "suspend.conf:3: 'image size' again: this line counts, line 1 does not; delete one of them"));
}

TEST(ConfigFile, RemembersWhereAValueCameFrom) {
  const Applied a("# first\r\nimage size = 1G\r\n");
  EXPECT_EQ(a.settings.origin(Key::kImageSize).text(), "suspend.conf:2");
  EXPECT_EQ(a.settings.origin(Key::kCompress).text(), "default");
  EXPECT_FALSE(a.settings.given(Key::kCompress));
}

TEST(ConfigFile, CountsLinesWhateverTheirEnds) {
  const Applied a("\xEF\xBB\xBF# one\r\n\r\n# three\nimage size = x");
  ASSERT_FALSE(a.result);
  EXPECT_EQ(a.result.error().object.view(), "suspend.conf:4");
}

TEST(ConfigFile, LeavesTheValueAloneThatCannotBeRead) {
  const Applied a("image size = 1G\nimage size = 2Gx\n");
  EXPECT_FALSE(a.result);
  EXPECT_EQ(a.settings.image_size.value, 1073741824U);
}

TEST(ConfigFile, TakesUswsuspsOwnExampleUnchanged) {
  const Applied a(
      "snapshot device = /dev/snapshot\nresume device = /dev/sda2\n#image size = 350000000\n#suspend "
      "loglevel = 2\n"
      "compute checksum = y\ncompress = y\n#encrypt = y\nearly writeout = y\nsplash = n\nshutdown method = "
      "platform\n"
      "resume offset = 0\nthreads = y\nmax loglevel = 5\n");
  ASSERT_TRUE(a.result) << a.result.error().what();
  EXPECT_THAT(a.warnings, IsEmpty());
  EXPECT_TRUE(a.settings.codec.automatic);
}

TEST(ConfigFile, ShortensALongPathAndKeepsTheLine) {
  Settings settings;
  std::vector<std::string> warnings;
  const auto result =
      apply_config("image size = x", std::string(300, 'd') + "/suspend.conf", settings, warnings);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().object.view().ends_with("/suspend.conf:1"));
}

TEST(ConfigFile, AMissingDefaultIsFineAMissingNamedOneIsNot) {
  EXPECT_TRUE(test::s2disk({}, "/nonexistent/suspend.conf"));
  const auto named = test::s2disk({"-f", "/nonexistent/suspend.conf"});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, Errc::kUsage);
  EXPECT_EQ(named.error().errnum, ENOENT);
  EXPECT_THAT(named.error().what(), HasSubstr("/nonexistent/suspend.conf"));
}

TEST(ConfigFile, OneThatCannotBeReadIsAlwaysAnError) {
  const std::string directory = ::testing::TempDir();
  const auto result = test::s2disk({}, directory);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kIo);
  EXPECT_EQ(result.error().errnum, EISDIR);
}

TEST(ConfigFile, RefusesWhatIsFarTooLong) {
  const test::ConfigFile file(std::string(kMaxConfigBytes + 1, '#'));
  EXPECT_THAT(test::message(test::s2disk({}, file.path())), HasSubstr("longer than 1048576 bytes"));
  const test::ConfigFile fits(std::string(kMaxConfigBytes, '#'));
  EXPECT_TRUE(test::s2disk({}, fits.path()));
}

TEST(ConfigFile, DoublesAQuoteWithinQuotes) {
  const auto value = [](std::string_view line) {
    const auto split = split_config_line(line);
    return split && *split ? (*split)->value : split ? "(none)" : split.error();
  };
  EXPECT_EQ(value(R"(a = "say ""x"" #1" # why)"), R"(say "x" #1)");
  EXPECT_EQ(value("a = 'it''s'"), "it's");
  EXPECT_EQ(value(R"(a = """")"), "\"");
  EXPECT_EQ(value(R"(a = "it's")"), "it's");
  EXPECT_THAT(value(R"(a = "open"")"), HasSubstr("is not closed"));
  EXPECT_THAT(value(R"(a = ")"), HasSubstr("is not closed"));
}

TEST(ConfigFile, AnOffsetBelongsToTheDeviceNamedBesideIt) {
  const auto offset = [](std::string_view text) { return Applied(text).settings.resume_offset_pages; };
  EXPECT_EQ(offset("resume device = /a\nresume offset = 5\n"), 5U);
  EXPECT_EQ(offset("resume offset = 5\nresume device = /a\n"), 5U);
  EXPECT_EQ(offset("resume device = /a\nresume device = /b\nresume offset = 5\n"), 5U);
  EXPECT_EQ(offset("resume device = /a\nresume offset = 5\nresume device = /a\n"), 5U);
  EXPECT_EQ(offset("resume device = /a\nresume offset = 5\nresume device = /b\nresume offset = 6\n"), 6U);
  EXPECT_EQ(offset("resume offset = 5\nresume device = /a\nresume device = /b\n"), std::nullopt);
  const Applied a("resume device = /a\nresume offset = 5\nresume device = /b\n");
  ASSERT_TRUE(a.result);
  EXPECT_EQ(a.settings.resume_device, "/b");
  EXPECT_EQ(a.settings.resume_offset_pages, std::nullopt);
  EXPECT_FALSE(a.settings.given(Key::kResumeOffset));
  EXPECT_THAT(
      a.warnings,
      ElementsAre(
          "suspend.conf:3: 'resume device' again: this line counts, line 1 does not; delete one of them; "
          "the resume offset 5 of suspend.conf:2 is not used: it belongs to '/a', which "
          "was named before; give this device's own after it"));
}

TEST(ConfigFile, SurvivesAnyText) {
  // Every two-character text over the characters that mean something, before and after a sound line.
  const std::string_view special = "=:#\"' \t\r\n\\x%0";
  for (const char a : special) {
    for (const char b : special) {
      for (const char c : special) {
        const std::string text = std::string{a, b, c};
        (void)Applied(text);
        (void)Applied("image size = " + text);
        (void)Applied(text + "\nimage size = 1G");
      }
    }
  }
}

}  // namespace
}  // namespace dormouse
