#include "check/sound_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "check/finding_ids.h"

namespace dormouse::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMapAt = 0x10000;

}  // namespace

SoundTree::SoundTree() : search(AreaSearch{}) {
  host.paths = {.proc = root_.file("proc"),
                .sys = root_.file("sys"),
                .dev = root_.file("dev"),
                .root = root_.path().string()};
  write("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/vda1 quiet\n");
  write("proc/self/mountinfo",
        "22 1 254:1 / / rw - ext4 /dev/vda1 rw\n23 22 0:21 / /proc rw - proc proc rw\n");
  write("proc/sys/vm/min_free_kbytes", "4000\n");
  write("sys/power/disk", "[platform] shutdown reboot suspend test_resume\n");
  write("sys/power/state", "freeze mem disk\n");
  write("sys/power/pm_test", "[none] core processors platform devices freezer\n");
  write("sys/power/reserved_size", "1048576\n");
  write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  write("sys/class/misc/snapshot/dev", "10:231\n");
  write("dev/snapshot", "");
  process(1, "init");
  meminfo_ = {{"MemTotal", 1'048'576},     {"MemFree", 600'000},        {"MemAvailable", 800'000},
              {"Active(anon)", 50'000},    {"Inactive(anon)", 100'000}, {"Active(file)", 100'000},
              {"Inactive(file)", 100'000}, {"SReclaimable", 20'000}};
  write_meminfo();
  root_.sparse("dev/vda2", kGiB);
  header(4096, "SWAPSPACE2");
  swaps(kGiB / 1024 - 4, 0);
  search->target = {.path = area(), .header_page = 0, .device_number = 0, .active = true};
}

void SoundTree::remove(std::string_view name) const {
  fs::remove_all(root_.path() / name);
}

void SoundTree::link(std::string_view name, std::string_view to) const {
  const auto path = root_.path() / name;
  fs::create_directories(path.parent_path());
  fs::create_symlink(to, path);
}

void SoundTree::process(int pid, std::string_view name) const {
  write(fmt::format("proc/{}/comm", pid), fmt::format("{}\n", name));
  fs::create_directories(root_.path() / fmt::format("proc/{}/fd", pid));
}

void SoundTree::memory(std::string_view key, std::uint64_t kibibytes) {
  std::ranges::find(meminfo_, key, &std::pair<std::string, std::uint64_t>::first)->second = kibibytes;
  write_meminfo();
}

void SoundTree::write_meminfo() const {
  std::string text;
  for (const auto& [key, kibibytes] : meminfo_) text += fmt::format("{}: {:>12} kB\n", key, kibibytes);
  write("proc/meminfo", text);
}

void SoundTree::process_memory(int pid, std::string_view bytes, bool in_memory) const {
  const auto directory = fmt::format("proc/{}", pid);
  write(directory + "/status", fmt::format("Name:\tx\nRssAnon:\t{:>8} kB\n", bytes.size() / 1024));
  write(directory + "/maps",
        fmt::format("{0:x}-{1:x} rw-p 00000000 00:00 0                          [heap]\n"
                    "{2:x}-{3:x} rw-s 00000000 00:06 77                         /dev/dri/card0\n",
                    kMapAt, kMapAt + bytes.size(), kGiB, kGiB + 4096));
  std::ofstream memory(root_.path() / directory / "mem", std::ios::binary);
  memory.seekp(kMapAt);
  memory << bytes;
  std::ofstream pages(root_.path() / directory / "pagemap", std::ios::binary);
  pages.seekp(kMapAt / 4096 * 8);
  const std::uint64_t entry = in_memory ? std::uint64_t{1} << 63 : std::uint64_t{1} << 62;
  for (std::size_t page = 0; page < bytes.size() / 4096; ++page)
    pages.write(reinterpret_cast<const char*>(&entry), sizeof entry);
}

void SoundTree::swaps(std::uint64_t kibibytes, std::uint64_t used) const {
  write("proc/swaps", fmt::format("Filename\tType\tSize\tUsed\tPriority\n{} partition {} {} -2\n", area(),
                                  kibibytes, used));
}

void SoundTree::header(std::uint32_t page_bytes, std::string_view signature) const {
  std::string page(page_bytes, '\0');
  const std::uint32_t version = 1;
  const auto last_page = static_cast<std::uint32_t>(kGiB / page_bytes - 1);
  std::memcpy(page.data() + 1024, &version, sizeof version);
  std::memcpy(page.data() + 1028, &last_page, sizeof last_page);
  std::ranges::copy(signature, page.end() - 10);
  std::fstream file(area(), std::ios::in | std::ios::out | std::ios::binary);
  file << std::string(65536, '\0');
  file.seekp(0);
  file << page;
}

MachineCheck SoundTree::check() {
  return check_machine({.settings = settings,
                        .host = host,
                        .page_bytes = 4096,
                        .root = root,
                        .own_bytes = own_bytes,
                        .swap_file_extents = extents,
                        .boot = boot},
                       search);
}

std::string SoundTree::without_root(std::string text) const {
  const std::string prefix = root_.path().string();
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.erase(at, prefix.size());
  return text;
}

std::vector<std::string> unusual(const MachineCheck& check) {
  std::vector<std::string> ids;
  for (const Finding& found : check.findings) {
    if (found.id != finding::kArea && found.id != finding::kRoom && found.id != finding::kMemory)
      ids.emplace_back(found.id);
  }
  return ids;
}

}  // namespace dormouse::test
