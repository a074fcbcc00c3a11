/// All of resume but its main(), run in this process: a machine that does not exist boots with an image in
/// its swap area, which lies in a file; /dev/snapshot is a fake, and every system call can fail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "fault/call_fault.h"
#include "support/temporary_directory.h"

namespace dormouse::test {

/// What a boot came to.
struct BootAftermath {
  int exit_code = 0;
  std::string message;                  ///< of the error that ended it, places evened out; empty: none
  std::vector<std::string_view> calls;  ///< by name, in order
  bool jumped = false;
  bool marked_at_jump = false;
  bool restarted = false;          ///< reboot(2) was called (the fake machine stays on)
  bool marked_at_restart = false;  ///< the image was kept for the next boot
  bool marked = false;             ///< when the boot went on
  std::string said;                ///< on stderr
};

/// Each run() is a boot of its own, with a fresh image.
class BootBed {
 public:
  BootBed();

  Settings settings;
  std::size_t transfer_limit = 0;

  /// Adds a line to the list of what is mounted.
  void mount(std::string_view mountinfo_line);

  /// Runs, and checks what must hold however it ended: user space thawed, image freed, no descriptor and no
  /// thread left.
  BootAftermath run(const CallFault& fault = {});

 private:
  [[nodiscard]] bool is_marked() const;

  TemporaryDirectory directory_;
  std::string area_;
  std::string disk_;  // bytes of an area with an image
};

}  // namespace dormouse::test
