#include "boot/grub_config.h"

#include <gmock/gmock.h>

namespace dormouse {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kMenu = R"(# made by hand for this test
if [ -s $prefix/grubenv ]; then
  set have_grubenv=true
fi
if [ "${next_entry}" ] ; then
   set default="${next_entry}"
   set next_entry=
else
   set default="DEFAULT"
fi
function gfxmode {
	set gfxpayload="${1}"
}
menuentry 'Debian GNU/Linux' --class debian $menuentry_id_option 'simple-1' {
	load_video
	if [ x$grub_platform = xxen ]; then insmod gzio; fi
	linux	/boot/vmlinuz-6.1.0-40-amd64 root=UUID=11-22 ro  quiet "resume=PARTLABEL=Linux swap"
	initrd	/boot/ucode.img /boot/initrd.img-6.1.0-40-amd64
}
submenu 'Advanced options' $menuentry_id_option 'advanced-1' {
	menuentry 'Linux 6.1.0-40' --id 'adv-40' {
		linux /boot/vmlinuz-6.1.0-40-amd64 root=UUID=11-22 ro
		initrd /boot/initrd.img-6.1.0-40-amd64
	}
	menuentry 'Linux 6.1.0-39' --id 'adv-39' {
		linux /boot/vmlinuz-6.1.0-39-amd64 root=UUID=11-22 ro noresume
		initrd /boot/initrd.img-6.1.0-39-amd64
	}
}
menuentry "UEFI's own \"menu\"" --id 'uefi-firmware' {
	fwsetup
}
)";

BootMenu parse(std::string_view chosen, std::string_view environment = {}) {
  std::string text(kMenu);
  text.replace(text.find("DEFAULT"), 7, chosen);
  return parse_grub_config(text, environment, "/boot/grub/grub.cfg");
}

TEST(GrubConfig, EntriesWithKernelLineAndInitramfs) {
  const BootMenu menu = parse("0");
  ASSERT_EQ(menu.entries.size(), 4U);
  const BootEntry& first = menu.entries[0];
  EXPECT_EQ(first.title, "Debian GNU/Linux");
  EXPECT_EQ(first.place, "/boot/grub/grub.cfg:14");
  EXPECT_EQ(first.kernel, "/boot/vmlinuz-6.1.0-40-amd64");
  EXPECT_EQ(first.line, "root=UUID=11-22 ro quiet resume=PARTLABEL=Linux swap");
  EXPECT_THAT(first.initramfs, ElementsAre("/boot/ucode.img", "/boot/initrd.img-6.1.0-40-amd64"));
  EXPECT_TRUE(first.for_release("6.1.0-40-amd64"));
  EXPECT_FALSE(first.for_release("0-40-amd64x"));
  EXPECT_FALSE(first.for_release(""));
  EXPECT_EQ(menu.entries[3].title, "UEFI's own \"menu\"");
  EXPECT_TRUE(menu.entries[3].kernel.empty());
}

struct Choice {
  std::string_view chosen;
  std::string_view environment;
  std::optional<std::size_t> entry;
};

class GrubChoice : public ::testing::TestWithParam<Choice> {};

TEST_P(GrubChoice, IsFound) {
  EXPECT_EQ(parse(GetParam().chosen, GetParam().environment).chosen, GetParam().entry);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, GrubChoice,
    ::testing::Values(Choice{"0", "", 0}, Choice{"1>1", "", 2}, Choice{"advanced-1>adv-39", "", 2},
                      Choice{"Advanced options>Linux 6.1.0-40", "", 1}, Choice{"1", "", 1},
                      Choice{"2", "", 3}, Choice{"uefi-firmware", "", 3}, Choice{"gone", "", std::nullopt},
                      Choice{"7", "", std::nullopt},
                      Choice{"${saved_entry}", "# GRUB Environment Block\nsaved_entry=1>adv-39\n####", 2},
                      Choice{"${saved_entry}", "# GRUB Environment Block\n####", 0},
                      Choice{"0", "# GRUB Environment Block\nnext_entry=advanced-1>1\n####", 2},
                      Choice{"0", "next_entry=\n", 0}));

TEST(GrubConfig, TextThatIsNoMenuHasNoEntries) {
  for (const std::string_view text : {"", "}}}}\n}", "menuentry", "menuentry {", "menuentry 'x' {",
                                      "submenu 'x' {\n}\n", "linux /boot/vmlinuz\ninitrd /x\n"}) {
    const BootMenu menu = parse_grub_config(text, "", "grub.cfg");
    EXPECT_LE(menu.entries.size(), 1U) << text;
  }
  EXPECT_EQ(parse_grub_config("submenu 'x' {\n}\n", "", "p").chosen, std::nullopt);
}

}  // namespace
}  // namespace dormouse
