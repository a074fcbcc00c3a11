/// A machine on which nothing is wrong, as a tree of files: tests break one thing each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/machine_check.h"
#include "support/faulty_system_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {

/// 1 GiB of memory, half of it in use; an active swap partition of 1 GiB, which is a sparse file.
class SoundTree {
 public:
  SoundTree();

  /// Writes a file below the root: "sys/power/disk".
  std::string write(std::string_view name, std::string_view text) const { return root_.write(name, text); }
  void remove(std::string_view name) const;
  /// A symbolic link, to a thing that need not be there: "proc/7/fd/3".
  void link(std::string_view name, std::string_view to) const;
  /// A process with this name.
  void process(int pid, std::string_view name) const;
  /// Takes the place of one line of /proc/meminfo.
  void memory(std::string_view key, std::uint64_t kibibytes);
  /// Memory that a process has for itself, and what is in it.
  void process_memory(int pid, std::string_view bytes, bool in_memory = true) const;
  /// The kernel's line on the area. `kibibytes`: its size; the area's file is not changed.
  void swaps(std::uint64_t kibibytes, std::uint64_t used) const;
  /// A swap header at the start of the area, for pages of that size, and with that signature.
  void header(std::uint32_t page_bytes, std::string_view signature) const;

  [[nodiscard]] std::string area() const { return root_.file("dev/vda2"); }
  [[nodiscard]] std::string file(std::string_view name) const { return root_.file(name); }
  [[nodiscard]] MachineCheck check();
  /// `text` with the name of the root taken out, so that it is always the same.
  [[nodiscard]] std::string without_root(std::string text) const;

  Settings settings;
  Result<AreaSearch> search;
  Host host;
  bool root = true;
  std::uint64_t own_bytes = 40'000'000;
  std::uint64_t extents = 0;
  std::function<Findings(const CheckSubject&)> boot;

 private:
  void write_meminfo() const;

  TemporaryDirectory root_;
  std::vector<std::pair<std::string, std::uint64_t>> meminfo_;
};

/// The ids of findings that are no notes, and of the notes that are not on every sound machine.
[[nodiscard]] std::vector<std::string> unusual(const MachineCheck& check);

}  // namespace dormouse::test
