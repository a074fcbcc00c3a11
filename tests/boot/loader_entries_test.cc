#include "boot/loader_entries.h"

#include <gmock/gmock.h>

namespace dormouse {
namespace {

using ::testing::ElementsAre;

std::vector<LoaderFile> files() {
  return {
      {.name = "old.conf", .text = "title Old\nlinux /old/linux\ninitrd /old/initrd\noptions root=/dev/a\n"},
      {.name = "debian-6.9.conf",
       .text = "title\tDebian\nsort-key debian\nversion 6.9.1\nlinux /d/6.9/linux\ninitrd /ucode\ninitrd "
               "/d/6.9/initrd\n"
               "options root=/dev/a\noptions   quiet\n"},
      {.name = "debian-6.12.conf",
       .text = "# newest\r\ntitle Debian\r\nsort-key debian\r\nversion 6.12.3\r\nlinux /d/6.12/linux\r\n"},
      {.name = "firmware.conf", .text = "title Tool\nefi /tool.efi\n"}};
}

std::vector<std::string> kernels(const BootMenu& menu) {
  std::vector<std::string> names;
  for (const BootEntry& entry : menu.entries) names.push_back(entry.kernel);
  return names;
}

TEST(LoaderEntries, SortedByKeyAndNewestFirst) {
  const BootMenu menu = parse_loader_entries(files(), "", "", "/boot/loader/entries");
  EXPECT_THAT(kernels(menu), ElementsAre("/d/6.12/linux", "/d/6.9/linux", "/old/linux"));
  EXPECT_EQ(menu.chosen, 0U);
}

TEST(LoaderEntries, AnEntryHasAllLinesOfAKey) {
  const BootMenu menu = parse_loader_entries(files(), "default debian-6.9*\n", "", "/boot/loader/entries");
  ASSERT_EQ(menu.chosen, 1U);
  const BootEntry& entry = menu.entries[1];
  EXPECT_EQ(entry.title, "Debian");
  EXPECT_EQ(entry.place, "/boot/loader/entries/debian-6.9.conf");
  EXPECT_EQ(entry.line, "root=/dev/a quiet");
  EXPECT_THAT(entry.initramfs, ElementsAre("/ucode", "/d/6.9/initrd"));
}

TEST(LoaderEntries, TheFirmwaresChoiceComesFirst) {
  EXPECT_EQ(parse_loader_entries(files(), "default debian-6.9*\n", "old.conf", "d").chosen, 2U);
  EXPECT_EQ(parse_loader_entries(files(), "default old\n", "gone.conf", "d").chosen, 2U);
  EXPECT_EQ(parse_loader_entries(files(), "timeout 3\ndefault @saved\n", "", "d").chosen, 0U);
}

TEST(LoaderEntries, NoneIsNoChoice) {
  EXPECT_EQ(parse_loader_entries({}, "default x\n", "", "d").chosen, std::nullopt);
}

}  // namespace
}  // namespace dormouse
