/// A real file system on a loop device, mounted.
#pragma once

#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace dormouse::test {

/// Runs a line of shell in silence, with root's programs at hand; true if it succeeded.
inline bool run_shell(const std::string& line) {
  return std::system(("PATH=$PATH:/usr/sbin:/sbin; { " + line + "; } >/dev/null 2>&1").c_str()) == 0;
}

/// Those of `wanted` that this kernel can mount, as it is or after loading a module.
inline std::vector<std::string> mountable(const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  for (const auto& name : wanted) {
    if (run_shell("grep -qw " + name + " /proc/filesystems || modprobe " + name)) found.push_back(name);
  }
  return found;
}

/// Mounted by the constructor, which needs root and a loop device; unmounted by the destructor.
class MountedImage {
 public:
  explicit MountedImage(const std::string& type, std::uintmax_t bytes = std::uintmax_t{600} << 20U) {
    const auto image = directory_.sparse("image", bytes);
    const auto force = type == "ext4" ? std::string("-F ") : std::string("-f ");
    std::filesystem::create_directory(mount_point());
    mounted_ = run_shell("mkfs." + type + " -q " + force + image + " && mount -o loop " + image + " " +
                         mount_point());
  }
  ~MountedImage() {
    if (mounted_) ::umount2(mount_point().c_str(), MNT_DETACH);
  }
  MountedImage(const MountedImage&) = delete;
  MountedImage& operator=(const MountedImage&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string file(const std::string& name) const { return mount_point() + "/" + name; }

 private:
  [[nodiscard]] std::string mount_point() const { return directory_.file("mounted"); }

  TemporaryDirectory directory_;
  bool mounted_ = false;
};

}  // namespace dormouse::test
