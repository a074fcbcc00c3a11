#include "area/name_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dormouse::test {
namespace {

TEST(NameText, UndoesTheEscapesOfUdevAndOfTheKernel) {
  EXPECT_EQ(undo_escapes(R"(/dev/disk/by-partlabel/Linux\x20swap)"), "/dev/disk/by-partlabel/Linux swap");
  EXPECT_EQ(undo_escapes(R"(/my\040swap\011file\134)"), "/my swap\tfile\\");
  EXPECT_EQ(undo_escapes(R"(\xc3\xA4)"), "\xc3\xa4");
  EXPECT_EQ(undo_escapes("/swapfile"), "/swapfile");
  EXPECT_EQ(undo_escapes(""), "");
}

TEST(NameText, LeavesWhatOnlyLooksLikeAnEscape) {
  for (const char* text : {R"(\)", R"(\x)", R"(\x2)", R"(\x2g)", R"(\04)", R"(\048)", R"(\999)", R"(\777)",
                           R"(\x00)", R"(\000)", R"(\n)", R"(a\ b)", R"(\x-1)", R"(\+12)"}) {
    EXPECT_EQ(undo_escapes(text), text);
  }
  EXPECT_EQ(undo_escapes(R"(\\x20)"), "\\ ");
}

std::string escaped(std::string_view name, std::mt19937& random) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const auto way = random() % 3;
    if (c == '\\' || way == 1) {
      text += fmt::format("\\x{:02x}", byte);
    } else if (way == 2) {
      text += fmt::format("\\{:03o}", byte);
    } else {
      text += c;
    }
  }
  return text;
}

TEST(NameText, AnyNameComesBackFromAnyMixOfEscapes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string name;
    for (auto left = random() % 24; left > 0; --left) name += static_cast<char>(1 + random() % 255);
    EXPECT_EQ(undo_escapes(escaped(name, random)), name);
  }
}

TEST(NameText, NoTextIsReadBeyondItsEndOrGrows) {
  constexpr std::string_view kPieces = "\\x0123456789abcdefg /";
  std::mt19937 random(2);
  for (int round = 0; round < 50'000; ++round) {
    // Of exactly this size, so that an address sanitizer sees any byte more.
    std::vector<char> text(random() % 12);
    for (char& c : text) c = kPieces[random() % kPieces.size()];
    const std::string undone = undo_escapes({text.data(), text.size()});
    EXPECT_LE(undone.size(), text.size());
    EXPECT_EQ(undone.find('\0'), std::string::npos);
    const bool plain = std::ranges::find(text, '\\') == text.end();
    EXPECT_TRUE(!plain || undone.size() == text.size());
  }
}

TEST(NameText, ReadsTagsInAnyCaseAndWithQuotes) {
  const auto uuid = parse_tag("uuid=\"69810c51-5a82-4c86-a45e-bc563f9af8fa\"");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->kind, AreaTag::Kind::kUuid);
  EXPECT_EQ(uuid->value, "69810c51-5a82-4c86-a45e-bc563f9af8fa");
  EXPECT_TRUE(uuid->matches("69810C51-5A82-4C86-A45E-BC563F9AF8FA"));
  EXPECT_FALSE(uuid->matches(""));
  const auto label = parse_tag("Label='my swap'");
  ASSERT_TRUE(label);
  EXPECT_EQ(label->value, "my swap");
  EXPECT_EQ(parse_tag("PARTLABEL=Linux\\x20swap").value_or(AreaTag{}).kind, AreaTag::Kind::kPartLabel);
  EXPECT_EQ(parse_tag("PartUUID=1-2").value_or(AreaTag{}).kind, AreaTag::Kind::kPartUuid);
  EXPECT_FALSE(parse_tag("/dev/sda2"));
  EXPECT_FALSE(parse_tag("ID=3"));
  EXPECT_FALSE(parse_tag("8:3"));
}

TEST(NameText, LabelsAreComparedLetterByLetter) {
  const AreaTag label{.kind = AreaTag::Kind::kLabel, .value = "my\\x20swap"};
  EXPECT_TRUE(label.matches("my swap"));
  EXPECT_TRUE(label.matches("my\\x20swap")) << "a label may look like that";
  EXPECT_FALSE(label.matches("My swap"));
  EXPECT_FALSE((AreaTag{.kind = AreaTag::Kind::kLabel, .value = ""}).matches(""));
}

TEST(NameText, PathsAreThoseOfTheHost) {
  const SystemPaths paths{.proc = "/p", .sys = "/s", .dev = "/elsewhere/dev", .root = "/r"};
  EXPECT_EQ(host_path("/dev/sda2", paths), "/elsewhere/dev/sda2");
  EXPECT_EQ(host_path("/swapfile", paths), "/r/swapfile");
  EXPECT_EQ(host_path("swap", paths), "swap");
  EXPECT_EQ(host_path("/swapfile", SystemPaths{}), "/swapfile");
}

}  // namespace
}  // namespace dormouse::test
