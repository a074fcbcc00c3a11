/// A machine that would boot into the image: GRUB, one kernel, an initramfs with resume in it.
#pragma once

#include <string>

#include "area/fake_machine.h"
#include "check/boot_checks.h"

namespace dormouse::test {

/// What the initramfs holds; tests change one thing and build it anew.
struct InitramfsShape {
  bool resume = true;
  unsigned resume_mode = 0100755;
  bool script = true;
  unsigned script_mode = 0100755;
  std::string order = "/scripts/local-premount/dormouse \"$@\"\n";
  std::string config = "resume device = /dev/vda2\n";
  bool has_config = true;
  std::string noted_offset = {};  ///< by the hook: conf/dormouse-offset, beside the device /dev/vda2
  std::string settings = {};      ///< conf/conf.d/resume
  bool systemd = false;
  bool initramfs_tools = true;
};

/// /dev/vda2 is swap, and so is /dev/vda3.
class SoundBoot {
 public:
  SoundBoot();
  void initramfs(const InitramfsShape& shape) const;
  /// Of the default entry; the running kernel's own is the same.
  void line(const std::string& text) const;
  [[nodiscard]] Findings check();
  /// Ids of what is no note.
  [[nodiscard]] std::vector<std::string> unusual();

  FakeMachine machine;
  Settings settings;
  TargetArea target;
};

}  // namespace dormouse::test
