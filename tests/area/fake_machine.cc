#include "area/fake_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace dormouse::test {

namespace fs = std::filesystem;

int RedirectedCalls::open(const char* path, int flags, mode_t mode) {
  if (const auto bad = broken.find(std::string_view(path)); bad != broken.end()) return -bad->second;
  const auto found = content.find(std::string_view(path));
  if (found == content.end()) return real_.open(path, flags, mode);
  // Not every file system that tests are run on has direct I/O.
  return real_.open(found->second.c_str(), flags & ~O_DIRECT, mode);
}

std::string swap_content(const SwapContent& shape) {
  const auto last_page = static_cast<std::uint32_t>(shape.bytes / shape.page_bytes - 1);
  auto page = make_swap_page({.page_bytes = shape.page_bytes, .last_page = last_page});
  for (std::size_t i = 0; i < 16; ++i) page[1036 + i] = static_cast<std::byte>(0xa0 + i + shape.uuid_seed);
  for (std::size_t i = 0; i < 16; ++i)
    page[1052 + i] = i < shape.label.size() ? static_cast<std::byte>(shape.label[i]) : std::byte{0};
  const std::string signature = (std::string(shape.signature) + std::string(10, '\0')).substr(0, 10);
  put_text_at(page, page.size() - 10, signature);
  if (signature != "SWAPSPACE2") put_text_at(page, page.size() - 20, "SWAPSPACE2");
  return {reinterpret_cast<const char*>(page.data()), page.size()};
}

FakeMachine::FakeMachine() {
  paths_ = {.proc = directory_.file("proc"),
            .sys = directory_.file("sys"),
            .dev = directory_.file("dev"),
            .root = directory_.path()};
  file("proc/swaps", swaps_);
  file("proc/cmdline", "quiet\n");
  file("sys/power/resume", "0:0\n");
  file("sys/power/resume_offset", "0\n");
  for (const char* name : {"dev", "sys/class/block", "sys/dev/block", "etc"})
    fs::create_directories(directory_.path() / name);
}

bool FakeMachine::possible() {
  const TemporaryDirectory directory;
  return ::mknod(directory.file("node").c_str(), S_IFBLK | 0600, ::gnu_dev_makedev(8, 0)) == 0;
}

void FakeMachine::add(const FakeDevice& device, const std::string& content) {
  const std::string where =
      device.disk.empty() ? "sys/devices/" + device.bus + "/block/" + device.name
                          : fs::relative(fs::canonical(directory_.path() / "sys/class/block" / device.disk),
                                         fs::canonical(directory_.path()))
                                    .string() +
                                "/" + device.name;
  const std::string number = fmt::format("{}:{}", device.major, device.minor);
  file(where + "/dev", number + "\n");
  file(where + "/size", fmt::format("{}\n", device.bytes / 512));
  file(where + "/uevent",
       fmt::format("MAJOR={}\nMINOR={}\nDEVNAME={}\nDEVTYPE={}\n{}", device.major, device.minor, device.name,
                   device.disk.empty() ? "disk" : "partition", device.uevent));
  if (device.disk.empty()) {
    file(where + "/removable", device.removable ? "1\n" : "0\n");
  } else {
    file(where + "/partition", "1\n");
  }
  for (const std::string& slave : device.slaves) file(where + "/slaves/" + slave + "/here", "");
  if (!device.mapped_name.empty()) {
    file(where + "/dm/name", device.mapped_name + "\n");
    file(where + "/dm/uuid", device.mapped_uuid + "\n");
  }
  const fs::path target = directory_.path() / where;
  fs::create_directory_symlink(target, directory_.path() / "sys/class/block" / device.name);
  fs::create_directory_symlink(target, directory_.path() / "sys/dev/block" / number);
  if (::mknod(node(device.name).c_str(), S_IFBLK | 0600, ::gnu_dev_makedev(device.major, device.minor)) != 0)
    throw std::system_error(errno, std::generic_category(), "mknod");
  if (!device.mapped_name.empty()) link("mapper/" + device.mapped_name, "../" + device.name);
  const std::string holding = directory_.write("content/" + device.name, content);
  fs::resize_file(holding, device.bytes);
  redirected_.content[node(device.name)] = holding;
  if (!device.mapped_name.empty()) redirected_.content[node("mapper/" + device.mapped_name)] = holding;
}

void FakeMachine::swap_on(const std::string& path, std::uint64_t kibibytes, std::uint64_t used, int priority,
                          std::string_view type) {
  swaps_ += fmt::format("{}\t\t{}\t{}\t\t{}\t\t{}\n", path, type, kibibytes, used, priority);
  file("proc/swaps", swaps_);
}

void FakeMachine::link(const std::string& name, const std::string& target) const {
  const fs::path link = directory_.path() / "dev" / name;
  fs::create_directories(link.parent_path());
  fs::create_symlink(target, link);
}

void FakeMachine::remove_node(const std::string& name) const {
  fs::remove(node(name));
}

std::string FakeMachine::short_text(std::string_view text) const {
  std::string result(text);
  const std::string place = directory_.path();
  for (auto at = result.find(place); at != std::string::npos; at = result.find(place))
    result.erase(at, place.size());
  return result;
}

}  // namespace dormouse::test
