/// All of resume but its main(), run in this process: a machine that does not exist boots with an image in
/// its swap area, which lies in a file; /dev/snapshot is a fake, and every system call can fail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dormouse/sealing.h"

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
  std::size_t loaded_pages = 0;  ///< what the kernel had then
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

  /// From here on the image of each boot is one that `seal` sealed.
  void save_with(ImageSeal& seal);

  /// A file of the boot's own, with this content.
  std::string write_file(std::string_view name, std::string_view content) {
    return directory_.write(name, content);
  }

  /// Adds a line to the list of what is mounted.
  void mount(std::string_view mountinfo_line);

  /// The disk turns into one with another image, of kOtherPages, when the boot reads from it for the time
  /// `read`: a plain one, if no seal was given for it.
  void turns_at(std::uint64_t read) { turns_at_ = read; }
  void seal_other(ImageSeal& seal);
  static constexpr std::size_t kImagePages = 200;
  static constexpr std::size_t kOtherPages = 120;

  /// Runs, and checks what must hold however it ended: user space thawed, image freed, no descriptor and no
  /// thread left.
  BootAftermath run(const CallFault& fault = {});

 private:
  [[nodiscard]] static std::string saved(std::size_t pages, ImageSeal* seal);
  void write_area(std::string_view bytes) const;
  [[nodiscard]] bool is_marked() const;

  TemporaryDirectory directory_;
  std::string area_;
  std::string disk_;   // bytes of an area with an image
  std::string other_;  // and of the other
  std::uint64_t turns_at_ = ~std::uint64_t{0};
};

}  // namespace dormouse::test
