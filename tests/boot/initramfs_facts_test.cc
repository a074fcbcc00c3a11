#include "boot/initramfs_facts.h"

#include <gtest/gtest.h>

#include "boot/packers.h"
#include "support/newc_writer.h"
#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

TEST(InitramfsFacts, OfOneThatTheHookFilled) {
  const TemporaryDirectory directory;
  NewcWriter writer;
  writer.add("conf/conf.d/resume", "# a comment\nRESUME=\"UUID=1-2\"\n")
      .add("conf/dormouse-device", "/dev/vda2\n")
      .add("conf/dormouse-offset", "34816\n")
      .add("etc/suspend.conf", "")
      .add("scripts/local-premount/ORDER",
           "/scripts/local-premount/dormouse \"$@\"\n[ -e /conf/param.conf ] && . /conf/param.conf\n")
      .add("scripts/local-premount/dormouse", "#!/bin/sh\n", 0100755)
      .add("usr/lib/dormouse/resume", "ELF", 0100755)
      .add("usr/lib/systemd/systemd-hibernate-resume", "ELF", 0100755);
  const auto facts = read_initramfs_facts(directory.write("initrd", pack("zstd", writer.finish())));
  ASSERT_TRUE(facts) << facts.error().what();
  EXPECT_TRUE(facts->initramfs_tools);
  EXPECT_TRUE(facts->has_resume);
  EXPECT_TRUE(facts->resume_executable);
  EXPECT_TRUE(facts->has_script);
  EXPECT_TRUE(facts->script_executable);
  EXPECT_TRUE(facts->script_called);
  EXPECT_EQ(facts->config, "");
  EXPECT_EQ(facts->device, "/dev/vda2");
  EXPECT_EQ(facts->offset, 34816U);
  EXPECT_EQ(facts->resume_setting, "UUID=1-2");
  EXPECT_TRUE(facts->systemd_resume);
}

TEST(InitramfsFacts, OfOneWithoutAnyOfIt) {
  const TemporaryDirectory directory;
  NewcWriter writer;
  // Tools of the same name that are not ours, and a script whose call is commented out.
  writer.add("bin/resume", "ELF", 0100755)
      .add("scripts/local-premount/ORDER", "# /scripts/local-premount/dormouse\n")
      .add("lib/dormouse/resume.bak", "ELF", 0100755);
  const auto facts = read_initramfs_facts(directory.write("initrd", writer.finish()));
  ASSERT_TRUE(facts) << facts.error().what();
  EXPECT_FALSE(facts->has_resume);
  EXPECT_FALSE(facts->script_called);
  EXPECT_EQ(facts->config, std::nullopt);
  EXPECT_EQ(facts->resume_setting, "");
}

}  // namespace
}  // namespace dormouse::test
