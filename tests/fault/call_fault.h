/// One system call of a run fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dormouse::test {

/// After `spared` others of its name the call fails, `times` times.
struct CallFault {
  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};

  std::string_view name = {};
  std::uint64_t spared = 0;
  int errnum = 0;
  std::uint64_t times = 1;
  [[nodiscard]] bool for_ever() const { return times == kForEver; }
  /// "pread number 3 EIO for ever"; "no fault".
  [[nodiscard]] std::string text() const;
  /// The same without the number: what is told there belongs together.
  [[nodiscard]] std::string situation() const;
};

/// The name that an ioctl has in the record of calls.
[[nodiscard]] std::string_view ioctl_name(unsigned long request);

/// Entries of a directory: the descriptors or threads of this process, say.
[[nodiscard]] std::size_t count_entries(const char* directory);

/// The tools talk on stderr; of thousands of runs nobody wants to read it. What came can be asked for.
class CapturedStderr {
 public:
  CapturedStderr();
  ~CapturedStderr();
  CapturedStderr(const CapturedStderr&) = delete;
  CapturedStderr& operator=(const CapturedStderr&) = delete;
  /// All that came since the last call.
  [[nodiscard]] std::string take();

 private:
  int saved_;
  int file_;
};

}  // namespace dormouse::test
