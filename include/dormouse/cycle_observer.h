/// What somebody who watches a suspend or a resume is told, from the thread that runs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dormouse {

/// One step and how long it took; `name` is static text.
struct PhaseTime {
  std::string_view name;
  std::uint64_t duration_ns = 0;
};

/// The steps of one run, in order; bounded, so that noting one allocates nothing.
class PhaseLog {
 public:
  void add(std::string_view name, std::uint64_t duration_ns) {
    if (count_ < phases_.size()) phases_[count_++] = {.name = name, .duration_ns = duration_ns};
  }
  [[nodiscard]] std::span<const PhaseTime> phases() const { return {phases_.data(), count_}; }

 private:
  std::array<PhaseTime, 24> phases_;
  std::size_t count_ = 0;
};

/// Called between freeze and thaw as well: must not allocate and not wait for another process.
class CycleObserver {
 public:
  virtual ~CycleObserver() = default;
  /// From here on nobody else runs. Called before the freeze is asked for.
  virtual void freezing() {}
  /// User space is about to be let go: a thread that the observer made since freezing() must end now.
  virtual void thawing() {}
  /// User space runs again (or was never frozen). Not called where the kernel refused to thaw: it does when
  /// the snapshot device is closed, so close that first and call it then.
  virtual void thawed() {}
  /// A step begins: "freeze", "snapshot", "write", "verify", "mark", "power off", "thaw" ...
  virtual void step(std::string_view name) { (void)name; }
  /// Asked after the mark is on disk: the user chose reboot instead of power-off (key `r`).
  [[nodiscard]] virtual bool reboot_chosen() { return false; }
  /// Asked just before the mark: the last moment to stop.
  [[nodiscard]] virtual bool stop_requested() { return false; }
};

}  // namespace dormouse
