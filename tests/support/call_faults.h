/// Which calls of a fake fail: by number for sweeps, by name for single cases.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

namespace dormouse::test {

/// Keeps the record of calls, too. Threads: any.
class CallFaults {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// The call with this number (from 0, all kinds counted) fails once.
  void fail_call(std::uint64_t number, int errnum);
  /// The next `times` calls of this name fail. "SNAPSHOT_FREEZE", "read", ...
  void fail_name(std::string_view name, int errnum, std::uint64_t times = 1);
  /// The same, but the first `spared` calls of that name pass.
  void fail_name_after(std::string_view name, std::uint64_t spared, int errnum, std::uint64_t times = 1);

  /// Notes the call; the error it is to fail with, if any. `name` is a literal.
  Result<void> pass(std::string_view name);

  [[nodiscard]] bool fired() const { return fired_; }
  [[nodiscard]] const std::vector<std::string_view>& calls() const { return calls_; }
  [[nodiscard]] std::uint64_t count(std::string_view name) const;

 private:
  std::mutex mutex_;
  std::vector<std::string_view> calls_;
  std::uint64_t failing_call_ = kNever;
  int call_errnum_ = 0;
  std::string_view failing_name_;
  int name_errnum_ = 0;
  std::uint64_t spared_ = 0;
  std::uint64_t times_left_ = 0;
  bool fired_ = false;
};

/// The code that LinuxSnapshotDevice gives for this errno.
[[nodiscard]] Errc snapshot_errc(int errnum);

}  // namespace dormouse::test
