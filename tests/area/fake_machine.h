/// A machine with block devices that do not exist: files in the places of /proc, /sys, /dev and /etc.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/system_calls.h"
#include "kernel/host.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"
#include "swap/swap_disk.h"

namespace dormouse::test {

/// Opens files in the place of device nodes, which nobody could open; the rest is the real system's.
class RedirectedCalls final : public SystemCalls {
 public:
  std::map<std::string, std::string, std::less<>> content;
  std::map<std::string, int, std::less<>> broken;  ///< what cannot be opened, and the errno

  int open(const char* path, int flags, mode_t mode) override;
  int close(int fd) override { return real_.close(fd); }
  int ioctl(int fd, unsigned long request, std::uintptr_t argument) override {
    return real_.ioctl(fd, request, argument);
  }
  ssize_t readv(int fd, const iovec* pieces, int count) override { return real_.readv(fd, pieces, count); }
  ssize_t writev(int fd, const iovec* pieces, int count) override { return real_.writev(fd, pieces, count); }
  ssize_t pread(int fd, void* out, std::size_t bytes, off_t offset) override {
    return real_.pread(fd, out, bytes, offset);
  }
  ssize_t pwrite(int, const void*, std::size_t, off_t) override { return -EROFS; }
  int fdatasync(int) override { return -EROFS; }
  int sync_file_range(int, off_t, off_t, unsigned) override { return -EROFS; }
  int ftruncate(int, off_t) override { return -EROFS; }
  int rename(const char*, const char*) override { return -EROFS; }
  int unlink(const char*) override { return -EROFS; }
  int mlockall(int) override { return 0; }
  int munlockall() override { return 0; }
  int reboot(int) override { return -EPERM; }
  void pause(std::chrono::nanoseconds) override {}

 private:
  SystemCalls& real_ = real_system_calls();
};

struct FakeDevice {
  std::string name = {};
  unsigned major = 8;
  unsigned minor = 0;
  std::string disk = {};                      ///< of a partition
  std::string bus = "pci0000:00/ata1/host0";  ///< the way to it
  bool removable = false;
  std::vector<std::string> slaves = {};
  std::string mapped_name = {};
  std::string mapped_uuid = {};
  std::string uevent = {};  ///< further lines of it
  std::uint64_t bytes = std::uint64_t{8} << 20;
};

/// A swap header page, as the start of a device's content. `signature`: "SWAPSPACE2", "ULSUSPEND".
struct SwapContent {
  std::uint32_t page_bytes = kMinPageBytes;
  std::string_view signature = "SWAPSPACE2";
  std::string_view label = {};
  unsigned uuid_seed = 0;
  std::uint64_t bytes = std::uint64_t{8} << 20;
};
std::string swap_content(const SwapContent& shape = {});

class FakeMachine {
 public:
  FakeMachine();

  /// False where the test may not make device nodes.
  [[nodiscard]] static bool possible();

  void add(const FakeDevice& device, const std::string& content = {});
  /// A line of /proc/swaps.
  void swap_on(const std::string& path, std::uint64_t kibibytes, std::uint64_t used, int priority,
               std::string_view type = "partition");
  void link(const std::string& name, const std::string& target) const;
  /// A file of /proc, /sys or /etc: "proc/cmdline".
  void file(const std::string& name, std::string_view content) const { directory_.write(name, content); }
  void break_node(const std::string& name, int errnum) { redirected_.broken[node(name)] = errnum; }
  void remove_node(const std::string& name) const;
  [[nodiscard]] std::string node(const std::string& name) const { return directory_.file("dev/" + name); }
  [[nodiscard]] std::string path(const std::string& name) const { return directory_.file(name); }
  [[nodiscard]] Host host() { return {.paths = paths_, .calls = calls_}; }
  [[nodiscard]] FaultySystemCalls& calls() { return calls_; }
  /// `text` with the place of the tree taken out.
  [[nodiscard]] std::string short_text(std::string_view text) const;

 private:
  TemporaryDirectory directory_;
  SystemPaths paths_;
  std::string swaps_ = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
  RedirectedCalls redirected_;
  FaultySystemCalls calls_{redirected_};
};

}  // namespace dormouse::test
