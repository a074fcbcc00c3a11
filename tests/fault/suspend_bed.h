/// All of s2disk but its main(), run in this process on a machine that does not exist: /dev/snapshot is a
/// fake, the kernel's files and the swap area lie in a directory of the test's own, and every system call can
/// fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "fault/call_fault.h"
#include "report/report.h"
#include "support/faulty_system_calls.h"
#include "support/snapshot_calls.h"
#include "support/temporary_directory.h"

namespace dormouse::test {

/// What was left when s2disk came back.
struct SuspendAftermath {
  int exit_code = 0;
  std::string message;  ///< of the error, with the test's paths and the byte offsets evened out
  std::vector<std::string> warnings;
  std::vector<std::string_view> calls;  ///< by name, in order
  bool header_as_before = false;
  bool marked = false;
  /// Exit code and message of a second try on the same machine, right after and without a fault; none where
  /// the mark may still be there, or a setting could not be put back, which the first one told.
  std::optional<std::pair<int, std::string>> second;
};

/// Each run() is a machine of its own.
class SuspendBed {
 public:
  SuspendBed();

  Settings settings;
  FakeMachine machine;
  std::size_t transfer_limit = 0;  ///< bytes a call moves at most; 0: no limit

  /// A file of the machine's own, with this content.
  std::string write_file(std::string_view name, std::string_view content) {
    return directory_.write(name, content);
  }

  /// Is there to be a second try?
  bool try_again = false;

  /// Runs and checks what must hold however it ended: user space thawed, image and slots freed, the system's
  /// settings as before or told, no thread and no descriptor left; after the second try, too.
  SuspendAftermath run(const CallFault& fault = {});

 private:
  void lay_out_files();
  [[nodiscard]] std::pair<int, std::string> suspend(SystemCalls& calls, std::vector<std::string>& warnings);
  [[nodiscard]] bool settings_are_as_before() const;
  [[nodiscard]] std::string read_header() const;
  void check_nothing_is_left(SnapshotCalls& kernel, const std::string& where);

  TemporaryDirectory directory_;
  std::string area_;
};

}  // namespace dormouse::test
